import { type Directive, lineKeyOf } from "../config/model/directive.js";
import { getOrCreate } from "../text/collections.js";
import { sortEdits } from "../text/edits.js";
import {
  checkNameOf,
  type Finding,
  type Fix,
  formatHeader,
  type MessageText,
  type RootCause,
  textKeyOf,
} from "./finding.js";

/** Maximum number of other lines shown to people. */
const MAX_SHOWN = 3;
/** Maximum number of lines listed for programs; of more, only the number is reported. */
const MAX_NAMED = 1000;

/** Removes findings whose cause is a module that another finding has loaded. */
export function dropSuppliedFindings(findings: readonly Finding[]): readonly Finding[] {
  const supplied = new Set(findings.flatMap(({ supplies = noModules }) => supplies));
  if (supplied.size === 0) return findings;
  return findings.filter(({ cause }) => cause?.module === undefined || !supplied.has(cause.module));
}

const noModules: readonly string[] = [];

/** Keeps the first of the findings that share a cause, extended to cover all of them. */
export function mergeRepeatedCauses(findings: readonly Finding[]): Finding[] {
  const groups = new Map<string, Map<string, Finding[]>>();
  const kept: Finding[] = [];
  const byFirst = new Map<Finding, Finding[]>();
  for (const finding of findings) {
    const { cause } = finding;
    const whose = cause?.isAnyRules ? "" : checkNameOf(finding);
    const group = cause && groups.get(whose)?.get(cause.key);
    if (group) {
      group.push(finding);
      continue;
    }
    kept.push(finding);
    if (cause === undefined) continue;
    const first = [finding];
    byFirst.set(finding, first);
    getOrCreate(groups, whose, () => new Map()).set(cause.key, first);
  }
  if (kept.length === findings.length) return kept;
  return kept.map((finding) => mergeWithOthers(finding, byFirst.get(finding)?.slice(1) ?? []));
}

function mergeWithOthers(finding: Finding, others: readonly Finding[]): Finding {
  const { cause, related } = finding;
  if (cause === undefined || others.length === 0) return finding;
  const places = others.slice(0, MAX_NAMED).map(({ span }) => ({ message: cause.also, span }));
  const further = places.slice(MAX_SHOWN);
  const fix = finding.fix && mergeFixes(finding.fix, others);
  const count = others.length;
  const hosts = new Set([finding, ...others].flatMap((each) => each.hosts ?? []));
  return {
    ...finding,
    ...(cause.header
      ? { message: formatHeader(cause.header, count) }
      : {
          notes: [
            ...(finding.notes ?? []),
            `the same applies to ${count === 1 ? "1 more line" : `${count} more lines`}`,
          ],
        }),
    related: [...related, ...places.slice(0, MAX_SHOWN)],
    ...(further.length > 0 ? { additionalLocations: further } : {}),
    ...(hosts.size > 0 ? { hosts: [...hosts] } : {}),
    ...(fix ? { fix } : {}),
  };
}

/** Merges the fixes of findings with a shared cause; equal edits are applied once. */
function mergeFixes(first: Fix, others: readonly Finding[]): Fix {
  const alike = others.flatMap(({ fix }) =>
    fix?.title === first.title && fix.safety === first.safety ? fix.edits : [],
  );
  return { ...first, edits: sortEdits([...first.edits, ...alike]) };
}

/**
 * Groups the same mistake in many files or virtual hosts, which are often copies of each other: problem and remedy are
 * the same in all. Within one of them, each line is reported separately.
 */
export class DuplicateGrouper {
  private readonly counts = new Map<string, number>();

  /** @param fix the title of the finding's fix, if any: findings with the same title share a cause */
  causeOf(directive: Directive, message: MessageText, fix: string | undefined): RootCause {
    const words = `${textKeyOf(message)} ${fix}`;
    const here = `${groupKeyOf(directive)} ${words}`;
    const before = this.counts.get(here) ?? 0;
    this.counts.set(here, before + 1);
    return { key: `${before} ${words}`, also: "same problem" };
  }
}

/** Returns the virtual host that contains a line, or else the file. */
function groupKeyOf({ parent, span }: Directive): string {
  for (let section = parent; section; section = section.parent)
    if (section.key === "<virtualhost") return lineKeyOf(section);
  return span.file.realPath;
}
