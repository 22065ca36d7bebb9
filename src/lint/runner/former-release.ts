import type { Project } from "../../config/model/project.js";
import type { Finding } from "../finding.js";
import { compareByLocation, isFirstOccurrence, type LintResult, type RuleOptions, runRules } from "./run-rules.js";

const NOTE = "2.2 decides like this, and the upgrade keeps it";

/**
 * Adds the findings about access control of 2.2 in a server that does not load mod_access_compat yet: its lines have no
 * effect in 2.4, so that the rules find nothing there. A line without the intended effect in 2.2 has none after the upgrade either.
 *
 * @param before the same configuration as 2.2 reads it
 */
export function addFormerFindings(
  all: LintResult,
  project: Project,
  before: () => Project | undefined,
  options: RuleOptions,
): LintResult {
  const { modules, modulesAreKnown } = project;
  if (!modulesAreKnown || modules.mayHave("access_compat_module")) return all;
  const former = before();
  if (former === undefined) return all;
  const { from: _, proofs: __, upgraded: ___, rules, ...rest } = options;
  const { findings } = runRules(former, { ...rest, rules: rules.filter(({ group }) => group === "access") });
  const known = new Set(all.findings.map(keyOf));
  const more = findings.filter((finding) => !known.has(keyOf(finding)));
  if (more.length === 0) return all;
  const added = more.map((finding) => ({ ...finding, notes: [...(finding.notes ?? []), NOTE] }));
  return { ...all, findings: [...all.findings, ...added].sort(compareByLocation).filter(isFirstOccurrence) };
}

function keyOf({ rule, span }: Finding): string {
  return `${rule} ${span.file.path} ${span.start}`;
}
