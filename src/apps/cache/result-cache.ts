import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { FileAccess } from "../../config/files/file-access.js";
import { readFoundFile } from "../../config/files/file-content.js";
import { realPathOf } from "../../config/main-files.js";
import type { Project } from "../../config/model/project.js";
import { numberFiles, restoreFiles } from "../../lint/finding-files.js";
import { fromReadable, toReadable } from "../../text/source.js";
import type { UnitFindings } from "../cli/check/lint-unit.js";
import { replaceFile } from "../file-changes/atomic-write.js";
import { diskFileSystem } from "../file-changes/file-system.js";
import { findLineIncluding } from "../file-changes/include-lines.js";
import { version } from "../package-files.js";
import { findProgram } from "../shipped-files.js";
import { shortenPath } from "../short-path.js";
import { type CacheEntry, type CacheOwner, parseCacheFile, renderCacheFile } from "./cache-file.js";
import { type CacheFileLocation, DependencyRecorder, revalidate } from "./dependency-recorder.js";

/** The default cache file. */
export const CACHE_FILE = ".httpd-lint-cache";

/** Maximum number of cached results; the oldest are evicted. */
const MAX_CACHED_RESULTS = 100;

/** Results cached in a file across runs. Errors in the file only produce notes: a cache is never required. */
export class ResultCache {
  readonly notes: string[] = [];
  private readonly results: ReadonlyMap<string, CacheEntry>;
  private readonly own: CacheFileLocation;
  /** Results added in this run. */
  private readonly fresh = new Map<string, CacheEntry>();
  private isReadOnly = false;

  private constructor(
    private readonly by: CacheOwner,
    private readonly confine: string | undefined,
  ) {
    this.own = { directory: dirname(by.path), name: fromReadable(basename(by.path)) };
    this.results = new Map(this.read().map((result) => [result.key, result]));
  }

  /** Opens the cache file, existing or not. @param confine the directory that it must be in */
  static open(file: string, confine?: string): ResultCache {
    const named = resolve(file);
    const path = realPathOf(named) ?? join(realPathOf(dirname(named)) ?? dirname(named), basename(named));
    return new ResultCache({ program: identifyProgram(), path }, confine);
  }

  /** Creates a recorder for the file queries of a unit. */
  createRecorder(): DependencyRecorder {
    return new DependencyRecorder(this.own);
  }

  /** Returns the cached findings of a unit if all file queries still return the same. */
  find(key: string, access: FileAccess): UnitFindings | undefined {
    const result = this.fresh.get(key) ?? this.results.get(key);
    const sources = result && revalidate(result.answers, this.own, access);
    const found = sources && restoreFiles(result.found, sources);
    return found && { ...result, files: new Map(result.files), found, isComplete: true };
  }

  /** Caches a result if it is complete, and reproducible from the same files. */
  store(key: string, answers: DependencyRecorder, access: FileAccess, result: UnitFindings): void {
    const { kind, files, notes, isUpgraded, skipped, project, isComplete } = result;
    if (!isComplete || project === undefined) return;
    const found = numberFiles(result.found, (file) => answers.hasRead(file));
    const recorded = answers.recorded();
    if (found === undefined || recorded === undefined || this.isLoadedBy(project, access)) return;
    this.fresh.set(key, { key, answers: recorded, kind, files: [...files], notes, isUpgraded, skipped, found });
  }

  /** Writes the cache atomically, together with entries that other processes have added meanwhile. */
  save(): void {
    if (this.fresh.size === 0 || this.isReadOnly) return;
    const { path } = this.by;
    const there = this.mergedEntries().filter(({ key }) => !this.fresh.has(key));
    const text = renderCacheFile(this.by, [...there, ...this.fresh.values()].slice(-MAX_CACHED_RESULTS));
    // It quotes the configuration, so only its owner may read it.
    const attributes = { mode: 0o600, uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
    const failed = replaceFile(path, fromReadable(text), temporaryOf(path), attributes, diskFileSystem);
    if (failed) this.notes.push(`httpd-lint: the cache cannot be written: ${failed.message}`);
  }

  private mergedEntries(): readonly CacheEntry[] {
    const content = readFoundFile(this.by.path, this.confine);
    if (!content.ok) return [];
    const read = parseCacheFile(toReadable(content.value.text), this.by);
    return read.ok ? read.value : [];
  }

  private read(): readonly CacheEntry[] {
    const { path } = this.by;
    const content = readFoundFile(path, this.confine);
    if (!content.ok) {
      if (content.error.isAbsent) return [];
      this.isReadOnly = true;
      this.notes.push(`httpd-lint: the cache \`${shortenPath(path)}\` is ignored, because it cannot be read`);
      return [];
    }
    const read = parseCacheFile(toReadable(content.value.text), this.by);
    if (read.ok) return read.value;
    const { reason, isForeign } = read.error;
    this.isReadOnly = isForeign === true;
    const after = this.isReadOnly ? "name another file with --cache-location" : "it is replaced";
    this.notes.push(`httpd-lint: the cache \`${shortenPath(path)}\` is ignored, because ${reason}; ${after}`);
    return [];
  }

  private isLoadedBy({ read }: Project, access: FileAccess): boolean {
    const { path } = this.by;
    const line = findLineIncluding(path, read, access) ?? findLineIncluding(temporaryOf(path), read, access);
    if (line === undefined) return false;
    if (!this.isReadOnly)
      this.notes.push(
        `httpd-lint: the cache \`${shortenPath(path)}\` was not written, because ${line} would load it as configuration; name a file elsewhere with --cache-location`,
      );
    this.isReadOnly = true;
    return true;
  }
}

function temporaryOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

/** Identifies this exact program: a rebuilt one may report different findings. */
function identifyProgram(): string {
  const { size, mtimeMs } = statSync(findProgram());
  return `${version} ${size} ${mtimeMs}`;
}
