import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Examined } from "../engine/lint.js";
import { Answers, type OwnFile, sameAnswers, sum } from "../kept/answers.js";
import { type KeptBy, type KeptResult, printKept, readKept } from "../kept/file.js";
import { foundAgain, keptFindings } from "../kept/findings.js";
import { readFound } from "../project/file-content.js";
import type { FileAccess } from "../project/files.js";
import { realPathOf } from "../project/main-files.js";
import type { EntryKind, Project } from "../project/project.js";
import { fromReadable, toReadable } from "../text/source.js";
import { version } from "../version.js";
import { diskFileSystem } from "../writing/file-system.js";
import { lineThatIncludes } from "../writing/include-lines.js";
import { replaceFile } from "../writing/replace.js";
import { shortPath } from "./settings.js";

/** The file that results are kept in where none is named. */
export const CACHE_FILE = ".httpd-lint-cache";

/** So many results are kept; of more, the oldest go. */
const MOST_KEPT = 100;

/** What is known of a configuration, with what was found in it. */
export interface KnownResult {
  readonly kind: EntryKind;
  /** By real path, with their number of lines. */
  readonly files: ReadonlyMap<string, number>;
  readonly notes: readonly string[];
  readonly examined: Examined;
}

/** Results that are kept in a file from run to run. Whatever is wrong with it is a note: a cache is never needed. */
export class KeptResults {
  readonly notes: string[] = [];
  private readonly results: ReadonlyMap<string, KeptResult>;
  private readonly own: OwnFile;
  /** What was kept now. */
  private readonly fresh = new Map<string, KeptResult>();
  private isRefused = false;

  private constructor(
    private readonly by: KeptBy,
    private readonly confine: string | undefined,
  ) {
    this.own = { directory: dirname(by.path), name: fromReadable(basename(by.path)) };
    this.results = new Map(this.read().map((result) => [result.key, result]));
  }

  /** Opens the file, there or not. @param confine where it must lie */
  static in(file: string, confine?: string): KeptResults {
    const named = resolve(file);
    const path = realPathOf(named) ?? join(realPathOf(dirname(named)) ?? dirname(named), basename(named));
    return new KeptResults({ program: programIdentity(), path }, confine);
  }

  /** Notes what an analysis asks of files. */
  answers(): Answers {
    return new Answers(this.own);
  }

  /** What is known of a configuration, where files answer as they did. */
  find(key: string, access: FileAccess): KnownResult | undefined {
    const result = this.fresh.get(key) ?? this.results.get(key);
    const sources = result && sameAnswers(result.answers, this.own, access);
    const examined = sources && foundAgain(result.found, sources);
    return examined && { ...result, files: new Map(result.files), examined };
  }

  /** Keeps what was found, where it can be had again from the same files. */
  keep(
    key: string,
    answers: Answers,
    project: Project,
    access: FileAccess,
    { kind, files, notes, examined }: KnownResult,
  ): void {
    const found = keptFindings(examined, (file) => answers.hasRead(file));
    const asked = answers.kept();
    if (found === undefined || asked === undefined || this.isLoadedBy(project, access)) return;
    this.fresh.set(key, { key, answers: asked, kind, files: [...files], notes, found });
  }

  /** Writes what is kept, whole or not at all, beside what other processes have kept there meanwhile. */
  save(): void {
    if (this.fresh.size === 0 || this.isRefused) return;
    const { path } = this.by;
    const there = this.keptNow().filter(({ key }) => !this.fresh.has(key));
    const text = printKept(this.by, [...there, ...this.fresh.values()].slice(-MOST_KEPT));
    // It quotes the configuration: it is its owner's alone.
    const attributes = { mode: 0o600, uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
    const failed = replaceFile(path, fromReadable(text), temporaryOf(path), attributes, diskFileSystem);
    if (failed) this.notes.push(`httpd-lint: the cache cannot be kept: ${failed.failed.message}`);
  }

  private keptNow(): readonly KeptResult[] {
    const content = readFound(this.by.path, this.confine);
    const read = "text" in content ? readKept(toReadable(content.text), this.by) : content;
    return "failed" in read ? [] : read;
  }

  private read(): readonly KeptResult[] {
    const { path } = this.by;
    const content = readFound(path, this.confine);
    if ("failed" in content) {
      if (content.isAbsent) return [];
      this.isRefused = true;
      this.notes.push(`httpd-lint: the cache \`${shortPath(path)}\` is passed over, since it cannot be read`);
      return [];
    }
    const read = readKept(toReadable(content.text), this.by);
    if (!("failed" in read)) return read;
    this.isRefused = read.isForeign === true;
    const after = this.isRefused ? "it is left as it is; name another with --cache-location" : "it is written anew";
    this.notes.push(`httpd-lint: the cache \`${shortPath(path)}\` is passed over, since ${read.failed}; ${after}`);
    return [];
  }

  private isLoadedBy(project: Project, access: FileAccess): boolean {
    const { path } = this.by;
    const line = lineThatIncludes(path, project, access) ?? lineThatIncludes(temporaryOf(path), project, access);
    if (line === undefined) return false;
    if (!this.isRefused)
      this.notes.push(
        `httpd-lint: the cache \`${shortPath(path)}\` is not kept: ${line} would load it as configuration; name one elsewhere with --cache-location`,
      );
    this.isRefused = true;
    return true;
  }
}

function temporaryOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

/** This program to the letter: one that was built anew may find something else. */
function programIdentity(): string {
  const { size, mtimeMs } = statSync(fileURLToPath(import.meta.url));
  return `${version} ${size} ${mtimeMs}`;
}

/**
 * What tells a way to analyse a configuration from others.
 *
 * @param asked plain values and maps; functions and files are none of it
 */
export function keyOf(asked: Readonly<Record<string, unknown>>): string {
  return sum(JSON.stringify(asked, (_, value: unknown) => (value instanceof Map ? [...value] : value)));
}
