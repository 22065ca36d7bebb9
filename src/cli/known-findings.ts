import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Baseline, type KnownFinding, printBaseline } from "../baseline/baseline.js";
import { readBaseline } from "../baseline/read.js";
import { codeOf, diskFileSystem } from "../writing/file-system.js";
import { lineThatIncludes } from "../writing/include-lines.js";
import { replaceFile } from "../writing/replace.js";
import type { Found } from "./analyses.js";
import { exitCodes } from "./exit-codes.js";
import { failure, type Outcome } from "./outcome.js";
import { shortPath } from "./settings.js";
import { realPathOf } from "./targets.js";

type Failed = { readonly failed: Outcome };

/** A baseline in its file. */
export interface BaselineFile {
  /** With links resolved. */
  readonly path: string;
  readonly baseline: Baseline;
}

/**
 * Reads a baseline.
 *
 * @param mayBeMissing it is about to be written
 */
export function openBaseline(file: string, mayBeMissing: boolean): BaselineFile | Failed {
  const named = resolve(file);
  const path = realPathOf(named) ?? join(realPathOf(dirname(named)) ?? dirname(named), basename(named));
  const read = knownIn(path, mayBeMissing);
  return "failed" in read ? read : { path, baseline: new Baseline(read.known, dirname(path)) };
}

function knownIn(path: string, mayBeMissing: boolean): { readonly known: readonly KnownFinding[] } | Failed {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const isMissing = codeOf(error) === "ENOENT";
    if (isMissing && mayBeMissing) return { known: [] };
    const why = isMissing ? "is not there; --update-baseline writes it" : "cannot be read";
    return { failed: failure(exitCodes.unreadable, `the baseline \`${shortPath(path)}\` ${why}`) };
  }
  const read = readBaseline(text);
  if ("known" in read) return read;
  const message = `the baseline \`${shortPath(path)}\` cannot be taken, and is left as it is: ${read.failed}; mend it, or move it away and write it anew with --update-baseline`;
  return { failed: failure(exitCodes.usage, message) };
}

/**
 * Writes what is known from now on, where no Include of the servers that were read would load it.
 *
 * @returns what was done, for the user
 */
export function updateBaseline(
  { path, baseline }: BaselineFile,
  { linted, files, ran }: Found,
  isRule: (id: string) => boolean,
): { readonly note: string } | Failed {
  const temporary = `${path}.${process.pid}.tmp`;
  for (const {
    linted: { project },
    access,
  } of linted) {
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
