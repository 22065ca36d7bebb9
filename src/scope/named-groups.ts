import type { Layer } from "./layer.js";
import { type Pattern, patternOf } from "./patterns.js";
import type { Questions } from "./questions.js";
import { targetOf } from "./section-index.js";

const patterns = new WeakMap<Layer, Pattern | "none">();

/**
 * Sets a variable for each named group of the patterns by which sections apply: `MATCH_NAME` (server/request.c). One that
 * took no part in the match stays as it was.
 *
 * @param layers sections that apply
 * @param subject what their patterns were tested against
 * @param env changed; names are in lower case
 */
export function setNamedGroups(
  layers: readonly Layer[],
  subject: string,
  env: Map<string, string>,
  questions: Questions,
): void {
  for (const layer of layers) {
    const pattern = patternWithNames(layer);
    const groups = pattern?.find(subject, questions);
    if (!pattern || !groups) continue;
    for (const [name, number] of pattern.names) {
      const value = groups[number];
      if (value !== undefined) env.set(`match_${name.toLowerCase()}`, value);
    }
  }
}

/** Whether a section's pattern has named groups. */
export function namesGroups(layer: Layer): boolean {
  return patternWithNames(layer) !== undefined;
}

function patternWithNames(layer: Layer): Pattern | undefined {
  const known = patterns.get(layer);
  if (known !== undefined) return known === "none" ? undefined : known;
  const target = layer.section && layer.section.key !== "<if" ? targetOf(layer.section) : undefined;
  const pattern = target?.isPattern && /\(\?P?[<']/.test(target.text) ? patternOf(target.text) : undefined;
  patterns.set(layer, pattern?.names.size ? pattern : "none");
  return pattern?.names.size ? pattern : undefined;
}
