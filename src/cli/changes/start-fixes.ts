import { defaultRules } from "../../../rules/index.js";
import { applyFixes } from "../../engine/apply-fixes.js";
import type { Finding } from "../../engine/finding.js";
import { lintProject } from "../../engine/run-rules.js";
import type { Project } from "../../project/model/project.js";
import { decide } from "../../simulate/decide.js";
import type { LoadedServer } from "../inputs/load-server.js";

/** What is said of access alone is for the migration to settle. */
const accessRules: ReadonlySet<string> = new Set([
  ...["access-compat-not-loaded", "authtype-without-require", "override-missing"],
]);
const rules = defaultRules.filter(({ id, upgrade }) => upgrade === "start" && !accessRules.has(id));
const ruleIds = defaultRules.map(({ id }) => id);

/** One fix may show what the next is for; no configuration takes as many rounds. */
const MAX_FIX_ROUNDS = 10;

/** A configuration that comes from 2.2, with what keeps 2.4 from starting with it. */
export interface StartFixResult {
  readonly texts: ReadonlyMap<string, string>;
  readonly project: Project;
  /** What is still found. */
  readonly findings: readonly Finding[];
}

/**
 * Makes the changes without which 2.4 does not start, where a rule knows them: modules that are gone and that are wanted now,
 * directives that are gone. Modules of a layout that a command looks after (`a2enmod`) are left to that.
 *
 * @param texts that stand for files on the disk, by real path
 * @param read reads the configuration with such texts as 2.4
 * @param mayChange whether a file, by real path, may be written to
 */
export function applyStartFixes(
  texts: ReadonlyMap<string, string>,
  read: (texts: ReadonlyMap<string, string>) => Project,
  mayChange: (path: string) => boolean,
): StartFixResult {
  let readied = findStartErrors(texts, read);
  for (let round = 0; round < MAX_FIX_ROUNDS; round++) {
    const isWanted = ({ fix }: Finding) => fix?.edits.every(({ span }) => mayChange(span.file.realPath)) ?? false;
    const fixed = applyFixes(readied.findings, isWanted).texts;
    if (fixed.size === 0) break;
    readied = findStartErrors(new Map([...readied.texts, ...fixed]), read);
  }
  return readied;
}

/** What keeps 2.4 from starting where nothing is done about it. */
export function findStartErrors(
  texts: ReadonlyMap<string, string>,
  read: (texts: ReadonlyMap<string, string>) => Project,
): StartFixResult {
  const project = read(texts);
  return { texts, project, findings: lintProject(project, { rules, ruleIds, from: "2.2" }).findings };
}

/** What says that Satisfy any lets in whom nobody meant to. */
const reportedRules: ReadonlySet<string> = new Set(["satisfy-any-inherited", "satisfy-any-without-require"]);
const faultRules = defaultRules.filter(({ id }) => reportedRules.has(id));
const faultRuleIds = defaultRules.map(({ id }) => id);

/**
 * Answers that are hardly meant, and that a migration keeps like all others.
 *
 * @param before the configuration as the release reads it whose answers are kept
 * @param on24 the same as 2.4 reads it, of which alone the rules speak
 */
export function findPreservedFaults({ files, project: before }: LoadedServer, on24: Project): readonly Finding[] {
  const { findings } = lintProject(on24, { rules: faultRules, ruleIds: faultRuleIds });
  return findings.filter(
    ({ witness }) => before === on24 || (witness && decide(before, witness.request, { files }).class === "allowed"),
  );
}
