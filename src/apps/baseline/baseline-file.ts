import { basename, dirname, join, resolve } from "node:path";
import * as z from "zod/mini";
import { diskAccess } from "../../config/files/disk.js";
import { realPathOf } from "../../config/main-files.js";
import type { Result } from "../../text/result.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { BASELINE_VERSION, Baseline, type KnownFinding } from "./baseline.js";

/** A baseline and its file. */
export interface BaselineFile {
  /** With links resolved. */
  readonly path: string;
  readonly baseline: Baseline;
}

/** An error in the content of a baseline, with its words as a clause. */
export interface BaselineMistake {
  readonly code: "not-json" | "merge-conflict" | "other-version" | "not-a-baseline";
  readonly message: string;
}

/** Why a baseline cannot be used, with the words as a clause. */
export interface BaselineFailure {
  readonly code: "missing" | "unreadable" | BaselineMistake["code"];
  readonly path: string;
  readonly message: string;
}

/** Reads a baseline. @param confine the directory that it must be in */
export function readBaselineFile(file: string, confine?: string): Result<BaselineFile, BaselineFailure> {
  const path = resolveBaselinePath(file);
  const content = diskAccess(confine === undefined ? {} : { confine }).read(fromReadable(path));
  if (!content.ok)
    return {
      ok: false,
      error: { code: content.error.isAbsent ? "missing" : "unreadable", path, message: content.error.message },
    };
  const read = readBaseline(toReadable(content.value.text));
  if (!read.ok) return { ok: false, error: { path, ...read.error } };
  return { ok: true, value: { path, baseline: new Baseline(read.value, dirname(path)) } };
}

/** Returns the path of a baseline, existing or not, with links resolved. */
function resolveBaselinePath(file: string): string {
  const named = resolve(file);
  return realPathOf(named) ?? join(realPathOf(dirname(named)) ?? dirname(named), basename(named));
}

const baselineShape = z.object({
  version: z.literal(BASELINE_VERSION),
  findings: z.array(z.unknown()),
});

const findingShape = z.object({
  rule: z.string(),
  path: z.string(),
  line: z.string(),
  fingerprint: z.string(),
  count: z.int().check(z.positive()),
});

/** Parses a baseline, or returns its first error. */
export function readBaseline(text: string): Result<readonly KnownFinding[], BaselineMistake> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const error: BaselineMistake = /^<{7}/m.test(text)
      ? { code: "merge-conflict", message: "it is not valid JSON: it has the markers of a merge conflict" }
      : { code: "not-json", message: "it is not valid JSON" };
    return { ok: false, error };
  }
  const read = baselineShape.safeParse(value);
  if (read.success) return parseFindings(read.data.findings);
  const version = z.object({ version: z.number() }).safeParse(value);
  if (version.success && version.data.version !== BASELINE_VERSION)
    return {
      ok: false,
      error: {
        code: "other-version",
        message: `it has version ${version.data.version}, but this httpd-lint reads version ${BASELINE_VERSION}`,
      },
    };
  return { ok: false, error: createMistakeAt(read.error.issues[0]?.path ?? []) };
}

/**
 * Validates the findings one by one, up to the first error: the issues of a fully invalid file would overflow the
 * stack.
 */
function parseFindings(findings: readonly unknown[]): ReturnType<typeof readBaseline> {
  const known: KnownFinding[] = [];
  for (const [index, each] of findings.entries()) {
    const read = findingShape.safeParse(each);
    if (!read.success)
      return { ok: false, error: createMistakeAt(["findings", index, ...(read.error.issues[0]?.path ?? [])]) };
    known.push(read.data);
  }
  return { ok: true, value: known };
}

function createMistakeAt(path: readonly PropertyKey[]): BaselineMistake {
  const message = `it is not a baseline of httpd-lint: \`${path.join(".") || "version"}\` is missing or invalid`;
  return { code: "not-a-baseline", message };
}
