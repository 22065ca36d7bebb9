import { inOrder } from "../text/edits.js";
import type { Finding, Fix } from "./finding.js";

/** So many other lines are shown to people. */
const MOST_SHOWN = 3;
/** So many are named to programs; of more only the number is told. */
const MOST_NAMED = 1000;

/** Without those whose cause is a module that another finding has loaded. */
export function withoutSupplied(findings: readonly Finding[]): readonly Finding[] {
  const supplied = new Set(findings.flatMap(({ supplies = [] }) => supplies));
  if (supplied.size === 0) return findings;
  return findings.filter(({ cause }) => cause?.module === undefined || !supplied.has(cause.module));
}

/** Of findings that share a cause the first, which speaks for them all. */
export function withoutRepeatedCauses(findings: readonly Finding[]): Finding[] {
  const groups = new Map<string, Map<string, Finding[]>>();
  const kept: Finding[] = [];
  const byFirst = new Map<Finding, Finding[]>();
  for (const finding of findings) {
    const { rule, cause } = finding;
    const whose = cause?.isAnyRules ? "" : rule;
    const group = cause && groups.get(whose)?.get(cause.key);
    if (group) {
      group.push(finding);
      continue;
    }
    kept.push(finding);
    if (cause === undefined) continue;
    const first = [finding];
    byFirst.set(finding, first);
    groups.set(whose, (groups.get(whose) ?? new Map<string, Finding[]>()).set(cause.key, first));
  }
  if (kept.length === findings.length) return kept;
  return kept.map((finding) => spokenFor(finding, byFirst.get(finding)?.slice(1) ?? []));
}

function spokenFor(finding: Finding, others: readonly Finding[]): Finding {
  const { cause, related } = finding;
  if (cause === undefined || others.length === 0) return finding;
  const places = others.slice(0, MOST_NAMED).map(({ span }) => ({ message: cause.also, span }));
  const further = places.slice(MOST_SHOWN);
  const fix = finding.fix && fixOfAll(finding.fix, others);
  return {
    ...finding,
    message: cause.message(others.length),
    related: [...related, ...places.slice(0, MOST_SHOWN)],
    ...(further.length > 0 ? { further } : {}),
    ...(fix ? { fix } : {}),
  };
}

/** One fix for all of them, since one finding speaks for them; where it takes the same edit for several, once. */
function fixOfAll(first: Fix, others: readonly Finding[]): Fix {
  const alike = others.flatMap(({ fix }) =>
    fix?.title === first.title && fix.safety === first.safety ? fix.edits : [],
  );
  return { ...first, edits: inOrder([...first.edits, ...alike]) };
}

/** `1 more line`, `2 more lines`. */
export function moreLines(others: number): string {
  return others === 1 ? "1 more line" : `${others} more lines`;
}
