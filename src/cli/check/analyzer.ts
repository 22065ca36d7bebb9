import { resolve } from "node:path";
import type { Release } from "../../directives/directives.js";
import type { RuleDefinition } from "../../engine/rule.js";
import { applyFilters, type SuppressionFilter } from "../../engine/run-rules.js";
import { findRepositoryServers } from "../../project/discovery/main-file-finder.js";
import { statOf } from "../../project/discovery/main-files.js";
import { isWithin } from "../../project/files/confinement.js";
import type { FileAccess } from "../../project/files/file-access.js";
import { resolveOrKeepPath } from "../../project/files/file-content.js";
import type { EntryKind } from "../../project/model/project.js";
import {
  fragmentContextsOf,
  mainFileOfEntry,
  SETTINGS_FILE,
  type Settings,
  serverSettingsOf,
} from "../../settings/settings.js";
import { fromReadable } from "../../text/source.js";
import type { FolderSearch } from "../discovery/folder-search.js";
import {
  orderDistantServers,
  orderServers,
  type PlacedFile,
  placePaths,
  type ServerCandidate,
} from "../discovery/path-placement.js";
import {
  type ConfigSource,
  growHeapForLargeFiles,
  openConfigSource,
  pickReadingFlags,
} from "../inputs/config-source.js";
import { type InputFlags, mergeReadingFlags } from "../inputs/project-settings.js";
import { describeUnknownModules } from "../inputs/reading-options.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import type { TaskGenerator, TaskResult } from "../workers/task.js";
import { type Analysis, analyzeEntry } from "./analysis.js";
import { addResult, type CheckResults } from "./check-results.js";
import { CHUNKING_THRESHOLD, splitIntoChunks } from "./chunks.js";
import type { ResultCache } from "./result-cache.js";
import { analyzeLoneFiles, restoreLoneFileFindings } from "./worker.js";

/** A group of paths to analyze under the same configuration. */
export interface AnalyzerOptions {
  readonly paths: readonly string[];
  readonly settings: Settings | undefined;
  /** The main file that the user names. */
  readonly main: string | undefined;
  readonly searches: FolderSearch;
  /** Folders with a configuration file of their own. */
  readonly governed: readonly string[];
  /** Folders that may have no configuration. */
  readonly optional: ReadonlySet<string>;
  /** Whether files that the user names are skipped if they are not httpd's. */
  readonly skipUnrecognized: boolean;
  readonly flags: InputFlags & { readonly release?: Release | undefined; readonly from?: Release | undefined };
  readonly rules: readonly RuleDefinition[];
  /** Contents that replace files on disk, by absolute path. */
  readonly overlay: ReadonlyMap<string, string> | undefined;
  readonly sift: SuppressionFilter;
  /** Wraps file access so that a caller can observe it. */
  readonly watch: (access: FileAccess) => FileAccess;
  /** The results of earlier runs, if caching is on. */
  readonly kept?: ResultCache | undefined;
  /** Whether fixes are requested; they concern all files of a server together. */
  readonly isFixing: boolean;
  /** Whether a baseline is written; no configuration may load its file. */
  readonly isUpdating: boolean;
}

type Failed = { readonly failed: CommandResult };

/** A file that is analyzed on its own. */
interface PendingLoneFile {
  readonly file: PendingFile;
  readonly reading: ConfigSource;
}

/** A file that no server has read so far. */
interface PendingFile extends PlacedFile {
  /** The servers that were read and do not include it. */
  readonly notReadBy: string[];
}

/**
 * Analyses the servers, each with the paths that it reads, and then on its own each path that none of them reads. A path
 * that several servers read is analyzed in each.
 */
export class Analyzer {
  private readonly sources = new Map<string | undefined, ConfigSource | Failed>();
  private readonly sourcesOnDisk = new Map<string | undefined, ConfigSource | Failed>();
  private readonly pending = new Map<string, PendingFile>();
  /** Main files that another server reads, and files that a server reads. */
  private readonly claimed = new Set<string>();
  private readonly realPaths = new Map<string, string>();

  constructor(
    private readonly options: AnalyzerOptions,
    private readonly results: CheckResults,
  ) {}

  /** @returns the failure, if any */
  *run(): TaskGenerator<CommandResult | undefined> {
    const { paths, settings, main, searches, governed, optional, flags, skipUnrecognized, overlay } = this.options;
    const mains =
      main === undefined ? (settings?.servers ?? []).map(({ entry }) => mainFileOfEntry(entry)) : [resolve(main)];
    const named = new Map(mains.map((path) => [resolveOrKeepPath(path), path]));
    const confine = flags.confine ?? settings?.common.confine;
    const placing = { searches, governed, optional, confine, named, skipUnrecognized, overlay };
    const placement = placePaths(paths, placing);
    if ("failed" in placement) return createFailure(exitCodes.unreadable, placement.failed);
    for (const path of placement.templates) this.results.templates.add(path);
    for (const file of placement.files) this.pending.set(file.path, { ...file, notReadBy: [] });
    const servers = orderServers(placement, named);
    const failed = yield* this.analyzeServers(servers);
    if (failed) return failed;
    const left = [...this.pending.keys()].filter((path) => !this.claimed.has(path));
    const inRepository = findRepositoryServers(left, {
      settingsName: SETTINGS_FILE,
      settings: settings?.directory,
      confine,
    });
    const failedThere = yield* this.analyzeServers(orderDistantServers(inRepository, servers));
    if (failedThere) return failedThere;
    const empty = placement.empty.find(({ directory }) => ![...this.claimed].some((path) => isWithin(path, directory)));
    return empty ? createFailure(exitCodes.unreadable, empty.failed) : yield* this.analyzeLoneFiles();
  }

  private *analyzeServers(servers: readonly ServerCandidate[]): TaskGenerator<CommandResult | undefined> {
    for (const server of servers) {
      const failed = yield* this.analyzeServer(server, servers);
      if (failed) return failed;
    }
    return undefined;
  }

  /** @param servers all servers: those whose main files this one reads are parts of it */
  private *analyzeServer(
    server: ServerCandidate,
    servers: readonly ServerCandidate[],
  ): TaskGenerator<CommandResult | undefined> {
    const { main, isWhole, isNamed, isDistant } = server;
    if (this.claimed.has(main)) return undefined;
    const mayRead = (file: PlacedFile) => isNamed || isDistant || file.above.includes(main) || file.beside.has(main);
    const files = [...this.pending.values()].filter(mayRead);
    const others = servers.filter((each) => each !== server && !each.isNamed && !this.claimed.has(each.main));
    const parts = others.filter((each) => each.file && mayRead(each.file));
    if (!isWhole && files.length === 0 && parts.length === 0) return undefined;
    const reading = this.sourceFor(main, isNamed || server.file?.isNamed ? undefined : main);
    if ("failed" in reading) return reading.failed;
    const analysed = this.analyzeEntry(main, reading, "server");
    if ("failed" in analysed) return isDistant ? undefined : analysed.failed;
    const asked = new Set<string>();
    for (const file of files) {
      const real = this.realPathOf(file.path, reading);
      if (!analysed.includesFile(real)) file.notReadBy.push(main);
      else {
        asked.add(real);
        this.claimed.add(file.path);
      }
    }
    for (const part of others) {
      const real = this.realPathOf(part.main, reading);
      if (!analysed.includesFile(real)) continue;
      this.claimed.add(part.main);
      if (part.isWhole) asked.add(real);
    }
    if (!isDistant || asked.size > 0)
      for (const note of [...reading.notes, ...analysed.notes]) this.results.notes.add(note);
    if (isWhole || asked.size > 0) yield* this.collect(analysed, reading, isWhole ? undefined : asked);
    return undefined;
  }

  /** Resolves links. Links on this machine's disk are resolved once for all servers; below a system root they differ. */
  private realPathOf(path: string, reading: ConfigSource): string {
    const { sysroot, map, moreMaps } = reading.how.flags;
    const isPlain = sysroot === undefined && !map?.length && !moreMaps?.length;
    if (!isPlain) return reading.access.realPath(fromReadable(path));
    const known = this.realPaths.get(path) ?? reading.access.realPath(fromReadable(path));
    this.realPaths.set(path, known);
    return known;
  }

  /** @param found a file to be read that the user did not name: a main file, or a file on its own */
  private sourceFor(main: string | undefined, found?: string): ConfigSource | Failed {
    const known = this.sources.get(main) ?? this.createSource(main, false);
    this.sources.set(main, known);
    if (found === undefined || "failed" in known || !isOutsideSysroot(found, known)) return known;
    const onDisk = this.sourcesOnDisk.get(main) ?? this.createSource(main, true);
    this.sourcesOnDisk.set(main, onDisk);
    return onDisk;
  }

  /** @param isOnDisk whether absolute paths are read as they are, not below the system root */
  private createSource(main: string | undefined, isOnDisk: boolean): ConfigSource | Failed {
    const { flags, settings, overlay, watch } = this.options;
    const server = serverSettingsOf(settings, main);
    const release = flags.release ?? server.release ?? "2.4";
    const by = mergeReadingFlags(flags, server, settings);
    const reading = { ...flags, ...by, release, ...(isOnDisk ? { sysroot: undefined } : {}) };
    for (const note of describeUnknownModules(reading)) this.results.notes.add(note);
    const how = {
      flags: pickReadingFlags(reading),
      from: flags.from ?? server.from,
      main,
      overlay,
      fragments: fragmentContextsOf(settings),
    };
    const read = openConfigSource(how, (access) => growHeapForLargeFiles(watch(access)));
    return "failed" in read ? { failed: createFailure(exitCodes.usage, read.failed) } : read;
  }

  /** Analyzes the files that no server reads, each on its own. */
  private *analyzeLoneFiles(): TaskGenerator<CommandResult | undefined> {
    const { isFixing, isUpdating } = this.options;
    const left: PendingLoneFile[] = [];
    for (const file of this.pending.values()) {
      if (this.claimed.has(file.path) || !file.isRecognized) continue;
      const reading = this.sourceFor(file.above[0], file.path);
      if ("failed" in reading) return reading.failed;
      left.push({ file, reading });
    }
    if (left.length >= CHUNKING_THRESHOLD && !isFixing && !isUpdating) return yield* this.manyLoneFiles(left);
    for (const { file, reading } of left) {
      if (this.isKnown(file, reading)) continue;
      const analysed = this.analyzeEntry(file.path, reading, undefined);
      if ("failed" in analysed) return analysed.failed;
      this.noteLoneFile(file, analysed.kind);
      yield* this.collect(analysed, reading, undefined);
    }
    return undefined;
  }

  private isKnown({ path }: PendingFile, reading: ConfigSource): boolean {
    return this.results.files.has(this.realPathOf(path, reading));
  }

  private noteLoneFile({ path, notReadBy }: PendingFile, kind: EntryKind): void {
    if (kind === "fragment") this.results.alone.set(path, notReadBy);
  }

  /** Analyzes many files in batches, keeping only the findings. */
  private *manyLoneFiles(left: readonly PendingLoneFile[]): TaskGenerator<CommandResult | undefined> {
    const { rules } = this.options;
    let failed: CommandResult | undefined;
    for (const reading of new Set(left.map((each) => each.reading))) {
      const files = left.flatMap((each) => (each.reading === reading ? [each.file] : []));
      const byPath = new Map(files.map((file) => [file.path, file]));
      yield {
        session: { how: reading.how, rules: rules.map(({ id, severity }) => [id, severity]) },
        tasks: splitIntoChunks([...byPath.keys()], 0).map((part) => ({ paths: part })),
        runInline: (task) => analyzeLoneFiles(task, reading, rules),
        addResult: (done, task) => {
          const asked = "paths" in task ? task.paths : [];
          for (const [index, path] of asked.entries()) {
            const file = byPath.get(path);
            if (file) failed ??= this.addLoneFileResult(file, done, index, reading);
          }
        },
      };
      if (failed) return failed;
    }
    return undefined;
  }

  private addLoneFileResult(
    file: PendingFile,
    done: TaskResult,
    index: number,
    reading: ConfigSource,
  ): CommandResult | undefined {
    const { path } = file;
    const piece = done.kind === "alone" ? done.each[index] : undefined;
    if (piece === undefined || this.isKnown(file, reading)) return undefined;
    if ("unreadable" in piece) return reportUnreadable(path, piece.unreadable);
    const { rules, sift } = this.options;
    const found = restoreLoneFileFindings(path, piece, reading, rules);
    if ("unreadable" in found) return reportUnreadable(path, found.unreadable);
    this.noteLoneFile(file, piece.kind);
    addResult(applyFilters(found.examined, { sift }), found.files, undefined, this.results);
    this.noteRun(reading);
    return undefined;
  }

  private analyzeEntry(path: string, reading: ConfigSource, kind: EntryKind | undefined): Analysis | Failed {
    const { isFixing, rules, kept } = this.options;
    const analysed = analyzeEntry({ path, kind, reading, rules, kept, isWhole: isFixing });
    return "unreadable" in analysed ? { failed: reportUnreadable(path, analysed.unreadable) } : analysed;
  }

  private *collect(
    analysed: Analysis,
    reading: ConfigSource,
    only: ReadonlySet<string> | undefined,
  ): TaskGenerator<void> {
    const { results, options } = this;
    const { result, files, linted, project } = yield* analysed.computeResult({
      sift: options.sift,
      ...(only === undefined ? {} : { only }),
    });
    addResult(result, files, only, results);
    const { access, loadAs } = reading;
    if (linted && options.isFixing) results.linted.push({ linted, access, loadAs });
    if (project && options.isUpdating) results.read.push({ project, access });
    this.noteRun(reading);
  }

  private noteRun({ from }: ConfigSource): void {
    for (const { id, upgradeOnly } of this.options.rules) if (!upgradeOnly || from === "2.2") this.results.ran.add(id);
  }
}

function reportUnreadable(path: string, why: string): CommandResult {
  return createFailure(exitCodes.unreadable, `\`${path}\` cannot be read: ${why}`);
}

/** Reports whether a file is outside the system root in use. */
function isOutsideSysroot(path: string, { access, how }: ConfigSource): boolean {
  return how.flags.sysroot !== undefined && !access.exists(fromReadable(path)) && statOf(path) !== undefined;
}
