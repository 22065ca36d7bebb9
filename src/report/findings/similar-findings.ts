import type { Finding } from "../../lint/finding.js";
import { type EqualGroup, groupByKey } from "../text/text-printer.js";

/** Limit of the findings with the same advice that a report lists after the first. */
export const MAX_SIMILAR = 50;

/**
 * Groups the findings of a rule with the same advice in many virtual hosts, in the order of the first of each. Every
 * other finding is a group of its own.
 *
 * @param minHosts the least number of virtual hosts
 */
export function groupSimilarFindings(findings: readonly Finding[], minHosts: number): readonly EqualGroup<Finding>[] {
  const inHosts = findings.filter(({ hosts = [] }) => hosts.length > 0);
  const large = groupByKey(inHosts, (finding) => adviceKeyOf(omitValues(finding))).filter(
    (group) => countHosts(group) >= minHosts,
  );
  const repeated = new Set(large.flatMap(({ others }) => others));
  const othersOf = new Map(large.map(({ first, others }) => [first, others]));
  return findings.flatMap((first) => (repeated.has(first) ? [] : [{ first, others: othersOf.get(first) ?? [] }]));
}

function countHosts({ first, others }: EqualGroup<Finding>): number {
  return new Set([first, ...others].flatMap(({ hosts = [] }) => hosts)).size;
}

/** Returns a finding whose help has no values: the hosts of a template differ in names, paths and addresses. */
function omitValues({ help = [], ...finding }: Finding): Finding {
  return { ...finding, help: help.map((text) => text.replace(/`[^`]*`/g, omitValuesOf)) };
}

/** Keeps the name of a directive and its keyword, such as `Require ip`; a number, a name or a path has other characters. */
function omitValuesOf(quoted: string): string {
  return quoted
    .split(" ")
    .slice(0, 2)
    .filter((word) => !/[\d./]/.test(word))
    .join(" ");
}

/** Returns a key that is equal for findings of a rule with the same advice. */
export function adviceKeyOf({ rule, severity, notes, help = [] }: Finding): string {
  return JSON.stringify([rule, severity, help.length > 0 ? help : notes]);
}
