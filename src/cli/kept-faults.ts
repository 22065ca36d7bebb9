import { defaultRules } from "../../rules/index.js";
import type { Finding } from "../engine/finding.js";
import { lint } from "../engine/lint.js";
import type { Project } from "../project/project.js";
import { decide } from "../simulate/decide.js";
import type { LoadedServer } from "./server.js";

/** What says that Satisfy any lets in whom nobody meant to. */
const concerned: ReadonlySet<string> = new Set(["satisfy-any-inherited", "satisfy-any-without-require"]);
const rules = defaultRules.filter(({ id }) => concerned.has(id));
const ruleIds = defaultRules.map(({ id }) => id);

/**
 * Answers that are hardly meant, and that a migration keeps like all others.
 *
 * @param before the configuration as the release reads it whose answers are kept
 * @param on24 the same as 2.4 reads it, of which alone the rules speak
 */
export function keptFaults({ files, project: before }: LoadedServer, on24: Project): readonly Finding[] {
  const { findings } = lint(on24, { rules, ruleIds });
  return findings.filter(
    ({ witness }) => before === on24 || (witness && decide(before, witness.request, { files }).class === "allowed"),
  );
}
