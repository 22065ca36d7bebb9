import { dirname } from "node:path";
import { Baseline, type KnownFinding, printBaseline } from "../baseline/baseline.js";
import { type BaselineFile, readBaselineFile } from "../baseline/file.js";
import { realPathOf } from "../project/main-files.js";
import { diskFileSystem } from "../writing/file-system.js";
import { lineThatIncludes } from "../writing/include-lines.js";
import { replaceFile } from "../writing/replace.js";
import { exitCodes } from "./exit-codes.js";
import type { Found } from "./found.js";
import { failure, type Outcome } from "./outcome.js";
import { shortPath } from "./settings.js";

type Failed = { readonly failed: Outcome };

/**
 * Reads a baseline.
 *
 * @param mayBeMissing it is about to be written
 * @param confine the directory that it must be in
 */
export function openBaseline(file: string, mayBeMissing: boolean, confine?: string): BaselineFile | Failed {
  const read = readBaselineFile(file, confine);
  if ("baseline" in read) return read;
  const { kind, path, why } = read;
  const named = `the baseline \`${shortPath(path)}\``;
  switch (kind) {
    case "missing":
      return mayBeMissing
        ? { path, baseline: new Baseline([], dirname(path)) }
        : { failed: failure(exitCodes.unreadable, `${named} is not there; --update-baseline writes it`) };
    case "unreadable":
      return { failed: failure(exitCodes.unreadable, `${named} cannot be read: ${why}`) };
    case "wrong": {
      const message = `${named} cannot be taken, and is left as it is: ${why}; mend it, or move it away and write it anew with --update-baseline`;
      return { failed: failure(exitCodes.usage, message) };
    }
  }
}

/**
 * Writes what is known from now on, where no Include of the servers that were read would load it.
 *
 * @returns what was done, for the user
 */
export function updateBaseline(
  { path, baseline }: BaselineFile,
  { read, files, ran }: Found,
  isRule: (id: string) => boolean,
): { readonly note: string } | Failed {
  const temporary = `${path}.${process.pid}.tmp`;
  for (const { project, access } of read) {
    const line = lineThatIncludes(path, project, access) ?? lineThatIncludes(temporary, project, access);
    if (line === undefined) continue;
    const message = `the baseline \`${shortPath(path)}\` was not written: ${line} would load it as configuration; put it elsewhere`;
    return { failed: failure(exitCodes.usage, message) };
  }
  // What is gone for good needs no looking for: a rule, or a file.
  const wasLookedFor = (rule: string, file: string) =>
    !isRule(rule) || realPathOf(file) === undefined || (ran.has(rule) && files.has(file));
  const known = baseline.updated(wasLookedFor);
  const text = printBaseline(known);
  if (text === printBaseline(baseline.known))
    return { note: `httpd-lint: \`${shortPath(path)}\` is up to date: ${counted(known)}` };
  const failed = replaceFile(path, text, temporary, ofNewFile(), diskFileSystem);
  if (failed) return { failed: failure(exitCodes.unreadable, failed.failed.message) };
  return { note: `httpd-lint: \`${shortPath(path)}\` written: ${counted(known)}, ${counted(baseline.known)} before` };
}

/** What a file has that this process makes. */
export function ofNewFile() {
  return { mode: 0o666 & ~process.umask(), uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
}

function counted(known: readonly KnownFinding[]): string {
  const count = known.reduce((sum, each) => sum + each.count, 0);
  return count === 1 ? "1 finding" : `${count} findings`;
}
