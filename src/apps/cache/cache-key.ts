import type { LintUnit } from "../cli/check/lint-unit.js";
import { checksum } from "./dependency-recorder.js";

/**
 * Returns the key of a unit's findings in the cache: all that they depend on except for files, which the cache compares
 * itself.
 */
export function computeCacheKey({ path, kind, source: { load, release, from }, rules }: LintUnit): string {
  const { access, ...plain } = load;
  const inputs = {
    path,
    kind,
    release,
    from,
    isPartial: access?.isPartial === true,
    isCopy: access?.isCopy === true,
    load: plain,
    rules: rules.map(({ id, severity, variants }) => [id, severity, variants?.map((each) => each.id)]),
    // Dates in conditions and certificates pass.
    day: new Date().toISOString().slice(0, "2000-01-01".length),
  };
  return checksum(JSON.stringify(inputs, (_, value: unknown) => (value instanceof Map ? [...value] : value)));
}
