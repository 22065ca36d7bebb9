import type { FileFailure } from "../../config/files/file-access.js";
import type { EntryKind } from "../../config/model/project.js";
import type { Severity } from "../../lint/finding.js";
import { type NumberedFindings, numberFiles, restoreFiles } from "../../lint/finding-files.js";
import type { LintResult } from "../../lint/runner/run-rules.js";
import type { Timings } from "../../lint/runner/timings.js";
import type { Result } from "../../text/result.js";
import { countLines, type SourceFile } from "../../text/source.js";
import type { CacheFileLocation, RecordedAnswer } from "../cache/dependency-recorder.js";
import type { LintedChunk } from "../cli/check/chunks.js";
import type { ConfigSourceSpec } from "../cli/inputs/config-source.js";

/** The files to check and how, as plain values: each thread reads files itself. */
export type WorkerSession = ServerSession | StandaloneSession;

/** A rule to run as a plain value; without variants if it has none. */
export interface RunningRule {
  readonly id: string;
  readonly severity: Severity;
  readonly variants: readonly string[];
}

interface SessionBase {
  /** The rules to run, with their configured severity and their variants. */
  readonly rules: readonly RunningRule[];
  /** The paths of the files, which tasks name by number. */
  readonly files: readonly string[];
  /** Whether threads measure times. */
  readonly isTimed?: boolean;
}

/** The `.htaccess` files of a server. */
export interface ServerSession extends SessionBase {
  readonly spec: ConfigSourceSpec;
  /** The main file of the server. */
  readonly main: string;
  /** For recording file queries: the file that does not belong to the configuration. */
  readonly own?: CacheFileLocation;
}

/** Files that are checked each on its own. */
export interface StandaloneSession extends SessionBase {
  /** The ways in which files are read: each server has one for the files next to it. */
  readonly sources: readonly ConfigSourceSpec[];
  /** The index of the source of each file. */
  readonly sourceOf: readonly number[];
}

/** Some of the files of a session, by number. */
export type LintTask = readonly number[];

/** Returns the files of a task that are checked together: those of a server all, other files each on its own. */
export function chunksOf(task: LintTask, session: WorkerSession): readonly LintTask[] {
  return "main" in session ? [task] : task.map((number) => [number]);
}

/** The findings in a chunk, as threads pass them on: without the trees of the files. */
export interface ChunkFindings {
  readonly kind: EntryKind;
  /** Undefined if a file has no path to read it from. */
  readonly found: NumberedFindings | undefined;
  /** The files that findings refer to, except for those that the caller already has. */
  readonly texts: readonly SourceFile[];
  /** The number of lines of each file read, by real path. */
  readonly lines: readonly (readonly [path: string, lines: number])[];
  readonly unread: ReadonlyMap<string, FileFailure>;
  /** The recorded file queries, if requested. */
  readonly answers?: readonly RecordedAnswer[];
}

/** The result of a task, for each of its chunks, or why a file cannot be read. */
export type TaskResult = readonly Result<ChunkFindings, string>[];

/** Work that can be distributed, in independent tasks. */
export interface TaskBatch {
  readonly session: WorkerSession;
  /** Receives what threads measure. */
  readonly timings?: Timings | undefined;
  readonly tasks: readonly LintTask[];
  /** Runs a task in this thread. */
  readonly runInline: (task: LintTask) => TaskResult;
  /** Receives the result of each task, in task order. */
  readonly addResult: (done: TaskResult, task: LintTask) => void;
}

/** A computation in steps. Each step yields work, which is done before the next step. */
export type TaskGenerator<T> = Generator<TaskBatch, T, void>;

/** Receives the number of files that are done, and of all. */
export type ProgressCounter = (done: number, all: number) => void;

/** Runs all steps in this thread. @param onProgress is called after each completed task */
export function runInline<T>(steps: TaskGenerator<T>, onProgress: ProgressCounter): T {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    runBatchInline(step.value, onProgress);
  }
}

/** Does the work of a step in this thread. */
export function runBatchInline({ runInline, addResult, tasks }: TaskBatch, onProgress: ProgressCounter): void {
  const all = countFiles(tasks);
  let done = 0;
  onProgress(done, all);
  for (const task of tasks) {
    addResult(runInline(task), task);
    done += task.length;
    onProgress(done, all);
  }
}

/** Returns the number of files of tasks. */
export function countFiles(tasks: readonly LintTask[]): number {
  return tasks.reduce((sum, task) => sum + task.length, 0);
}

/** Replaces the files of findings by numbers, and drops the trees. @param known the files that the caller already has, by path */
export function detachChunk(
  { found: all, project, unread }: LintedChunk,
  known: ReadonlyMap<string, SourceFile>,
): ChunkFindings {
  const sources = new Map([...project.files.values()].map(({ source }) => [source.path, source]));
  const found = numberFiles(all, (file) => sources.get(file.path) === file);
  const texts = (found?.paths ?? []).flatMap((path) => (known.has(path) ? [] : (sources.get(path) ?? [])));
  return {
    kind: project.kind,
    found,
    texts: texts.map(({ path, realPath, text }) => ({ path, realPath, text })),
    lines: [...sources.values()].flatMap((source) =>
      known.has(source.path) ? [] : [[source.realPath, countLines(source)] as const],
    ),
    unread,
  };
}

/**
 * Replaces the numbers in findings by files.
 *
 * @param known the files that the caller already has, by path
 * @returns undefined if a file had no number
 */
export function attachChunk(
  { found, texts }: ChunkFindings,
  known: ReadonlyMap<string, SourceFile>,
): LintResult | undefined {
  if (found === undefined) return undefined;
  const own = new Map(texts.map((file) => [file.path, file]));
  const sources = new Map(
    found.paths.flatMap((path) => {
      const file = known.get(path) ?? own.get(path);
      return file ? [[path, file] as const] : [];
    }),
  );
  const restored = restoreFiles(found, sources);
  if (restored === undefined) throw new Error("a finding refers to a file that was not transferred");
  return restored;
}
