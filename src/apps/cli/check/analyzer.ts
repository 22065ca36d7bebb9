import { resolve } from "node:path";
import type { FileAccess } from "../../../config/files/file-access.js";
import { resolveOrKeepPath } from "../../../config/files/file-content.js";
import { isWithin } from "../../../config/files/paths.js";
import { findRepositoryServers } from "../../../config/main-file-finder.js";
import type { EntryKind, Project } from "../../../config/model/project.js";
import type { RuleDefinition } from "../../../lint/rule.js";
import { filterFindings, type SuppressionFilter } from "../../../lint/runner/filter-findings.js";
import type { LintResult } from "../../../lint/runner/run-rules.js";
import { mainFileOfEntry, SETTINGS_FILE } from "../../settings/settings.js";
import type { TaskGenerator, UnreadableFile } from "../../workers/task.js";
import type { ConfigSource } from "../inputs/config-source.js";
import type { FolderSearch } from "../inputs/folder-search.js";
import {
  orderDistantServers,
  orderServers,
  type PlacedFile,
  placePaths,
  type ServerCandidate,
} from "../inputs/path-placement.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { type Analysis, analyzeEntry, StandaloneFileLinter } from "./analysis.js";
import type { CheckGroup } from "./check-groups.js";
import { addResult, type CheckResults, createEvidence } from "./check-results.js";
import type { CheckRunFlags } from "./check-run.js";
import { CHUNKING_THRESHOLD, type ChunkResult, createTaskBatch, listRuleSeverities } from "./chunks.js";
import { ConfigSources } from "./config-sources.js";
import type { ResultCache } from "./result-cache.js";

/** A group of paths to analyze under the same configuration file, and how. */
export interface AnalyzerOptions {
  readonly group: CheckGroup;
  readonly flags: CheckRunFlags;
  readonly searches: FolderSearch;
  readonly rules: readonly RuleDefinition[];
  /** Contents that replace files on disk, by absolute path. */
  readonly overlay: ReadonlyMap<string, string> | undefined;
  readonly suppress: SuppressionFilter;
  /** Wraps file access so that a caller can observe it. */
  readonly watch: (access: FileAccess) => FileAccess;
  /** The results of earlier runs, if caching is on. */
  readonly cache: ResultCache | undefined;
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
  private readonly sources: ConfigSources;
  private readonly pending = new Map<string, PendingFile>();
  /** Main files that another server reads, and files that a server reads. */
  private readonly claimed = new Set<string>();
  /** Notes on servers that read no requested file; they matter only to files that no server reads. */
  private readonly notesAside = new Map<string, readonly string[]>();
  /** Main files of servers that are already for 2.4. */
  private readonly upgraded = new Set<string>();

  constructor(
    private readonly options: AnalyzerOptions,
    private readonly results: CheckResults,
  ) {
    this.sources = new ConfigSources(options, results.notes);
  }

  /** @returns the failure, if any */
  *run(): TaskGenerator<CommandResult | undefined> {
    const { group, flags, searches, overlay } = this.options;
    const { paths, settings, governed, optional } = group;
    const { main, skipUnrecognized = false } = flags;
    const mainFiles =
      main === undefined ? (settings?.servers ?? []).map(({ entry }) => mainFileOfEntry(entry)) : [resolve(main)];
    const named = new Map(mainFiles.map((path) => [resolveOrKeepPath(path), path]));
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
    const mayRead = (file: PlacedFile) => isNamed || isDistant || file.above.includes(main) || file.neighbors.has(main);
    const files = [...this.pending.values()].filter(mayRead);
    const others = servers.filter((each) => each !== server && !each.isNamed && !this.claimed.has(each.main));
    const parts = others.filter((each) => each.file && mayRead(each.file));
    if (!isWhole && files.length === 0 && parts.length === 0) return undefined;
    const reading = this.sources.sourceFor(main, isNamed || server.file?.isNamed ? undefined : main);
    if ("failed" in reading) return reading.failed;
    const analysis = this.analyzeEntry(main, reading, "server");
    if ("failed" in analysis) return isDistant ? undefined : analysis.failed;
    if (analysis.isUpgraded) this.upgraded.add(main);
    const requestedFiles = new Set<string>();
    for (const file of files) {
      const real = this.sources.realPathOf(file.path, reading);
      if (!analysis.includesFile(real)) file.notReadBy.push(main);
      else {
        requestedFiles.add(real);
        this.claimed.add(file.path);
      }
    }
    for (const part of others) {
      const real = this.sources.realPathOf(part.main, reading);
      if (!analysis.includesFile(real)) continue;
      this.claimed.add(part.main);
      if (part.isWhole) requestedFiles.add(real);
    }
    const notes = [...reading.notes, ...analysis.notes];
    if (!isWhole && requestedFiles.size === 0) {
      if (!isDistant) this.notesAside.set(main, notes);
      return undefined;
    }
    for (const note of notes) this.results.notes.add(note);
    yield* this.collect(analysis, reading, isWhole ? undefined : requestedFiles);
    return undefined;
  }

  /** Analyzes the files that no server reads, each on its own. */
  private *analyzeLoneFiles(): TaskGenerator<CommandResult | undefined> {
    const { isFixing, updateBaseline } = this.options.flags;
    const left: PendingLoneFile[] = [];
    for (const file of this.pending.values()) {
      if (this.claimed.has(file.path) || !file.isRecognized) continue;
      const source = this.sources.sourceFor(file.above[0], file.path);
      if ("failed" in source) return source.failed;
      for (const main of file.notReadBy)
        for (const note of this.notesAside.get(main) ?? []) this.results.notes.add(note);
      left.push({ file, reading: this.belongsTo24(file) ? this.sources.plainSourceOf(source) : source });
    }
    if (left.length >= CHUNKING_THRESHOLD && !isFixing && !updateBaseline) return yield* this.manyLoneFiles(left);
    for (const { file, reading } of left) {
      if (this.isKnown(file, reading)) continue;
      const analysis = this.analyzeEntry(file.path, reading, undefined);
      if ("failed" in analysis) return analysis.failed;
      this.noteLoneFile(file, analysis.kind);
      yield* this.collect(analysis, reading, undefined);
    }
    return undefined;
  }

  /** Reports whether a file that no server reads is next to servers that are already for 2.4. */
  private belongsTo24({ notReadBy }: PendingFile): boolean {
    return notReadBy.length > 0 && notReadBy.every((main) => this.upgraded.has(main));
  }

  private isKnown({ path }: PendingFile, reading: ConfigSource): boolean {
    return this.results.files.has(this.sources.realPathOf(path, reading));
  }

  private noteLoneFile({ path, notReadBy }: PendingFile, kind: EntryKind): void {
    if (kind === "fragment") this.results.loneFiles.set(path, notReadBy);
  }

  /** Analyzes many files in batches, keeping only the findings. The files of all servers share the threads. */
  private *manyLoneFiles(left: readonly PendingLoneFile[]): TaskGenerator<CommandResult | undefined> {
    const { rules } = this.options;
    const readings = [...new Set(left.map(({ reading }) => reading))];
    const numbers = new Map(readings.map((reading, number) => [reading, number]));
    const session = {
      rules: listRuleSeverities(rules),
      files: left.map(({ file }) => file.path),
      readings: readings.map(({ spec }) => spec),
      readingOf: left.map(({ reading }) => numbers.get(reading) ?? 0),
    };
    const fileAt = (number: number) => {
      const found = left[number];
      if (found === undefined) throw new Error("a task names a file that its session does not have");
      return found;
    };
    const linter = new StandaloneFileLinter(rules, (number) => {
      const { file, reading } = fileAt(number);
      return { path: file.path, reading };
    });
    let failed: CommandResult | undefined;
    yield createTaskBatch(session, [...left.keys()], 0, linter, (result, [number = -1]) => {
      failed ??= this.addLoneFileResult(fileAt(number), result);
    });
    return failed;
  }

  private addLoneFileResult(
    { file, reading }: PendingLoneFile,
    result: ChunkResult | UnreadableFile,
  ): CommandResult | undefined {
    if (this.isKnown(file, reading)) return undefined;
    if ("unreadable" in result) return reportUnreadable(file.path, result.unreadable);
    this.noteLoneFile(file, result.kind);
    const { suppress } = this.options;
    addResult(filterFindings(result.examined, { suppress }), new Map(result.lines), undefined, this.results);
    this.noteRun(reading);
    this.noteEvidence(result.examined, undefined);
    return undefined;
  }

  private analyzeEntry(path: string, reading: ConfigSource, kind: EntryKind | undefined): Analysis | Failed {
    const { flags, rules, cache } = this.options;
    const request = { path, kind, reading, rules, runWithProgress: flags.runWithProgress };
    const analysis = analyzeEntry(request, cache, flags.isFixing === true);
    return "unreadable" in analysis ? { failed: reportUnreadable(path, analysis.unreadable) } : analysis;
  }

  private *collect(
    analysis: Analysis,
    reading: ConfigSource,
    only: ReadonlySet<string> | undefined,
  ): TaskGenerator<void> {
    const { results, options } = this;
    const { flags, suppress } = options;
    const filters = only === undefined ? { suppress } : { suppress, only };
    const { session, examined, files, project, isComplete } = yield* analysis.computeResult(filters);
    addResult(session?.result ?? filterFindings(examined, filters), files, only, results);
    const { access, loadAs } = reading;
    if (session && flags.isFixing) results.linted.push({ linted: session, access, loadAs });
    if (project && flags.updateBaseline) results.read.push({ project, access });
    this.noteRun(reading);
    this.noteEvidence(examined, isComplete ? project : undefined);
  }

  private noteRun({ from }: ConfigSource): void {
    for (const { id, upgradeOnly } of this.options.rules) if (!upgradeOnly || from === "2.2") this.results.ran.add(id);
  }

  private noteEvidence(examined: LintResult, project: Project | undefined): void {
    const { flags, rules } = this.options;
    if (flags.by !== "reference") return;
    const ran = new Set(rules.map(({ id }) => id));
    this.results.evidence.push(createEvidence(examined, ran, project));
  }
}

function reportUnreadable(path: string, why: string): CommandResult {
  return createFailure(exitCodes.unreadable, `\`${path}\` cannot be read: ${why}`);
}
