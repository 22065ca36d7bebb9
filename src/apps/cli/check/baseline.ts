import { dirname } from "node:path";
import { allRules } from "../../../../rules/index.js";
import { realPathOf } from "../../../config/main-files.js";
import { listCheckNames } from "../../../lint/rule.js";
import type { Result } from "../../../text/result.js";
import { pluralize } from "../../../text/words.js";
import { Baseline, countMissing, type KnownFinding, renderBaseline } from "../../baseline/baseline.js";
import { type BaselineFile, readBaselineFile } from "../../baseline/baseline-file.js";
import { replaceFile } from "../../file-changes/atomic-write.js";
import { diskFileSystem } from "../../file-changes/file-system.js";
import { findLineIncluding } from "../../file-changes/include-lines.js";
import { shortenPath } from "../../short-path.js";
import { type CommandResult, exitCodes, failWith } from "../output/command-result.js";
import type { CheckResults } from "./check-results.js";

/**
 * Reads a baseline.
 *
 * @param mayBeMissing it is about to be written
 * @param confine the directory that it must be in
 */
export function openBaseline(
  file: string,
  mayBeMissing: boolean,
  confine?: string,
): Result<BaselineFile, CommandResult> {
  const read = readBaselineFile(file, confine);
  if (read.ok) return read;
  const { code, path, message } = read.error;
  const named = `the baseline \`${shortenPath(path)}\``;
  switch (code) {
    case "missing":
      return mayBeMissing
        ? { ok: true, value: { path, baseline: new Baseline([], dirname(path)) } }
        : failWith(exitCodes.unreadable, `${named} does not exist; --update-baseline creates it`);
    case "unreadable":
      return failWith(exitCodes.unreadable, `${named} cannot be read: ${message}`);
    case "not-json":
    case "merge-conflict":
    case "other-version":
    case "not-a-baseline":
      return failWith(
        exitCodes.usage,
        `${named} is invalid and was not changed: ${message}; correct it, or delete it and run --update-baseline`,
      );
  }
}

/**
 * Writes the updated baseline, unless an Include of the servers would load it.
 *
 * @returns a summary for the user
 */
export function updateBaseline(
  { path, baseline }: BaselineFile,
  { read, files, ran }: CheckResults,
): Result<string, CommandResult> {
  const temporary = `${path}.${process.pid}.tmp`;
  for (const { project, access } of read) {
    const line = findLineIncluding(path, project.read, access) ?? findLineIncluding(temporary, project.read, access);
    if (line === undefined) continue;
    const message = `the baseline \`${shortenPath(path)}\` was not written, because ${line} would load it as configuration; name a file elsewhere`;
    return failWith(exitCodes.usage, message);
  }
  // A deleted rule or file does not need to be searched.
  const wasChecked = (rule: string, file: string) =>
    !checkNames.has(rule) || realPathOf(file) === undefined || (ran.has(rule) && files.has(file));
  const known = baseline.listUpdated(wasChecked);
  const text = renderBaseline(known);
  if (text === renderBaseline(baseline.known))
    return { ok: true, value: `httpd-lint: \`${shortenPath(path)}\` is up to date: ${countFindings(known)}` };
  const failed = replaceFile(path, text, temporary, createFileAttributes(), diskFileSystem);
  if (failed) return failWith(exitCodes.unreadable, failed.message);
  const [added, removed] = [countMissing(known, baseline.known), countMissing(baseline.known, known)];
  return {
    ok: true,
    value: `httpd-lint: \`${shortenPath(path)}\` written: ${countFindings(known)} (${added} added, ${removed} removed)`,
  };
}

/** Returns a note on the known findings that no longer occur in the files that were checked; undefined if there are none. */
export function describeGone({ baseline }: BaselineFile, { files, ran }: CheckResults): string | undefined {
  const count = baseline.countGone((rule, file) => ran.has(rule) && files.has(file));
  if (count === 0) return undefined;
  const [occur, them] = count === 1 ? ["occurs", "it"] : ["occur", "them"];
  return `httpd-lint: ${count} ${pluralize("finding", count)} in the baseline no longer ${occur}; remove ${them} with --update-baseline`;
}

const checkNames: ReadonlySet<string> = listCheckNames(allRules);

/** Returns the attributes of a file that this process creates. */
export function createFileAttributes() {
  return { mode: 0o666 & ~process.umask(), uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
}

function countFindings(known: readonly KnownFinding[]): string {
  const count = known.reduce((sum, each) => sum + each.count, 0);
  return `${count} ${pluralize("finding", count)}`;
}
