import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { realPathOf } from "../../../config/main-files.js";
import { releaseLines } from "../../../facts/release.js";
import type { RejectedFix } from "../../../lint/apply-fixes.js";
import type { Finding } from "../../../lint/finding.js";
import { type FixedConfigurations, fix } from "../../../lint/runner/fix.js";
import type { LintSession } from "../../../lint/runner/lint.js";
import { describeWrittenFiles, formatBinaryPatch } from "../../../report/text/file-changes.js";
import { PlaceResolver } from "../../../report/text/source-places.js";
import { toBytes } from "../../../text/bytes.js";
import { pluralize } from "../../../text/words.js";
import { backupFolderName, defaultBackupDirectoryOf } from "../../file-changes/journal.js";
import { describeChangedRequests } from "../changes/changed-requests.js";
import { describeUnsignedJournal, mainPathOf, writeInPlace } from "../changes/write-in-place.js";
import type { LintedConfiguration } from "../check/check-results.js";
import { isPipePath } from "../inputs/standard-input.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";

export interface FixFlags {
  readonly paths: readonly string[];
  /** The fixes to apply; none if absent. */
  readonly fix?: "safe" | "unsafe" | undefined;
  /** Whether they are shown instead of written. */
  readonly diff: boolean;
  readonly backupDir?: string | undefined;
  readonly exitZero: boolean;
  readonly format: string;
  /** How often `-q` was given. */
  readonly quiet: number;
  /** The columns of the terminal; undefined if standard output is not one. */
  readonly width: number | undefined;
}

/** Reports whether findings are to be fixed, or their fixes shown. */
export function isFixRequested({ fix, diff }: Pick<FixFlags, "fix" | "diff">): boolean {
  return fix !== undefined || diff;
}

/** Returns an error message for incompatible flags. */
export function validateFixFlags(flags: FixFlags & { readonly statistics?: string | undefined }): string | undefined {
  const { backupDir, diff, format, paths, statistics } = flags;
  if (backupDir !== undefined && flags.fix === undefined)
    return "--backup-dir needs --fix: it is the directory for the originals";
  if (!isFixRequested(flags)) return undefined;
  if (diff && (format !== "text" || statistics !== undefined))
    return `--diff shows a patch without findings; omit ${statistics ? "--statistics" : "--format"} or --diff`;
  if (paths.includes("-") && paths.length > 1)
    return "standard input can only be fixed on its own; omit the other paths";
  const pipe = paths.find(isPipePath);
  if (pipe !== undefined && !diff) return `--fix cannot change the pipe \`${pipe}\`; name the file, or use --diff`;
  const [word] = paths.filter((path) => path === "safe" || path === "unsafe");
  if (word === undefined || statSync(word, { throwIfNoEntry: false })) return undefined;
  return `the path \`${word}\` does not exist; did you mean --fix=${word}?`;
}

/** The state after fixes are applied. */
export interface FixResult {
  readonly linted: readonly LintSession[];
  readonly notes: readonly string[];
  /** The fixed standard input; undefined if files were fixed. */
  readonly text: Buffer | undefined;
  /** The changes of the files as a patch, for a terminal. */
  readonly patch?: readonly Buffer[];
}

/**
 * Applies the fixes of the findings and writes the files, all or none.
 *
 * @param isWanted which findings are fixed
 * @param input the path that standard input represents
 * @returns the fixed configurations, or the outcome if nothing remains to report
 */
export function fixFindings(
  all: readonly LintedConfiguration[],
  flags: FixFlags,
  isWanted: (finding: Finding) => boolean,
  input: string | undefined,
): FixResult | CommandResult {
  const linted = all.map((each) => each.linted);
  const path = input && (realPathOf(input) ?? input);
  const requested = path === undefined ? new Set(linted.flatMap((each) => [...each.requestedFiles])) : new Set([path]);
  const safety = flags.fix ?? "safe";
  const { fixed, applied, rejected, remaining } = fix(linted, {
    safety,
    isWanted,
    mayChange: (each) => requested.has(each),
  });
  const closingNotes = [
    ...describeRejectedFixes(rejected),
    ...describeUnfinished(remaining),
    ...describeUnsafeFixes(fixed, safety, isWanted),
    ...(safety === "unsafe" ? describeChangedRequests(linted, fixed.linted, fixed.applied) : []),
  ];
  if (flags.diff) return renderPatch(fixed, linted, applied, closingNotes, flags);
  const count =
    applied === 0 ? "httpd-lint: nothing was fixed" : `httpd-lint: ${applied} ${pluralize("fix", applied)} applied`;
  if (path !== undefined) {
    const [text = ""] = [fixed.texts.get(path) ?? collectTexts(linted).get(path)];
    return { linted: fixed.linted, notes: [count, ...closingNotes], text: toBytes(text) };
  }
  const changes = collectChanges(fixed, linted);
  if (changes.length === 0) return { linted: fixed.linted, notes: [count, ...closingNotes], text: undefined };
  const patch = showsChanges(flags) ? formatPatch(changes) : [];
  const written = writeInPlace(changes, chooseFixBackupDirectory(linted, flags), releaseReadingsOf(all));
  if (!written.ok) return createFailure(exitCodes.unreadable, written.error.message);
  const notes = [...describeWrittenFiles(written.value), ...describeUnsignedJournal(written.value)].map(
    (note) => `httpd-lint: ${note}`,
  );
  return { linted: fixed.linted, notes: [count, ...notes, ...closingNotes], text: undefined, patch };
}

/** Returns the changes as a patch without writing them. */
function renderPatch(
  fixed: FixedConfigurations,
  linted: readonly LintSession[],
  applied: number,
  closingNotes: readonly string[],
  flags: FixFlags,
): CommandResult {
  const changes = collectChanges(fixed, linted);
  const fixes = `${applied} ${pluralize("fix", applied)} would be applied to ${changes.length} ${pluralize("file", changes.length)}`;
  const count = `httpd-lint: ${applied === 0 ? "nothing would be fixed" : fixes}`;
  return {
    output: formatPatch(changes),
    notes: [count, ...closingNotes],
    exitCode: changes.length > 0 && !flags.exitZero ? exitCodes.findings : exitCodes.clean,
  };
}

/** Reports whether `--fix` shows what it changes: to a person at a terminal. */
function showsChanges({ format, quiet, width }: FixFlags): boolean {
  return width !== undefined && quiet === 0 && format === "text";
}

function formatPatch(changes: ReturnType<typeof collectChanges>): readonly Buffer[] {
  const places = new PlaceResolver(process.cwd());
  return changes.map(({ path, before, after }) => toBytes(formatBinaryPatch(places.patchPath(path), before, after)));
}

function collectTexts(linted: readonly LintSession[]): ReadonlyMap<string, string> {
  const sources = linted.flatMap(({ project }) => [...project.files.values()].map(({ source }) => source));
  return new Map(sources.map(({ realPath, text }) => [realPath, text]));
}

/** Returns the files whose contents changed. */
function collectChanges({ texts }: FixedConfigurations, linted: readonly LintSession[]) {
  const before = collectTexts(linted);
  return [...texts]
    .map(([path, after]) => ({ path, before: before.get(path) ?? "", after }))
    .filter((change) => change.before !== change.after)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Returns the backup directory: next to the main file. Without a main file it is in the home directory, because a
 * fragment is among files that are loaded or served.
 */
function chooseFixBackupDirectory(linted: readonly LintSession[], { backupDir }: FixFlags): string {
  if (backupDir !== undefined) return resolve(backupDir);
  const server = linted.find(({ project }) => project.kind === "server");
  return server === undefined
    ? join(homedir(), backupFolderName)
    : defaultBackupDirectoryOf(mainPathOf(server.project));
}

/** Returns the configurations as read by each release. */
function releaseReadingsOf(all: readonly LintedConfiguration[]) {
  return all.flatMap(({ linted: { project }, loadAs }) =>
    releaseLines.map((release) => ({
      entry: project.entry,
      load: { ...loadAs(release), kind: project.kind },
    })),
  );
}

/** Maximum number of reasons for rejected fixes in notes. */
const MAX_REJECTION_NOTES = 5;

/** Reports fixes rejected for the same reason once. */
function describeRejectedFixes(rejected: readonly RejectedFix[]): readonly string[] {
  const places = new PlaceResolver(process.cwd());
  const groups = new Map<string, RejectedFix[]>();
  for (const each of rejected) {
    const key = `${each.finding.rule} ${each.why}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const all = [...groups.values()];
  const left = all.slice(MAX_REJECTION_NOTES).flat().length;
  const notes = all.slice(0, MAX_REJECTION_NOTES).flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { finding, why } = first;
    const { line, column } = places.start(places.place(finding.span));
    const more =
      others.length === 0
        ? ""
        : `; ${others.length} ${others.length === 1 ? "other was" : "others were"} rejected for the same reason`;
    return `httpd-lint: ${places.path(finding.span.file)}:${line}:${column}: the fix of \`${finding.rule}\` was not applied: ${why}${more}`;
  });
  return left === 0
    ? notes
    : [...notes, `httpd-lint: ${left} more ${left === 1 ? "fix was" : "fixes were"} not applied`];
}

function describeUnfinished(unfinished: readonly Finding[]): readonly string[] {
  return unfinished.length === 0
    ? []
    : [
        `httpd-lint: ${unfinished.length} ${unfinished.length === 1 ? "fix remains" : "fixes remain"} after ten passes; run it again`,
      ];
}

function describeUnsafeFixes(
  { linted }: FixedConfigurations,
  safety: "safe" | "unsafe",
  isWanted: (finding: Finding) => boolean,
): readonly string[] {
  if (safety === "unsafe") return [];
  const unsafe = linted
    .flatMap(({ result }) => result.findings)
    .filter((each) => each.fix?.safety === "unsafe" && isWanted(each));
  if (unsafe.length === 0) return [];
  const fixes = `${unsafe.length} more ${pluralize("fix", unsafe.length)}`;
  const them = unsafe.length === 1 ? "it" : "them";
  return [
    `httpd-lint: ${fixes} may change what the server does; --diff --fix=unsafe shows ${them}, and --fix=unsafe applies ${them}`,
  ];
}
