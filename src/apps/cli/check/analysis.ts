import { allRules } from "../../../../rules/index.js";
import { readCertificates } from "../../../config/files/certificates.js";
import { diskAccess } from "../../../config/files/disk.js";
import type { FileAccess } from "../../../config/files/file-access.js";
import { findPlaceholder } from "../../../config/model/placeholders.js";
import type { EntryKind, Project, ReadConfig } from "../../../config/model/project.js";
import { type LoadOptions, openEntry } from "../../../config/read-entry.js";
import type { Release } from "../../../facts/directives.js";
import type { Texts } from "../../../lint/apply-fixes.js";
import type { RuleDefinition } from "../../../lint/rule.js";
import type { LintOptions } from "../../../lint/runner/lint.js";
import { LintSession } from "../../../lint/runner/lint.js";
import type { LintResult } from "../../../lint/runner/run-rules.js";
import type { ProgressListener } from "../../../proof/model/progress.js";
import { describeUpgraded, describeUpgradedFiles } from "../../../report/comparisons/migration-notes.js";
import { findFilesFor24, findLineOf24 } from "../../../server/access/lines-of-24.js";
import { createFileTree, defaultFilesChoice } from "../../../server/file-trees.js";
import { installConfig } from "../../../startup/install-config.js";
import { type LoadResult, loadProject } from "../../../startup/load-project.js";
import { fromReadable, type SourceFile } from "../../../text/source.js";
import type { DependencyRecorder } from "../../cache/dependency-recorder.js";
import type { TaskGenerator, UnreadableFile } from "../../workers/task.js";
import { type ConfigSource, describeModuleList, withFragmentContext } from "../inputs/config-source.js";
import type { ProgressRunner } from "../output/progress-line.js";
import { countLinesPerFile } from "./check-results.js";
import { analyzeInChunks } from "./chunked-analysis.js";
import { CHUNKING_THRESHOLD, type ChunkFindings, type ChunkLinter, listRuleSeverities } from "./chunks.js";
import { computeCacheKey, type ResultCache } from "./result-cache.js";

/** A configuration to analyze. */
export interface AnalysisRequest {
  readonly path: string;
  /** Detected if absent. */
  readonly kind: EntryKind | undefined;
  readonly reading: ConfigSource;
  readonly rules: readonly RuleDefinition[];
  /** Runs proofs and shows their progress. */
  readonly runWithProgress?: ProgressRunner | undefined;
}

/** Which findings are wanted. */
type FindingFilters = Pick<LintOptions, "only" | "suppress">;

/** The findings of an analysis, unfiltered. */
export interface AnalysisResult {
  readonly kind: EntryKind;
  readonly notes: readonly string[];
  /** Whether it is declared as one of 2.2 and already for 2.4 as a whole. */
  readonly isUpgraded: boolean;
  readonly examined: LintResult;
  /** The number of lines of each file read, by real path. */
  readonly files: ReadonlyMap<string, number>;
  /** Whether the findings of all files are included, not only those of the wanted ones. */
  readonly isComplete: boolean;
  /** The parsed project, if read in this run; for an analysis in several chunks, the main files. */
  readonly project?: Project;
  /** The lint session with the filters, if analyzed in this run as one chunk. */
  readonly session?: LintSession;
}

/** A configuration whose files are known; its findings are computed on demand. */
export interface Analysis extends Pick<AnalysisResult, "kind" | "notes" | "isUpgraded"> {
  /** Whether a file, by real path, belongs to it. */
  readonly includesFile: (real: string) => boolean;
  computeResult(filters: FindingFilters): TaskGenerator<AnalysisResult>;
}

/**
 * Analyzes a configuration unless a cached result is still valid.
 *
 * @param cache the results of earlier runs, if they may be used
 * @param isWhole whether all files are one chunk, however many there are: fixes concern all files together
 */
export function analyzeEntry(
  given: AnalysisRequest,
  cache: ResultCache | undefined,
  isWhole: boolean,
): Analysis | UnreadableFile {
  const request = { ...given, reading: withFragmentContext(given.reading, given.path) };
  if (cache === undefined) return analyzeUncached(request, isWhole, undefined);
  const { load, loadAs } = request.reading;
  const key = requestKeyOf(request);
  const access = load.access ?? diskAccess();
  const known = cache.find(key, access);
  if (known)
    return {
      ...known,
      includesFile: (real) => known.files.has(real),
      computeResult: () => completeImmediately(known),
    };
  const recorder = cache.createRecorder();
  const record = (options: LoadOptions) => ({ ...options, access: recorder.wrap(options.access ?? diskAccess()) });
  const reading: ConfigSource = {
    ...request.reading,
    load: record(load),
    loadAs: (release, texts) => record(loadAs(release, texts)),
  };
  const analysis = analyzeUncached({ ...request, reading }, isWhole, recorder);
  if ("unreadable" in analysis) return analysis;
  return {
    ...analysis,
    *computeResult(filters) {
      const result = yield* analysis.computeResult(filters);
      cache.store(key, recorder, access, result);
      return result;
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
    rules: listRuleSeverities(rules),
    // Dates in conditions and certificates pass.
    day: new Date().toISOString().slice(0, "2000-01-01".length),
  });
}

/** @param recorder records file queries, if the result is cached */
function analyzeUncached(
  request: AnalysisRequest,
  isWhole: boolean,
  recorder: DependencyRecorder | undefined,
): Analysis | UnreadableFile {
  const { path, kind, reading } = request;
  const opened = openEntry(path, kind === undefined ? reading.load : { ...reading.load, kind });
  if ("failed" in opened) return { unreadable: opened.failed };
  const found = opened.findHtaccess();
  const hasManyFiles = found !== undefined && found.files.length >= CHUNKING_THRESHOLD;
  // The effects of an upgrade are proved for all requests at once.
  if (hasManyFiles && !isWhole && reading.from === undefined)
    return analyzeInChunks(
      request,
      opened,
      found,
      describeEntry(path, installConfig(opened.config), reading),
      recorder,
    );
  return analyzeAsOneChunk(request, installConfig(found ? opened.readWhole(found) : opened.config));
}

function analyzeAsOneChunk(request: AnalysisRequest, project: Project): Analysis {
  const about = describeEntry(request.path, project, request.reading);
  const files = countLinesPerFile(project);
  return {
    ...about,
    includesFile: (real) => files.has(real),
    computeResult(filters) {
      const examine = (onProgress?: ProgressListener) => {
        const session = createLintSession(request, project, filters, onProgress);
        return { session, examined: session.unfiltered };
      };
      const { reading, runWithProgress } = request;
      const found = reading.from === undefined ? examine() : (runWithProgress?.(examine) ?? examine());
      return completeImmediately({ ...about, ...found, files, isComplete: true, project });
    },
  };
}

/** Analyzes files on their own: each is a chunk. */
export class StandaloneFileLinter implements ChunkLinter {
  readonly shared = new Map<string, SourceFile>();

  /** @param fileOf returns the file of a number, and how it is read */
  constructor(
    private readonly rules: readonly RuleDefinition[],
    private readonly fileOf: (number: number) => Pick<AnalysisRequest, "path" | "reading">,
  ) {}

  lint([number = -1]: readonly number[]): ChunkFindings | UnreadableFile {
    const { path, reading: source } = this.fileOf(number);
    const reading = withFragmentContext(source, path);
    const loaded = loadProject(path, reading.load);
    if ("failed" in loaded) return { unreadable: loaded.failed };
    const { project } = loaded;
    const request = { path, kind: undefined, reading, rules: this.rules };
    return { project, examined: createLintSession(request, project, {}).unfiltered, unread: new Map() };
  }
}

function createLintSession(
  { path, reading, rules }: AnalysisRequest,
  project: Project,
  filters: FindingFilters,
  onProgress?: ProgressListener,
): LintSession {
  const { from, loadAs, release } = reading;
  const read = (as: Release, texts?: Texts) =>
    projectIfLoaded(loadProject(path, { ...loadAs(as, texts), kind: project.kind }));
  const before = from === undefined ? {} : { from, before: () => read(from) };
  const files = createFileTree(defaultFilesChoice, project, reading.load.access ?? reading.access);
  const options = { ...filters, ...before, onProgress, omitsRoutine: true, rules, ruleIds, files, readCertificates };
  return new LintSession(project, options, (texts) => read(release, texts));
}

// biome-ignore lint/correctness/useYield: it has no tasks for other threads
function* completeImmediately<T>(value: T): TaskGenerator<T> {
  return value;
}

const ruleIds = allRules.map(({ id }) => id);

function describeEntry(
  path: string,
  project: Project,
  reading: ConfigSource,
): Pick<Analysis, "kind" | "notes" | "isUpgraded"> {
  const { kind } = project;
  const upgraded = reading.from === "2.2" ? upgradedNotes(project) : [];
  const isUpgraded = upgraded.length > 0 && findLineOf24(project) !== undefined;
  if (kind !== "server") return { kind, notes: [], isUpgraded };
  const missing = missingRootNotes(path, project.read, reading.load.access ?? diskAccess());
  return { kind, notes: [...missing, ...describeModuleList(project.read), ...upgraded], isUpgraded };
}

/** Returns a note on a configuration that is already for 2.4, or on the files of it that are. */
function upgradedNotes(project: Project): readonly string[] {
  const line = findLineOf24(project);
  if (line) return [`httpd-lint: ${describeUpgraded(line, process.cwd())}; it is checked as one of 2.4`];
  const files = findFilesFor24(project);
  return files.size === 0 ? [] : [`httpd-lint: ${describeUpgradedFiles([...files.values()], process.cwd())}`];
}

function projectIfLoaded(loaded: LoadResult): Project | undefined {
  return "failed" in loaded ? undefined : loaded.project;
}

/** Returns a note about a missing ServerRoot if no finding reports it. */
function missingRootNotes(main: string, { serverRoot, problems }: ReadConfig, access: FileAccess): readonly string[] {
  if (findPlaceholder(serverRoot) !== undefined) return [];
  if (problems.some(({ kind }) => kind === "server-root") || access.isDirectory(fromReadable(serverRoot))) return [];
  return [
    `httpd-lint: the ServerRoot \`${serverRoot}\` of \`${main}\` does not exist here; name its directory with --server-root or --sysroot`,
  ];
}
