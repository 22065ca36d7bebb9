import { defaultRules } from "../../rules/index.js";
import type { Finding } from "../engine/finding.js";
import { applyFixes } from "../engine/fixes.js";
import { lint } from "../engine/lint.js";
import type { Project } from "../project/project.js";

/** What is said of access alone is for the migration to settle. */
const ofAccess: ReadonlySet<string> = new Set([
  ...["access-compat-not-loaded", "authtype-without-require", "override-missing"],
]);
const rules = defaultRules.filter(({ id, upgrade }) => upgrade === "start" && !ofAccess.has(id));
const ruleIds = defaultRules.map(({ id }) => id);

/** One fix may show what the next is for; no configuration takes as many rounds. */
const MOST_ROUNDS = 10;

/** A configuration that comes from 2.2, with what keeps 2.4 from starting with it. */
export interface Readied {
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
export function withStartFixes(
  texts: ReadonlyMap<string, string>,
  read: (texts: ReadonlyMap<string, string>) => Project,
  mayChange: (path: string) => boolean,
): Readied {
  let readied = startFindings(texts, read);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const isWanted = ({ fix }: Finding) => fix?.edits.every(({ span }) => mayChange(span.file.realPath)) ?? false;
    const fixed = applyFixes(readied.findings, isWanted).texts;
    if (fixed.size === 0) break;
    readied = startFindings(new Map([...readied.texts, ...fixed]), read);
  }
  return readied;
}

/** What keeps 2.4 from starting where nothing is done about it. */
export function startFindings(
  texts: ReadonlyMap<string, string>,
  read: (texts: ReadonlyMap<string, string>) => Project,
): Readied {
  const project = read(texts);
  return { texts, project, findings: lint(project, { rules, ruleIds, from: "2.2" }).findings };
}
