import { basename } from "node:path";
import { allRules } from "../../../../rules/index.js";
import { readCertificates } from "../../../config/files/certificates.js";
import { diskAccess } from "../../../config/files/disk.js";
import type { FileAccess } from "../../../config/files/file-access.js";
import { findPlaceholder } from "../../../config/model/placeholders.js";
import type { EntryKind, Project, ReadConfig, SkippedFile } from "../../../config/model/project.js";
import { openServer } from "../../../config/read-config.js";
import { type LoadOptions, toReadOptions } from "../../../config/read-entry.js";
import { isBefore, type Release } from "../../../facts/release.js";
import type { Texts } from "../../../lint/apply-fixes.js";
import type { RuleDefinition } from "../../../lint/rule.js";
import type { FindingFilters } from "../../../lint/runner/filter-findings.js";
import { LintSession } from "../../../lint/runner/lint.js";
import type { LintResult } from "../../../lint/runner/run-rules.js";
import { measurePhase, type Timings } from "../../../lint/runner/timings.js";
import type { ProgressListener } from "../../../proof/model/progress.js";
import { describeUpgraded, describeUpgradedFiles } from "../../../report/comparisons/migration-notes.js";
import { findFilesFor24, findLineOf24 } from "../../../server/access/lines-of-24.js";
import { createDefaultFiles } from "../../../server/file-trees.js";
import { installConfig } from "../../../startup/install-config.js";
import { type LoadResult, loadProject } from "../../../startup/load-project.js";
import type { Result } from "../../../text/result.js";
import { fromReadable, lineAt, type SourceFile } from "../../../text/source.js";
import { quoteText } from "../../../text/words.js";
import { computeCacheKey } from "../../cache/cache-key.js";
import type { DependencyRecorder } from "../../cache/dependency-recorder.js";
import type { ResultCache } from "../../cache/result-cache.js";
import { shortenPath } from "../../short-path.js";
import type { TaskGenerator } from "../../workers/task.js";
import { type ConfigSource, describeModuleList, withFragmentContext } from "../inputs/config-source.js";
import type { ProgressRunner } from "../output/progress-line.js";
import { countLinesPerFile } from "./check-results.js";
import { CHUNKING_THRESHOLD, type ChunkLinter, type LintedChunk } from "./chunks.js";
import { prepareChunks } from "./lint-in-chunks.js";

/** A unit of work: files that are linted together, as those of a server, or a file on its own. */
export interface LintUnit {
  readonly path: string;
  /** Detected if absent. */
  readonly kind: EntryKind | undefined;
  readonly source: ConfigSource;
  readonly rules: readonly RuleDefinition[];
  /** The results of earlier runs, if they may be used. */
  readonly cache?: ResultCache | undefined;
  /** Whether all files are one chunk, however many there are: fixes concern all files together. */
  readonly isWhole?: boolean;
  /** Runs proofs and shows their progress. */
  readonly runWithProgress?: ProgressRunner | undefined;
  readonly timings?: Timings | undefined;
}

/** A unit whose files are known, to be linted on demand. */
export interface ReadUnit {
  readonly kind: EntryKind;
  readonly notes: readonly string[];
  /** Whether it is declared as one of 2.2 and already for 2.4 as a whole. */
  readonly isUpgraded: boolean;
  /** The files that its wildcards skip, by real path, with the reason as a clause. */
  readonly skipped: readonly (readonly [path: string, reason: string])[];
  /** Whether a file, by real path, belongs to it. */
  readonly includesFile: (real: string) => boolean;
  /** Runs the rules. */
  lint(filters: FindingFilters): TaskGenerator<UnitFindings>;
}

/** The findings in a unit, unfiltered. */
export interface UnitFindings extends Omit<ReadUnit, "includesFile" | "lint"> {
  readonly found: LintResult;
  /** The number of lines of each file read, by real path. */
  readonly files: ReadonlyMap<string, number>;
  /** Whether the findings of all files are included, not only those of the wanted ones. */
  readonly isComplete: boolean;
  /** The configuration, if read in this run; for a server in chunks, the main files. */
  readonly project?: Project;
  /** The session with the filters, if linted in this run as one chunk. */
  readonly session?: LintSession;
}

/** Reads a unit, unless the cache still has its findings. */
export function readUnit(given: LintUnit): Result<ReadUnit, string> {
  const unit = { ...given, source: withFragmentContext(given.source, given.path) };
  const { cache, timings } = unit;
  if (cache === undefined) return readFiles(unit, undefined);
  const key = computeCacheKey(unit);
  const access = unit.source.load.access ?? diskAccess();
  const known = measurePhase(timings, "cache", () => cache.find(key, access));
  if (timings) timings.cache[known ? "hits" : "misses"]++;
  if (known)
    return {
      ok: true,
      value: { ...known, includesFile: (real) => known.files.has(real), lint: () => completeImmediately(known) },
    };
  const recorder = cache.createRecorder();
  const read = readFiles({ ...unit, source: recordQueries(unit.source, recorder) }, recorder);
  if (!read.ok) return read;
  return {
    ok: true,
    value: {
      ...read.value,
      *lint(filters) {
        const result = yield* read.value.lint(filters);
        measurePhase(timings, "cache", () => cache.store(key, recorder, access, result));
        return result;
      },
    },
  };
}

function recordQueries(source: ConfigSource, recorder: DependencyRecorder): ConfigSource {
  const record = (options: LoadOptions) => ({ ...options, access: recorder.wrap(options.access ?? diskAccess()) });
  const { load, loadAs } = source;
  return { ...source, load: record(load), loadAs: (release, texts) => record(loadAs(release, texts)) };
}

/** @param recorder records file queries, if the result is cached */
function readFiles(unit: LintUnit, recorder: DependencyRecorder | undefined): Result<ReadUnit, string> {
  const { path, kind, source, isWhole = false, timings } = unit;
  const before = timings?.enter("read");
  try {
    const opened = openServer(...toReadOptions(path, kind === undefined ? source.load : { ...source.load, kind }));
    if (!opened.ok) return opened;
    const found = opened.value.findHtaccess();
    const hasManyFiles = found !== undefined && found.files.length >= CHUNKING_THRESHOLD;
    // The effects of an upgrade are proved for all requests at once.
    if (hasManyFiles && !isWhole && source.from === undefined) {
      const about = describeUnit(path, installConfig(opened.value.config), source);
      return { ok: true, value: prepareChunks(unit, opened.value, found, about, recorder) };
    }
    return { ok: true, value: prepareWhole(unit, installConfig(opened.value.readWhole(found))) };
  } finally {
    if (before) timings?.enter(before);
  }
}

/** Prepares a unit to be linted as one chunk. */
function prepareWhole(unit: LintUnit, project: Project): ReadUnit {
  const { source, runWithProgress, timings } = unit;
  const about = describeUnit(unit.path, project, source);
  const files = countLinesPerFile(project);
  return {
    ...about,
    includesFile: (real) => files.has(real),
    lint(filters) {
      const run = (onProgress?: ProgressListener) => {
        const session = createLintSession(unit, project, filters, onProgress);
        return { session, found: measurePhase(timings, "lint", () => session.unfiltered) };
      };
      const result = source.from === undefined ? run() : (runWithProgress?.(run) ?? run());
      return completeImmediately({ ...about, ...result, files, isComplete: true, project });
    },
  };
}

/** Lints files on their own: each is a chunk. */
export class LoneFileLinter implements ChunkLinter {
  readonly shared = new Map<string, SourceFile>();

  /** @param fileOf returns the file of a number, and how it is read */
  constructor(
    private readonly rules: readonly RuleDefinition[],
    private readonly fileOf: (number: number) => Pick<LintUnit, "path" | "source">,
    readonly timings: Timings | undefined,
  ) {}

  lint([number = -1]: readonly number[]): Result<LintedChunk, string> {
    const { rules, timings } = this;
    const file = this.fileOf(number);
    const unit = { ...file, source: withFragmentContext(file.source, file.path), kind: undefined, rules, timings };
    const loaded = measurePhase(timings, "read", () => loadProject(unit.path, unit.source.load));
    if (!loaded.ok) return loaded;
    const project = loaded.value;
    const found = measurePhase(timings, "lint", () => createLintSession(unit, project, {}).unfiltered);
    return { ok: true, value: { project, found, unread: new Map() } };
  }
}

function createLintSession(
  { path, source, rules, timings }: LintUnit,
  project: Project,
  filters: FindingFilters,
  onProgress?: ProgressListener,
): LintSession {
  const { from, loadAs, release } = source;
  const read = (as: Release, texts?: Texts) =>
    measurePhase(timings, "read", () =>
      projectIfLoaded(loadProject(path, { ...loadAs(as, texts), kind: project.kind })),
    );
  const before = from === undefined ? {} : { from, before: () => read(from) };
  const files = createDefaultFiles(project, source.load.access ?? source.access);
  const rest = { onProgress, omitsRoutine: true, rules, ruleIds, files, readCertificates, timings };
  return new LintSession(project, { ...filters, ...before, ...rest }, (texts) => read(release, texts));
}

// biome-ignore lint/correctness/useYield: it has no tasks for other threads
function* completeImmediately<T>(value: T): TaskGenerator<T> {
  return value;
}

const ruleIds = allRules.map(({ id }) => id);

function describeUnit(
  path: string,
  project: Project,
  source: ConfigSource,
): Pick<ReadUnit, "kind" | "notes" | "isUpgraded" | "skipped"> {
  const { kind } = project;
  const skipped = project.findSkippedFiles().map(describeSkipped);
  const upgraded = isBefore(source.from, "2.4") ? upgradedNotes(project) : [];
  const isUpgraded = upgraded.length > 0 && findLineOf24(project) !== undefined;
  if (kind !== "server") return { kind, notes: [], isUpgraded, skipped };
  const missing = missingRootNotes(path, project.read, source.load.access ?? diskAccess());
  return { kind, notes: [...missing, ...describeModuleList(project.read), ...upgraded], isUpgraded, skipped };
}

function describeSkipped({ include: { span }, source, ending }: SkippedFile): readonly [path: string, reason: string] {
  const { file, start, end } = span;
  const place = `${shortenPath(file.path)}:${lineAt(file, start)}`;
  const line = quoteText(file.text.slice(start, end));
  const name = `\`${basename(source.path)}\``;
  return [source.realPath, `${line} (${place}) skips ${name}: its name does not end in \`${ending}\``];
}

/** Returns a note on a configuration that is already for 2.4, or on the files of it that are. */
function upgradedNotes(project: Project): readonly string[] {
  const line = findLineOf24(project);
  if (line) return [`httpd-lint: ${describeUpgraded(line, process.cwd())}; it is checked as one of 2.4`];
  const files = findFilesFor24(project);
  return files.size === 0 ? [] : [`httpd-lint: ${describeUpgradedFiles([...files.values()], process.cwd())}`];
}

function projectIfLoaded(loaded: LoadResult): Project | undefined {
  return loaded.ok ? loaded.value : undefined;
}

/** Returns a note about a missing ServerRoot if no finding reports it. */
function missingRootNotes(main: string, { serverRoot, problems }: ReadConfig, access: FileAccess): readonly string[] {
  if (findPlaceholder(serverRoot) !== undefined) return [];
  if (problems.some(({ kind }) => kind === "server-root") || access.isDirectory(fromReadable(serverRoot))) return [];
  return [
    `httpd-lint: the ServerRoot \`${serverRoot}\` of \`${main}\` does not exist here; name its directory with --server-root or --sysroot`,
  ];
}
