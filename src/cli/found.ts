import type { Finding } from "../engine/finding.js";
import type { IgnoredFinding } from "../engine/ignores.js";
import type { LintResult } from "../engine/lint.js";
import type { Linted } from "../linted.js";
import type { FileAccess } from "../project/files.js";
import type { Project } from "../project/project.js";
import type { LoadAs } from "./reading.js";

/** What several analyses found together. */
export interface Found {
  readonly findings: Finding[];
  readonly ignored: IgnoredFinding[];
  /** The files read, by real path, with their number of lines. */
  readonly files: Map<string, number>;
  readonly linted: LintedPath[];
  /** What was read, where somebody asks what it includes. */
  readonly read: { readonly project: Project; readonly access: FileAccess }[];
  /** The rules that ran. */
  readonly ran: Set<string>;
  readonly notes: Set<string>;
  /** Fragments that were checked on their own, each with the servers that do not read it. */
  readonly alone: Map<string, readonly string[]>;
  /** Templates that were skipped. */
  readonly templates: Set<string>;
}

/** A configuration as it was analysed, and how it was read. */
export interface LintedPath {
  readonly linted: Linted;
  readonly access: FileAccess;
  readonly loadAs: LoadAs;
}

/** What that is ahead of the first of them. */
export function nothingFound(): Found {
  return {
    ...{ findings: [], ignored: [], files: new Map(), linted: [], read: [], ran: new Set(), notes: new Set() },
    ...{ alone: new Map(), templates: new Set() },
  };
}

/** Adds what was found in a configuration that has some files, at those that were asked for. */
export function gather(
  { findings, ignored }: Pick<LintResult, "findings" | "ignored">,
  files: ReadonlyMap<string, number>,
  only: ReadonlySet<string> | undefined,
  found: Found,
): void {
  for (const finding of findings) found.findings.push(finding);
  for (const finding of ignored) found.ignored.push(finding);
  for (const [path, lines] of files) if (only === undefined || only.has(path)) found.files.set(path, lines);
}
