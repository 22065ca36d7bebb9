import { allRules, defaultRules } from "../../../../rules/index.js";
import type { Project } from "../../../config/model/project.js";
import { applyFixes } from "../../../lint/apply-fixes.js";
import type { Finding } from "../../../lint/finding.js";
import { lintWithoutProofs } from "../../../lint/runner/lint.js";

const rules = defaultRules.filter(({ upgrade, isResolvedByMigrate }) => upgrade === "start" && !isResolvedByMigrate);
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
  return { texts, project, findings: lintWithoutProofs(project, { rules, ruleIds, from: "2.2" }).findings };
}
