import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Finding } from "../engine/finding.js";
import type { HeldBack } from "../engine/fix-passes.js";
import { type Fixed, fix } from "../fix.js";
import type { Linted } from "../linted.js";
import { realPathOf } from "../project/main-files.js";
import { binaryPatch } from "../report/patch.js";
import { Places } from "../report/places.js";
import { writtenNotes } from "../report/written-notes.js";
import { toBytes } from "../text/bytes.js";
import { defaultBackupDirectory, placeName } from "../writing/place.js";
import { exitCodes } from "./exit-codes.js";
import type { LintedPath } from "./found.js";
import { mainPathOf, putInPlace, unsignedNotes } from "./in-place.js";
import { failure, type Outcome } from "./outcome.js";

export interface FixFlags {
  readonly paths: readonly string[];
  /** Which fixes are applied; none where absent. */
  readonly fix?: "safe" | "unsafe" | undefined;
  /** Whether they are shown in place of being written. */
  readonly diff: boolean;
  readonly backupDir?: string | undefined;
  readonly exitZero: boolean;
}

/** Whether findings are to be fixed, or shown as they would be. */
export function wantsFixes({ fix, diff }: Pick<FixFlags, "fix" | "diff">): boolean {
  return fix !== undefined || diff;
}

/** What of the flags does not go together, in words. */
export function wrongFixFlags(
  flags: FixFlags & { readonly format: string; readonly statistics: boolean },
): string | undefined {
  const { backupDir, diff, format, paths, statistics } = flags;
  if (backupDir !== undefined && flags.fix === undefined)
    return "--backup-dir is for --fix: it says where the old texts are kept";
  if (!wantsFixes(flags)) return undefined;
  if (diff && (format !== "text" || statistics))
    return `--diff shows a patch and no findings; leave ${statistics ? "--statistics" : "--format"} out, or --diff`;
  if (paths.includes("-") && paths.length > 1) return "standard input is fixed by itself; leave the other paths out";
  const [word] = paths.filter((path) => path === "safe" || path === "unsafe");
  if (word === undefined || statSync(word, { throwIfNoEntry: false })) return undefined;
  return `there is no path \`${word}\`; which fixes are applied is said in one word: --fix=${word}`;
}

/** What is there once fixes are applied. */
export interface FixedFiles {
  readonly linted: readonly Linted[];
  readonly notes: readonly string[];
  /** Standard input as it is now; undefined where files were fixed. */
  readonly text: Buffer | undefined;
}

/**
 * Applies the fixes of what was found, and writes the files, all or none.
 *
 * @param isWanted which findings are fixed
 * @param input the path that standard input stands for
 * @returns the configurations as they are now; or the outcome where nothing is left to be told
 */
export function fixFindings(
  all: readonly LintedPath[],
  flags: FixFlags,
  isWanted: (finding: Finding) => boolean,
  input: string | undefined,
): FixedFiles | Outcome {
  const linted = all.map((each) => each.linted);
  const path = input && (realPathOf(input) ?? input);
  const asked = path === undefined ? new Set(linted.flatMap((each) => [...each.asked])) : new Set([path]);
  const safety = flags.fix ?? "safe";
  const { fixed, applied, heldBack, unfinished } = fix(linted, {
    safety,
    isWanted,
    mayChange: (each) => asked.has(each),
  });
  const told = [...heldNotes(heldBack), ...unfinishedNotes(unfinished), ...unsafeNotes(fixed, safety, isWanted)];
  if (flags.diff) return shown(fixed, linted, applied, told, flags);
  const count =
    applied === 0 ? "httpd-lint: nothing was fixed" : `httpd-lint: ${counted(applied, "fix", "fixes")} applied`;
  if (path !== undefined) {
    const [text = ""] = [fixed.texts.get(path) ?? textsIn(linted).get(path)];
    return { linted: fixed.linted, notes: [count, ...told], text: toBytes(text) };
  }
  const changes = changesOf(fixed, linted);
  if (changes.length === 0) return { linted: fixed.linted, notes: [count, ...told], text: undefined };
  const written = putInPlace(changes, backupDirectory(linted, flags), readingsOf(all));
  if ("failed" in written) return failure(exitCodes.unreadable, written.failed.message);
  const notes = [...writtenNotes(written), ...unsignedNotes(written)].map((note) => `httpd-lint: ${note}`);
  return { linted: fixed.linted, notes: [count, ...notes, ...told], text: undefined };
}

/** The change as a patch; nothing is written. */
function shown(
  fixed: Fixed,
  linted: readonly Linted[],
  applied: number,
  told: readonly string[],
  flags: FixFlags,
): Outcome {
  const places = new Places(process.cwd());
  const changes = changesOf(fixed, linted);
  const fixes = `${counted(applied, "fix", "fixes")} would be applied to ${counted(changes.length, "file", "files")}`;
  const count = `httpd-lint: ${applied === 0 ? "nothing would be fixed" : fixes}`;
  return {
    output: changes.map(({ path, before, after }) => toBytes(binaryPatch(places.named(path), before, after))),
    notes: [count, ...told],
    exitCode: changes.length > 0 && !flags.exitZero ? exitCodes.findings : exitCodes.clean,
  };
}

function textsIn(linted: readonly Linted[]): ReadonlyMap<string, string> {
  const sources = linted.flatMap(({ project }) => [...project.files.values()].map(({ source }) => source));
  return new Map(sources.map(({ realPath, text }) => [realPath, text]));
}

/** The files whose text is another now. */
function changesOf({ texts }: Fixed, linted: readonly Linted[]) {
  const before = textsIn(linted);
  return [...texts]
    .map(([path, after]) => ({ path, before: before.get(path) ?? "", after }))
    .filter((change) => change.before !== change.after)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Beside the main file; at home where there is none, since a piece lies among what is loaded or handed out. */
function backupDirectory(linted: readonly Linted[], { backupDir }: FixFlags): string {
  if (backupDir !== undefined) return resolve(backupDir);
  const server = linted.find(({ project }) => project.kind === "server");
  return server === undefined ? join(homedir(), placeName) : defaultBackupDirectory(mainPathOf(server.project));
}

/** The configurations as either release reads them. */
function readingsOf(all: readonly LintedPath[]) {
  return all.flatMap(({ linted: { project }, loadAs }) =>
    (["2.2", "2.4"] as const).map((release) => ({
      entry: project.entry,
      load: { ...loadAs(release), kind: project.kind },
    })),
  );
}

/** Those that are held back for one reason are told of once. */
function heldNotes(heldBack: readonly HeldBack[]): readonly string[] {
  const places = new Places(process.cwd());
  const groups = new Map<string, HeldBack[]>();
  for (const each of heldBack) {
    const key = `${each.finding.rule} ${each.why}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { finding, why } = first;
    const { line, column } = places.start(places.place(finding.span));
    const more = others.length === 0 ? "" : `, and so ${counted(others.length, "other is", "others are")}`;
    return `httpd-lint: ${places.path(finding.span.file)}:${line}:${column}: the fix of \`${finding.rule}\` is held back${more}: ${why}`;
  });
}

function unfinishedNotes(unfinished: readonly Finding[]): readonly string[] {
  return unfinished.length === 0
    ? []
    : [`httpd-lint: ${counted(unfinished.length, "fix is", "fixes are")} left after ten passes; run it again`];
}

function unsafeNotes(
  { linted }: Fixed,
  safety: "safe" | "unsafe",
  isWanted: (finding: Finding) => boolean,
): readonly string[] {
  if (safety === "unsafe") return [];
  const unsafe = linted
    .flatMap(({ result }) => result.findings)
    .filter((each) => each.fix?.safety === "unsafe" && isWanted(each));
  if (unsafe.length === 0) return [];
  const [fixes, them] = unsafe.length === 1 ? ["1 more fix is", "it"] : [`${unsafe.length} more fixes are`, "them"];
  return [
    `httpd-lint: ${fixes} unsafe, so the server may do otherwise than now; --diff --fix=unsafe shows ${them}, and --fix=unsafe applies ${them}`,
  ];
}

function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}
