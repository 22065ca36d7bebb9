import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type CacheEntry, type CacheOwner, parseCacheFile, renderCacheFile } from "../../cache/cache-file.js";
import { type CacheFileLocation, checksum, DependencyRecorder, revalidate } from "../../cache/dependency-recorder.js";
import { deserializeFindings, serializeFindings } from "../../cache/serialized-findings.js";
import type { RawLintResult } from "../../engine/run-rules.js";
import { version } from "../../linter/package-files.js";
import { realPathOf } from "../../project/discovery/main-files.js";
import type { FileAccess } from "../../project/files/file-access.js";
import { readFoundFile } from "../../project/files/file-content.js";
import type { EntryKind, Project } from "../../project/model/project.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { replaceFile } from "../../transaction/atomic-write.js";
import { diskFileSystem } from "../../transaction/file-system.js";
import { findLineIncluding } from "../../transaction/include-lines.js";
import { shortenPath } from "../inputs/project-settings.js";

/** The file that results are kept in where none is named. */
export const CACHE_FILE = ".httpd-lint-cache";

/** So many results are kept; of more, the oldest go. */
const MAX_CACHED_RESULTS = 100;

/** What is known of a configuration, with what was found in it. */
export interface CachedResult {
  readonly kind: EntryKind;
  /** By real path, with their number of lines. */
  readonly files: ReadonlyMap<string, number>;
  readonly notes: readonly string[];
  readonly examined: RawLintResult;
}

/** Results that are kept in a file from run to run. Whatever is wrong with it is a note: a cache is never needed. */
export class ResultCache {
  readonly notes: string[] = [];
  private readonly results: ReadonlyMap<string, CacheEntry>;
  private readonly own: CacheFileLocation;
  /** What was kept now. */
  private readonly fresh = new Map<string, CacheEntry>();
  private isReadOnly = false;

  private constructor(
    private readonly by: CacheOwner,
    private readonly confine: string | undefined,
  ) {
    this.own = { directory: dirname(by.path), name: fromReadable(basename(by.path)) };
    this.results = new Map(this.read().map((result) => [result.key, result]));
  }

  /** Opens the file, there or not. @param confine where it must lie */
  static open(file: string, confine?: string): ResultCache {
    const named = resolve(file);
    const path = realPathOf(named) ?? join(realPathOf(dirname(named)) ?? dirname(named), basename(named));
    return new ResultCache({ program: identifyProgram(), path }, confine);
  }

  /** Notes what an analysis asks of files. */
  createRecorder(): DependencyRecorder {
    return new DependencyRecorder(this.own);
  }

  /** What is known of a configuration, where files answer as they did. */
  find(key: string, access: FileAccess): CachedResult | undefined {
    const result = this.fresh.get(key) ?? this.results.get(key);
    const sources = result && revalidate(result.answers, this.own, access);
    const examined = sources && deserializeFindings(result.found, sources);
    return examined && { ...result, files: new Map(result.files), examined };
  }

  /** Keeps what was found, where it can be had again from the same files. */
  store(
    key: string,
    answers: DependencyRecorder,
    project: Project,
    access: FileAccess,
    { kind, files, notes, examined }: CachedResult,
  ): void {
    const found = serializeFindings(examined, (file) => answers.hasRead(file));
    const asked = answers.recorded();
    if (found === undefined || asked === undefined || this.isLoadedBy(project, access)) return;
    this.fresh.set(key, { key, answers: asked, kind, files: [...files], notes, found });
  }

  /** Writes what is kept, whole or not at all, beside what other processes have kept there meanwhile. */
  save(): void {
    if (this.fresh.size === 0 || this.isReadOnly) return;
    const { path } = this.by;
    const there = this.mergedEntries().filter(({ key }) => !this.fresh.has(key));
    const text = renderCacheFile(this.by, [...there, ...this.fresh.values()].slice(-MAX_CACHED_RESULTS));
    // It quotes the configuration: it is its owner's alone.
    const attributes = { mode: 0o600, uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
    const failed = replaceFile(path, fromReadable(text), temporaryOf(path), attributes, diskFileSystem);
    if (failed) this.notes.push(`httpd-lint: the cache cannot be kept: ${failed.failed.message}`);
  }

  private mergedEntries(): readonly CacheEntry[] {
    const content = readFoundFile(this.by.path, this.confine);
    const read = "text" in content ? parseCacheFile(toReadable(content.text), this.by) : content;
    return "failed" in read ? [] : read;
  }

  private read(): readonly CacheEntry[] {
    const { path } = this.by;
    const content = readFoundFile(path, this.confine);
    if ("failed" in content) {
      if (content.isAbsent) return [];
      this.isReadOnly = true;
      this.notes.push(`httpd-lint: the cache \`${shortenPath(path)}\` is passed over, since it cannot be read`);
      return [];
    }
    const read = parseCacheFile(toReadable(content.text), this.by);
    if (!("failed" in read)) return read;
    this.isReadOnly = read.isForeign === true;
    const after = this.isReadOnly ? "it is left as it is; name another with --cache-location" : "it is written anew";
    this.notes.push(`httpd-lint: the cache \`${shortenPath(path)}\` is passed over, since ${read.failed}; ${after}`);
    return [];
  }

  private isLoadedBy(project: Project, access: FileAccess): boolean {
    const { path } = this.by;
    const line = findLineIncluding(path, project, access) ?? findLineIncluding(temporaryOf(path), project, access);
    if (line === undefined) return false;
    if (!this.isReadOnly)
      this.notes.push(
        `httpd-lint: the cache \`${shortenPath(path)}\` is not kept: ${line} would load it as configuration; name one elsewhere with --cache-location`,
      );
    this.isReadOnly = true;
    return true;
  }
}

function temporaryOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

/** This program to the letter: one that was built anew may find something else. */
function identifyProgram(): string {
  const { size, mtimeMs } = statSync(fileURLToPath(import.meta.url));
  return `${version} ${size} ${mtimeMs}`;
}

/**
 * What tells a way to analyse a configuration from others.
 *
 * @param asked plain values and maps; functions and files are none of it
 */
export function computeCacheKey(asked: Readonly<Record<string, unknown>>): string {
  return checksum(JSON.stringify(asked, (_, value: unknown) => (value instanceof Map ? [...value] : value)));
}
