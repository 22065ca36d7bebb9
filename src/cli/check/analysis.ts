import { defaultRules } from "../../../rules/index.js";
import type { DependencyRecorder } from "../../cache/dependency-recorder.js";
import type { Release } from "../../directives/directives.js";
import type { Texts } from "../../engine/apply-fixes.js";
import type { RuleDefinition } from "../../engine/rule.js";
import { applyFilters, type LintOptions, type LintResult, type RawLintResult } from "../../engine/run-rules.js";
import { LintSession } from "../../linter/lint.js";
import { diskAccess } from "../../project/files/disk.js";
import type { FileAccess } from "../../project/files/file-access.js";
import { type LoadOptions, type LoadResult, loadProject, openEntry } from "../../project/load.js";
import type { EntryKind, Project } from "../../project/model/project.js";
import { countLines, fromReadable } from "../../text/source.js";
import { type ConfigSource, withFragmentContext } from "../inputs/config-source.js";
import type { TaskGenerator } from "../workers/task.js";
import { analyzeInChunks } from "./chunked-analysis.js";
import { CHUNKING_THRESHOLD } from "./chunks.js";
import { type CachedResult, computeCacheKey, type ResultCache } from "./result-cache.js";

/** A configuration to analyze. */
export interface AnalysisRequest {
  readonly path: string;
  /** Detected if absent. */
  readonly kind: EntryKind | undefined;
  readonly reading: ConfigSource;
  readonly rules: readonly RuleDefinition[];
}

/** An analysis request that may use earlier results or be split into parts. */
export interface CachedAnalysisRequest extends AnalysisRequest {
  readonly kept: ResultCache | undefined;
  /** Whether it is analyzed as a whole, however many files it has: fixes concern all files together. */
  readonly isWhole: boolean;
}

type ResultOptions = Pick<LintOptions, "only" | "sift">;

/** The result of an analysis, filtered. */
export interface AnalysisResult {
  readonly result: LintResult;
  /** The number of lines of each file read, by real path. */
  readonly files: ReadonlyMap<string, number>;
  /** The parsed project, if read in this run; for an analysis in parts, the main files. */
  readonly project?: Project;
  /** The lint session, if analyzed in this run and as a whole. */
  readonly linted?: LintSession;
}

/** A configuration whose files are known; its findings are computed on demand. */
export interface Analysis extends Pick<CachedResult, "kind" | "notes"> {
  /** Whether a file, by real path, belongs to it. */
  readonly includesFile: (real: string) => boolean;
  computeResult(options: ResultOptions): TaskGenerator<AnalysisResult>;
}

/** A result computed in this run. */
export interface FreshAnalysisResult extends AnalysisResult {
  readonly examined: RawLintResult;
  readonly project: Project;
  /** Whether the findings are complete. */
  readonly isComplete: boolean;
}

export interface FreshAnalysis extends Analysis {
  computeResult(options: ResultOptions): TaskGenerator<FreshAnalysisResult>;
}

export interface UnreadableEntry {
  readonly unreadable: string;
}

/** Analyzes a configuration unless a cached result is still valid. */
export function analyzeEntry(given: CachedAnalysisRequest): Analysis | UnreadableEntry {
  const asked = { ...given, reading: withFragmentContext(given.reading, given.path) };
  const { kept, reading } = asked;
  if (kept === undefined) return analyzeUncached(asked, undefined);
  const key = requestKeyOf(asked);
  const access = reading.load.access ?? diskAccess();
  const known = kept.find(key, access);
  if (known) {
    const { files, examined } = known;
    const tell = (options: ResultOptions): AnalysisResult => ({ result: applyFilters(examined, options), files });
    return {
      ...known,
      includesFile: (real) => files.has(real),
      computeResult: (options) => completeImmediately(tell(options)),
    };
  }
  const answers = kept.createRecorder();
  const overheard = (load: LoadOptions) => ({ ...load, access: answers.wrap(load.access ?? diskAccess()) });
  const { load, loadAs } = reading;
  const listening = {
    ...reading,
    load: overheard(load),
    loadAs: (as: Release, texts?: Texts) => overheard(loadAs(as, texts)),
  };
  const analysed = analyzeUncached({ ...asked, reading: listening }, answers);
  if ("unreadable" in analysed) return analysed;
  return {
    ...analysed,
    *computeResult(options) {
      const now = yield* analysed.computeResult(options);
      const { files, examined, project, isComplete } = now;
      if (isComplete) kept.store(key, answers, project, access, { ...analysed, files, examined });
      return now;
    },
  };
}

/** Returns the cache key: all inputs of an analysis except files. */
function requestKeyOf({ path, kind, reading: { load, release, from }, rules }: AnalysisRequest): string {
  const { access, ...plain } = load;
  const isPartial = access?.isPartial === true;
  return computeCacheKey({
    path,
    kind,
    release,
    from,
    isPartial,
    load: plain,
    rules: rules.map(({ id, severity }) => [id, severity]),
  });
}

/** @param answers records file queries, if the result is cached */
function analyzeUncached(
  asked: CachedAnalysisRequest,
  answers: DependencyRecorder | undefined,
): FreshAnalysis | UnreadableEntry {
  const { path, kind, reading, isWhole } = asked;
  const opened = openEntry(path, kind === undefined ? reading.load : { ...reading.load, kind });
  if ("failed" in opened) return { unreadable: opened.failed };
  const found = opened.findHtaccess();
  const isMany = found !== undefined && found.files.length >= CHUNKING_THRESHOLD;
  // The effects of an upgrade are proved for all requests at once.
  if (isMany && !isWhole && reading.from === undefined)
    return { ...describeEntry(path, opened.project, reading), ...analyzeInChunks(asked, opened, found, answers) };
  return createWholeAnalysis(asked, found ? opened.readWhole(found) : opened.project);
}

/** Analyzes a configuration without the cache, with all its files. */
export function analyzeWhole(
  given: AnalysisRequest,
): (Pick<Analysis, "kind"> & { readonly linted: LintSession }) | UnreadableEntry {
  const asked = { ...given, reading: withFragmentContext(given.reading, given.path) };
  const { path, kind, reading } = asked;
  const loaded = loadProject(path, kind === undefined ? reading.load : { ...reading.load, kind });
  if ("failed" in loaded) return { unreadable: loaded.failed };
  return { kind: loaded.project.kind, linted: createLintSession(asked, loaded.project, {}) };
}

function createWholeAnalysis(asked: AnalysisRequest, project: Project): FreshAnalysis {
  const files = countLinesPerFile(project);
  return {
    ...describeEntry(asked.path, project, asked.reading),
    includesFile: (real) => files.has(real),
    computeResult(options) {
      const linted = createLintSession(asked, project, options);
      return completeImmediately({
        linted,
        files,
        result: linted.result,
        examined: linted.examined,
        project,
        isComplete: true,
      });
    },
  };
}

function createLintSession(
  { path, reading, rules }: AnalysisRequest,
  project: Project,
  asked: ResultOptions,
): LintSession {
  const { from, loadAs, release } = reading;
  const read = (as: Release, texts?: Texts) =>
    projectIfLoaded(loadProject(path, { ...loadAs(as, texts), kind: project.kind }));
  const before = from === undefined ? {} : { from, before: () => read(from) };
  return new LintSession(project, { ...asked, ...before, rules, ruleIds }, (texts) => read(release, texts));
}

// biome-ignore lint/correctness/useYield: there is no work that is shared out
function* completeImmediately<T>(value: T): TaskGenerator<T> {
  return value;
}

const ruleIds = defaultRules.map(({ id }) => id);

function describeEntry(path: string, project: Project, { load }: ConfigSource): Pick<Analysis, "kind" | "notes"> {
  const { kind } = project;
  return { kind, notes: kind === "server" ? missingRootNotes(path, project, load.access ?? diskAccess()) : [] };
}

function projectIfLoaded(loaded: LoadResult): Project | undefined {
  return "failed" in loaded ? undefined : loaded.project;
}

/** Returns the files of a project by real path, with their number of lines. */
export function countLinesPerFile(project: Project): ReadonlyMap<string, number> {
  return new Map([...project.files.values()].map(({ source }) => [source.realPath, countLines(source)]));
}

/** Returns a note about a missing ServerRoot if no finding reports it. */
function missingRootNotes(main: string, { serverRoot, problems }: Project, access: FileAccess): readonly string[] {
  if (problems.some(({ kind }) => kind === "server-root") || access.isDirectory(fromReadable(serverRoot))) return [];
  return [
    `httpd-lint: the ServerRoot \`${serverRoot}\` of \`${main}\` is not there; name where its files lie with --server-root or --sysroot`,
  ];
}
