import type { Finding } from "./finding.js";

/** So many other lines are shown; of more only the number is told. */
const MOST_SHOWN = 3;

/** Of findings that share a cause the first, which speaks for them all. */
export function withoutRepeatedCauses(findings: readonly Finding[]): Finding[] {
  const groups = new Map<string, Finding[]>();
  const kept: Finding[] = [];
  for (const finding of findings) {
    const key = keyOf(finding);
    const group = key === undefined ? undefined : groups.get(key);
    if (group) group.push(finding);
    else kept.push(finding);
    if (key !== undefined && group === undefined) groups.set(key, [finding]);
  }
  if (kept.length === findings.length) return kept;
  const byFirst = new Map([...groups.values()].map((group) => [group[0], group]));
  return kept.map((finding) => spokenFor(finding, byFirst.get(finding)?.slice(1) ?? []));
}

function keyOf({ rule, cause }: Finding): string | undefined {
  return cause && `${cause.isAnyRules ? "" : rule}\0${cause.key}`;
}

function spokenFor(finding: Finding, others: readonly Finding[]): Finding {
  const { cause, related } = finding;
  if (cause === undefined || others.length === 0) return finding;
  const shown = others.slice(0, MOST_SHOWN).map(({ span }) => ({ message: cause.also, span }));
  return { ...finding, message: cause.message(others.length), related: [...related, ...shown] };
}

/** `1 more line`, `2 more lines`. */
export function moreLines(others: number): string {
  return others === 1 ? "1 more line" : `${others} more lines`;
}
