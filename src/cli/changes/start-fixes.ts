import { allRules, defaultRules } from "../../../rules/index.js";
import { applyFixes } from "../../engine/apply-fixes.js";
import type { Finding } from "../../engine/finding.js";
import { lintProject } from "../../engine/run-rules.js";
import type { Project } from "../../project/model/project.js";
import { decide } from "../../simulate/decide.js";
import type { LoadedServer } from "../inputs/load-server.js";

/** Rules that only concern access, which the migration resolves. */
const accessRules: ReadonlySet<string> = new Set([
  ...["access-compat-not-loaded", "authtype-without-require", "override-missing"],
]);
const rules = defaultRules.filter(({ id, upgrade }) => upgrade === "start" && !accessRules.has(id));
const ruleIds = allRules.map(({ id }) => id);

/** Maximum number of rounds, because one fix may reveal the next; no real configuration needs that many. */
const MAX_FIX_ROUNDS = 10;

/** A configuration from 2.2, with the findings that prevent 2.4 from starting. */
export interface StartFixResult {
  readonly texts: ReadonlyMap<string, string>;
  readonly project: Project;
  /** Remaining findings. */
  readonly findings: readonly Finding[];
}

/**
 * Applies the fixes without which 2.4 does not start, if a rule provides them: modules that were removed or are now
 * required, and directives that were removed. Modules in a layout that a command manages (`a2enmod`) are left to that
 * command.
 *
 * @param texts contents that replace files on disk, by real path
 * @param read reads the configuration with such contents as 2.4
 * @param mayChange whether a file, by real path, may be written to
 */
export function applyStartFixes(
  texts: ReadonlyMap<string, string>,
  read: (texts: ReadonlyMap<string, string>) => Project,
  mayChange: (path: string) => boolean,
): StartFixResult {
  let result = findStartErrors(texts, read);
  for (let round = 0; round < MAX_FIX_ROUNDS; round++) {
    const isWanted = ({ fix }: Finding) => fix?.edits.every(({ span }) => mayChange(span.file.realPath)) ?? false;
    const fixed = applyFixes(result.findings, isWanted).texts;
    if (fixed.size === 0) break;
    result = findStartErrors(new Map([...result.texts, ...fixed]), read);
  }
  return result;
}

/** Returns the findings that prevent 2.4 from starting if nothing is changed. */
export function findStartErrors(
  texts: ReadonlyMap<string, string>,
  read: (texts: ReadonlyMap<string, string>) => Project,
): StartFixResult {
  const project = read(texts);
  return { texts, project, findings: lintProject(project, { rules, ruleIds, from: "2.2" }).findings };
}

/** The rules that report clients unintentionally allowed by Satisfy any. */
const reportedRules: ReadonlySet<string> = new Set(["satisfy-any-inherited", "satisfy-any-without-require"]);
const faultRules = defaultRules.filter(({ id }) => reportedRules.has(id));
const faultRuleIds = allRules.map(({ id }) => id);

/**
 * Returns the results that are probably unintended, which a migration preserves like all others.
 *
 * @param before the configuration as read by the release whose results are preserved
 * @param on24 the same configuration as read by 2.4, the only release that the rules cover
 */
export function findPreservedFaults({ files, project: before }: LoadedServer, on24: Project): readonly Finding[] {
  const { findings } = lintProject(on24, { rules: faultRules, ruleIds: faultRuleIds });
  return findings.filter(
    ({ witness }) => before === on24 || (witness && decide(before, witness.request, { files }).class === "allowed"),
  );
}
