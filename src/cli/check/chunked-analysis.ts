import type { DependencyRecorder } from "../../cache/dependency-recorder.js";
import {
  applyFilters,
  compareByLocation,
  isFirstOccurrence,
  type LintOptions,
  type RawLintResult,
} from "../../engine/run-rules.js";
import { diskAccess } from "../../project/files/disk.js";
import type { FileAccess, FileFailure } from "../../project/files/file-access.js";
import type { OpenedServer } from "../../project/read-project.js";
import type { HtaccessSearchResult } from "../../project/reader/htaccess-discovery.js";
import { countLines, fromReadable, type SourceFile } from "../../text/source.js";
import {
  type AnalysisTask,
  deserializeResult,
  listLineCounts,
  type TaskResult,
  type WorkerSession,
} from "../workers/task.js";
import type { AnalysisRequest, FreshAnalysis, FreshAnalysisResult } from "./analysis.js";
import {
  type ChunkedServer,
  createChunkedServer,
  lintChunk,
  lintMainFiles,
  runChunkTask,
  splitIntoChunks,
} from "./chunks.js";

/** Analyzes a server with many `.htaccess` files in parts, which workers can share. */
export function analyzeInChunks(
  asked: AnalysisRequest,
  server: OpenedServer,
  found: HtaccessSearchResult,
  answers: DependencyRecorder | undefined,
): Pick<FreshAnalysis, "includesFile" | "computeResult"> {
  const { path: main, reading, rules } = asked;
  const paths = found.files.map(({ path }) => path);
  const own = answers?.own;
  const session: WorkerSession = {
    how: reading.how,
    rules: rules.map(({ id, severity }) => [id, severity]),
    server: { main, files: paths },
    ...(own ? { own } : {}),
  };
  const parts = createChunkedServer(server, paths, rules);
  const numbers = new FileIndex(paths, reading.load.access ?? diskAccess());
  const sources = new Map([...server.project.files.values()].map(({ source }) => [source.path, source]));
  const ofMain = new Map([...sources.values()].map((source) => [source.realPath, countLines(source)]));
  const lines = sumLines(ofMain);
  return {
    includesFile: (real) => ofMain.has(real) || numbers.numbersOf(real).length > 0,
    *computeResult(options) {
      const { only } = options;
      const all = new ChunkMerger(parts, sources, ofMain, answers);
      const wanted = only === undefined ? [...paths.keys()] : [...only].flatMap((real) => numbers.numbersOf(real));
      yield {
        session,
        tasks: splitIntoChunks(
          wanted.sort((a, b) => a - b),
          lines,
        ).map((each) => ({ numbers: each })),
        runInline: (task) => runChunkTask(task, parts),
        addResult: (done, task) => all.addChunk(done, task),
      };
      // Unreadable files are reported at lines of the main files, so those come last.
      if (only === undefined || [...ofMain.keys()].some((real) => only.has(real))) all.addMainFiles(found);
      return all.mergedResult(options, only === undefined);
    },
  };
}

/** File numbers by real path. */
class FileIndex {
  private readonly byPath: ReadonlyMap<string, number>;
  private byRealPath: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(
    private readonly paths: readonly string[],
    private readonly access: FileAccess,
  ) {
    this.byPath = new Map(paths.map((path, number) => [path, number]));
  }

  numbersOf(real: string): readonly number[] {
    const known = this.byPath.get(fromReadable(real));
    if (known !== undefined) return [known];
    // The path may be the target of links; resolving all links takes a while.
    this.byRealPath ??= this.indexByRealPath();
    return this.byRealPath.get(real) ?? [];
  }

  private indexByRealPath(): ReadonlyMap<string, readonly number[]> {
    const found = new Map<string, number[]>();
    for (const [number, path] of this.paths.entries()) {
      const real = this.access.realPath(path);
      found.set(real, [...(found.get(real) ?? []), number]);
    }
    return found;
  }
}

/** The combined result of all parts. */
class ChunkMerger {
  private readonly all: RawLintResult[] = [];
  private readonly files: Map<string, number>;
  private readonly unread = new Map<string, FileFailure>();

  constructor(
    private readonly parts: ChunkedServer,
    private readonly sources: ReadonlyMap<string, SourceFile>,
    ofMain: ReadonlyMap<string, number>,
    private readonly answers: DependencyRecorder | undefined,
  ) {
    this.files = new Map(ofMain);
  }

  addChunk(done: TaskResult, task: AnalysisTask): void {
    if (done.kind !== "part" || !("numbers" in task)) return;
    for (const [path, failure] of done.unread) this.unread.set(path, failure);
    if (done.answers) this.answers?.add(done.answers);
    const { result } = done;
    if (result) {
      this.all.push(deserializeResult(result, this.sources));
      this.countLines(result.lines);
      return;
    }
    const { examined, project } = lintChunk(this.parts, task.numbers);
    this.all.push(examined);
    this.countLines(listLineCounts(project, () => false));
  }

  addMainFiles(found: HtaccessSearchResult): void {
    const { server } = this.parts;
    const look: Parameters<typeof lintMainFiles>[1] = (files, view) =>
      server.readMainPart(files, view, found, this.unread);
    this.all.push(lintMainFiles(this.parts, look).examined);
  }

  mergedResult(options: Pick<LintOptions, "only" | "sift">, isAll: boolean): FreshAnalysisResult {
    const { files } = this;
    const lines = sumLines(files);
    const examined = {
      findings: this.all
        .flatMap(({ findings }) => findings)
        .sort(compareByLocation)
        .filter(isFirstOccurrence),
      ignored: this.all
        .flatMap(({ ignored }) => ignored)
        .sort(compareByLocation)
        .filter(isFirstOccurrence),
      files: files.size,
      lines,
    };
    return {
      result: applyFilters(examined, options),
      files,
      examined,
      project: this.parts.server.project,
      isComplete: isAll,
    };
  }

  private countLines(lines: ReturnType<typeof listLineCounts>): void {
    for (const [path, count] of lines) this.files.set(path, count);
  }
}

function sumLines(lines: ReadonlyMap<string, number>): number {
  return [...lines.values()].reduce((sum, each) => sum + each, 0);
}
