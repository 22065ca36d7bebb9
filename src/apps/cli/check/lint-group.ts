import { resolve } from "node:path";
import type { FileAccess } from "../../../config/files/file-access.js";
import { resolveOrKeepPath } from "../../../config/files/file-content.js";
import { isWithin } from "../../../config/files/paths.js";
import { findRepositoryServers } from "../../../config/main-file-finder.js";
import type { EntryKind, Project } from "../../../config/model/project.js";
import { isBefore } from "../../../facts/release.js";

import { listCheckNames, type RuleDefinition } from "../../../lint/rule.js";

import { filterFindings, type SuppressionFilter } from "../../../lint/runner/filter-findings.js";
import type { LintResult } from "../../../lint/runner/run-rules.js";
import { measurePhase, type Timings } from "../../../lint/runner/timings.js";
import { getOrCreate } from "../../../text/collections.js";
import type { Result } from "../../../text/result.js";
import type { ResultCache } from "../../cache/result-cache.js";
import { mainFileOfEntry, SETTINGS_FILE } from "../../settings/settings.js";
import type { TaskGenerator } from "../../workers/task.js";
import type { ConfigSource } from "../inputs/config-source.js";
import type { FolderSearches } from "../inputs/folder-search.js";
import {
  orderDistantServers,
  orderServers,
  type PlacedFile,
  placePaths,
  type ServerCandidate,
} from "../inputs/path-placement.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import type { CheckGroup } from "./check-groups.js";
import { addResult, type CheckResults, createEvidence } from "./check-results.js";
import { CHUNKING_THRESHOLD, type ChunkResult, createTaskBatch, listRunningRules } from "./chunks.js";
import { ConfigSources } from "./config-sources.js";
import { type ChosenRules, listEffectiveSettings } from "./effective-settings.js";
import { withoutComments } from "./finding-filter.js";
import type { CheckRunFlags } from "./lint-paths.js";
import { type LintUnit, LoneFileLinter, type ReadUnit, readUnit } from "./lint-unit.js";

/** A group of paths under the same configuration file, and how they are linted. */
export interface GroupContext {
  readonly group: CheckGroup;
  readonly flags: CheckRunFlags;
  readonly searches: FolderSearches;
  readonly rules: readonly RuleDefinition[];
  /** The rules to show, if settings are shown. */
  readonly shownRules: ChosenRules | undefined;
  /** Contents that replace files on disk, by absolute path. */
  readonly overlay: ReadonlyMap<string, string> | undefined;
  readonly suppress: SuppressionFilter;
  /** Wraps file access so that a caller can observe it. */
  readonly watch: (access: FileAccess) => FileAccess;
  /** The results of earlier runs, if caching is on. */
  readonly cache: ResultCache | undefined;
  readonly timings: Timings | undefined;
}

/**
 * Lints the servers of a group, each with the paths that it reads, and then on its own each path that none of them reads.
 * A path that several servers read is linted in each.
 *
 * @param results receives the findings
 * @returns the failure, if any
 */
export function* lintGroup(context: GroupContext, results: CheckResults): TaskGenerator<CommandResult | undefined> {
  const { group, flags, searches, overlay } = context;
  const { paths, settings, governed, optional } = group;
  const { main, skipUnrecognized = false } = flags;
  const mainFiles =
    main === undefined ? (settings?.servers ?? []).map(({ entry }) => mainFileOfEntry(entry)) : [resolve(main)];
  const named = new Map(mainFiles.map((path) => [resolveOrKeepPath(path), path]));
  const confine = flags.confine ?? settings?.common.confine;
  const sysroot = flags.sysroot ?? settings?.common.sysroot;
  const places = { governed, optional, confine, sysroot, named };
  const placing = { search: searches.under(settings), ...places, skipUnrecognized, overlay };
  const placement = placePaths(paths, placing);
  if (!placement.ok) return createFailure(exitCodes.unreadable, placement.error);
  for (const each of placement.value.excluded) results.placed.addExcluded(each);
  for (const each of placement.value.unread) results.unread.set(`${each.path}:${each.line}:${each.target}`, each);
  const files = new FileOwners(placement.value.files);
  const linter = new UnitLinter(context, results);
  const servers = orderServers(placement.value, named);
  const failed = yield* lintServers(servers, files, linter);
  if (failed) return failed;
  const inRepository = findRepositoryServers(
    files.unclaimed().flatMap(({ path, outer }) => (outer === undefined ? path : [])),
    { settingsName: SETTINGS_FILE, settings: settings?.directory, confine },
  ).filter((path) => searches.under(settings).exclusions.findForFound(path) === undefined);
  const failedThere = yield* lintServers(orderDistantServers(inRepository, servers), files, linter);
  if (failedThere) return failedThere;
  const empty = placement.value.empty.find(({ path }) => !files.hasClaimedIn(path));
  return empty ? createFailure(exitCodes.unreadable, empty.message) : yield* lintLoneFiles(files, linter);
}

/** A server that does not read a file next to it. */
interface OtherServer {
  readonly main: string;
  /** Whether it is already for 2.4. */
  readonly isUpgraded: boolean;
  /** Its notes if no requested file is in it: they matter only to files that no server reads. */
  readonly notesAside: readonly string[];
  /** Why it skips files next to those that it reads, as clauses by real path. */
  readonly skipped: ReadonlyMap<string, string>;
}

/** The requested files, and which of them servers have read so far. */
class FileOwners {
  private readonly files: ReadonlyMap<string, PlacedFile>;
  private readonly claimed = new Set<string>();
  private readonly missedBy = new Map<string, OtherServer[]>();

  constructor(files: readonly PlacedFile[]) {
    this.files = new Map(files.map((file) => [file.path, file]));
  }

  all(): readonly PlacedFile[] {
    return [...this.files.values()];
  }

  /** Notes that a server reads a file, which may be the main file of another one. */
  claim(path: string): void {
    this.claimed.add(path);
  }

  isClaimed(path: string): boolean {
    return this.claimed.has(path);
  }

  hasClaimedIn(directory: string): boolean {
    return [...this.claimed].some((path) => isWithin(path, directory));
  }

  /** Returns the files that no server has read. */
  unclaimed(): readonly PlacedFile[] {
    return this.all().filter(({ path }) => !this.claimed.has(path));
  }

  noteMissed(path: string, server: OtherServer): void {
    getOrCreate(this.missedBy, path, () => []).push(server);
  }

  /** Returns the servers that were read and do not include a file. */
  serversWithout(path: string): readonly OtherServer[] {
    return this.missedBy.get(path) ?? [];
  }
}

function* lintServers(
  servers: readonly ServerCandidate[],
  files: FileOwners,
  linter: UnitLinter,
): TaskGenerator<CommandResult | undefined> {
  for (const server of servers) {
    const failed = yield* lintServer(server, servers, files, linter);
    if (failed) return failed;
  }
  return undefined;
}

/** @param servers all servers: those whose main files this one reads are parts of it */
function* lintServer(
  server: ServerCandidate,
  servers: readonly ServerCandidate[],
  files: FileOwners,
  linter: UnitLinter,
): TaskGenerator<CommandResult | undefined> {
  const { main, isWhole, isNamed, isDistant } = server;
  if (files.isClaimed(main)) return undefined;
  const mayRead = (file: PlacedFile) => isNamed || isDistant || file.above.includes(main) || file.neighbors.has(main);
  const near = files.all().filter((file) => file.outer === undefined && mayRead(file));
  const others = servers.filter((each) => each !== server && !each.isNamed && !files.isClaimed(each.main));
  const parts = others.filter((each) => each.file && mayRead(each.file));
  if (!isWhole && near.length === 0 && parts.length === 0) return undefined;
  const source = linter.sources.sourceFor(main, isNamed || server.file?.isNamed ? undefined : main);
  if (!source.ok) return source.error;
  const unit = readUnit({ ...linter.unitOptions, path: main, source: source.value, kind: "server" });
  if (!unit.ok) return isDistant ? undefined : reportUnreadable(main, unit.error);
  const realPathOf = (path: string) => linter.sources.realPathOf(path, source.value);
  const isIn = ({ path }: Pick<PlacedFile, "path">) => unit.value.includesFile(realPathOf(path));
  const own: PlacedFile[] = [];
  const missed: PlacedFile[] = [];
  for (const file of near) (isIn(file) ? own : missed).push(file);
  const ownParts = others.filter((part) => isIn({ path: part.main }));
  for (const { path } of own) files.claim(path);
  for (const part of ownParts) files.claim(part.main);
  const requested = [...own.map(({ path }) => path), ...ownParts.flatMap((part) => (part.isWhole ? part.main : []))];
  const notes = [...source.value.notes, ...unit.value.notes];
  const isAside = !isWhole && requested.length === 0;
  const asOther = {
    main,
    isUpgraded: unit.value.isUpgraded,
    notesAside: isAside && !isDistant ? notes : [],
    skipped: new Map(isWhole ? [] : unit.value.skipped),
  };
  for (const { path } of missed) files.noteMissed(path, asOther);
  if (isAside) return undefined;
  linter.addNotes(notes);
  const only = isWhole ? undefined : new Set(requested.map(realPathOf));
  const read = yield* linter.lint(unit.value, source.value, only);
  linter.noteServer(
    realPathOf(main),
    [...read].filter((path) => only?.has(path) ?? true),
    source.value,
  );
  return undefined;
}

/** A file that is linted on its own. */
interface LoneFile {
  readonly path: string;
  /** The file that contains it, if it is not one of its own. */
  readonly outer: string | undefined;
  readonly source: ConfigSource;
  readonly others: readonly OtherServer[];
}

/** Lints the files that no server reads, each on its own. */
function* lintLoneFiles(files: FileOwners, linter: UnitLinter): TaskGenerator<CommandResult | undefined> {
  const left: LoneFile[] = [];
  for (const { path, outer, above, isRecognized } of files.unclaimed()) {
    if (!isRecognized) continue;
    const source = linter.sources.sourceFor(above[0], outer ?? path);
    if (!source.ok) return source.error;
    const others = files.serversWithout(path);
    linter.addNotes(others.flatMap(({ notesAside }) => notesAside));
    // A file next to servers that are already for 2.4 belongs to 2.4, too.
    const isUpgraded = others.length > 0 && others.every((server) => server.isUpgraded);
    left.push({ path, outer, others, source: isUpgraded ? linter.sources.plainSourceOf(source.value) : source.value });
  }
  if (left.length >= CHUNKING_THRESHOLD && linter.mayUseChunks) return yield* linter.lintManyAlone(left);
  for (const file of left) {
    if (linter.isKnown(file)) continue;
    const unit = readUnit({ ...linter.unitOptions, path: file.path, source: file.source, kind: undefined });
    if (!unit.ok) return reportUnreadable(file.path, unit.error);
    linter.noteLoneFile(file, unit.value.kind);
    yield* linter.lint(unit.value, file.source, undefined);
  }
  return undefined;
}

/** The pipeline for each unit that was read: runs the rules, filters the findings, and adds them to the results. */
class UnitLinter {
  readonly sources: ConfigSources;
  /** What all units have in common. */
  readonly unitOptions: Omit<LintUnit, "path" | "kind" | "source">;

  constructor(
    private readonly context: GroupContext,
    private readonly results: CheckResults,
  ) {
    this.sources = new ConfigSources(context, results.notes);
    const { flags, rules, cache, timings } = context;
    this.unitOptions = {
      rules,
      runWithProgress: flags.runWithProgress,
      timings,
      cache,
      isWhole: flags.isFixing ?? false,
    };
  }

  /**
   * @param only the files by real path whose findings are wanted; undefined for all
   * @returns the files that were read, by real path
   */
  *lint(unit: ReadUnit, source: ConfigSource, only: ReadonlySet<string> | undefined): TaskGenerator<Iterable<string>> {
    const { results, context } = this;
    const { flags, suppress, timings } = context;
    const filters = only === undefined ? { suppress } : { suppress, only };
    const { session, found, files, project, isComplete } = yield* unit.lint(filters);
    const all = flags.noSuppressions ? undefined : session?.result;
    const wanted = measurePhase(timings, "filter", () => all ?? filterFindings(this.shown(found), filters));
    addResult(wanted, files, only, results);
    const { access, loadAs } = source;
    if (session && flags.isFixing) results.linted.push({ linted: session, access, loadAs });
    if (project && flags.updateBaseline) results.read.push({ project, access });
    this.noteRun(source);
    this.noteEvidence(found, isComplete ? project : undefined);
    return files.keys();
  }

  /** Returns the findings to filter: with those that comments suppress, if these are wanted. */
  private shown(found: LintResult): LintResult {
    return this.context.flags.noSuppressions ? withoutComments(found) : found;
  }

  /** Whether many files may be linted in chunks, which keep only the findings. */
  get mayUseChunks(): boolean {
    const { isFixing, updateBaseline } = this.context.flags;
    return !isFixing && !updateBaseline;
  }

  /** Lints many files in chunks. The files of all servers share the threads. */
  *lintManyAlone(left: readonly LoneFile[]): TaskGenerator<CommandResult | undefined> {
    const { rules, timings } = this.context;
    const sources = [...new Set(left.map(({ source }) => source))];
    const numbers = new Map(sources.map((source, number) => [source, number]));
    const session = {
      rules: listRunningRules(rules),
      files: left.map(({ path }) => path),
      sources: sources.map(({ spec }) => spec),
      sourceOf: left.map(({ source }) => numbers.get(source) ?? 0),
    };
    const fileAt = (number: number) => {
      const found = left[number];
      if (found === undefined) throw new Error("a task names a file that its session does not have");
      return found;
    };
    let failed: CommandResult | undefined;
    const linter = new LoneFileLinter(rules, fileAt, timings);
    yield createTaskBatch(session, [...left.keys()], 0, linter, (result, [number = -1]) => {
      failed ??= this.addLoneFile(fileAt(number), result);
    });
    return failed;
  }

  private addLoneFile(file: LoneFile, result: Result<ChunkResult, string>): CommandResult | undefined {
    if (this.isKnown(file)) return undefined;
    if (!result.ok) return reportUnreadable(file.path, result.error);
    this.noteLoneFile(file, result.value.kind);
    const { suppress, timings } = this.context;
    const wanted = measurePhase(timings, "filter", () => filterFindings(this.shown(result.value.found), { suppress }));
    addResult(wanted, new Map(result.value.lines), undefined, this.results);
    this.noteRun(file.source);
    this.noteEvidence(result.value.found, undefined);
    return undefined;
  }

  /** Reports whether a file was linted already. */
  isKnown({ path, source }: LoneFile): boolean {
    return this.results.files.has(this.sources.realPathOf(path, source));
  }

  /** @param paths the files that were checked as part of it, by real path like its main file */
  noteServer(main: string, paths: Iterable<string>, source: ConfigSource): void {
    this.results.placed.addServer(main, paths);
    this.noteSettings(main, source);
  }

  private noteSettings(path: string, source: ConfigSource): void {
    const choices = this.sources.choicesFor(source);
    const { shownRules } = this.context;
    if (choices === undefined || shownRules === undefined) return;
    const { shownSettings } = this.results;
    const shown = getOrCreate(shownSettings, source, () => ({
      files: [],
      ...listEffectiveSettings(choices, shownRules),
    }));
    shown.files.push(path);
  }

  noteLoneFile({ path, outer, others, source }: LoneFile, kind: EntryKind): void {
    const missedBy = others.map(({ main }) => main);
    const real = this.sources.realPathOf(outer ?? path, source);
    this.addNotes(others.flatMap(({ skipped }) => skipped.get(real) ?? []).map((reason) => `httpd-lint: ${reason}`));
    this.results.placed.addLone(real, kind === "server" ? "main" : "separate", path, outer, missedBy);
    this.noteSettings(real, source);
    if (kind === "fragment") this.results.loneFiles.set(outer ?? path, missedBy);
  }

  addNotes(notes: readonly string[]): void {
    for (const note of notes) this.results.notes.add(note);
  }

  private noteRun({ from }: ConfigSource): void {
    const ran = this.context.rules.filter(({ upgradeOnly }) => !upgradeOnly || isBefore(from, "2.4"));
    for (const name of listCheckNames(ran)) this.results.ran.add(name);
  }

  private noteEvidence(found: LintResult, project: Project | undefined): void {
    const { flags, rules } = this.context;
    if (flags.statistics !== "reference") return;
    const ran = new Set(rules.map(({ id }) => id));
    this.results.evidence.push(createEvidence(found, ran, project));
  }
}

function reportUnreadable(path: string, why: string): CommandResult {
  return createFailure(exitCodes.unreadable, `\`${path}\` cannot be read: ${why}`);
}
