import type { CacheFileLocation, RecordedAnswer } from "../../cache/dependency-recorder.js";
import { deserializeFindings, type SerializedFindings, serializeFindings } from "../../cache/serialized-findings.js";
import type { Severity } from "../../engine/finding.js";
import type { RawLintResult } from "../../engine/run-rules.js";
import type { FileFailure } from "../../project/files/file-access.js";
import type { EntryKind, Project } from "../../project/model/project.js";
import { countLines, type SourceFile } from "../../text/source.js";
import type { ConfigSourceSpec } from "../inputs/config-source.js";

/** The options for reading and checking files, as plain values: each thread reads files itself. */
export interface WorkerSession {
  readonly how: ConfigSourceSpec;
  /** The rules to run, with their configured severity. */
  readonly rules: readonly (readonly [id: string, severity: Severity])[];
  /** For analysis in parts: the main file of the server, and the paths of all its `.htaccess` files. */
  readonly server?: { readonly main: string; readonly files: readonly string[] };
  /** For recording file queries: the file that does not belong to the configuration. */
  readonly own?: CacheFileLocation;
}

/** Some of a server's `.htaccess` files, by number, or files to analyze separately. */
export type AnalysisTask = { readonly numbers: readonly number[] } | { readonly paths: readonly string[] };

/**
 * The result of a task. It is undefined if it cannot be represented as plain values; the caller then analyzes the files
 * itself.
 */
export type TaskResult =
  | {
      readonly kind: "part";
      readonly result: SerializedResult | undefined;
      readonly unread: ReadonlyMap<string, FileFailure>;
      /** The recorded file queries, if requested. */
      readonly answers?: readonly RecordedAnswer[];
    }
  | { readonly kind: "alone"; readonly each: readonly LoneFileResult[] };

/** The result of a file analyzed on its own. */
export type LoneFileResult =
  | { readonly unreadable: string }
  | { readonly kind: EntryKind; readonly result: SerializedResult | undefined };

/** Work that can be distributed, in independent tasks. */
export interface TaskBatch {
  readonly session: WorkerSession;
  readonly tasks: readonly AnalysisTask[];
  /** Runs a task in this thread. */
  readonly runInline: (task: AnalysisTask) => TaskResult;
  /** Receives the result of each task, in task order. */
  readonly addResult: (done: TaskResult, task: AnalysisTask) => void;
}

/** A computation in steps. Each step yields work, which is done before the next step. */
export type TaskGenerator<T> = Generator<TaskBatch, T, void>;

/** Returns the number of files in a task. */
export function countTaskFiles(task: AnalysisTask): number {
  return "numbers" in task ? task.numbers.length : task.paths.length;
}

/** Runs all steps in this thread. @param told is called after each completed task */
export function runInline<T>(steps: TaskGenerator<T>, told: (done: number, all: number) => void): T {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    const { runInline, addResult, tasks } = step.value;
    const all = tasks.reduce((sum, task) => sum + countTaskFiles(task), 0);
    let done = 0;
    told(done, all);
    for (const task of tasks) {
      addResult(runInline(task), task);
      done += countTaskFiles(task);
      told(done, all);
    }
  }
}

/** The findings in some files as plain values, which can be passed between threads: without the trees of the files. */
interface SerializedResult {
  readonly found: SerializedFindings;
  /** The files that findings refer to, except for those that the caller already has. */
  readonly texts: readonly SourceFile[];
  /** The number of lines of each file read, by real path. */
  readonly lines: readonly (readonly [path: string, lines: number])[];
}

/**
 * Converts a result to plain values; returns undefined if it cannot be represented.
 *
 * @param isKnown whether the caller has a file, by its path
 */
export function serializeResult(
  examined: RawLintResult,
  project: Project,
  isKnown: (path: string) => boolean,
): SerializedResult | undefined {
  const sources = new Map([...project.files.values()].map(({ source }) => [source.path, source]));
  const found = serializeFindings(examined, (file) => sources.get(file.path) === file);
  if (found === undefined) return undefined;
  const texts = found.sources.flatMap((path) => (isKnown(path) ? [] : (sources.get(path) ?? [])));
  return {
    found,
    texts: texts.map(({ path, realPath, text }) => ({ path, realPath, text })),
    lines: listLineCounts(project, isKnown),
  };
}

/** Returns the files of a project, except for some, by real path with their number of lines. */
export function listLineCounts(
  { files }: Project,
  isLeftOut: (path: string) => boolean,
): readonly (readonly [path: string, lines: number])[] {
  const counted: (readonly [string, number])[] = [];
  for (const { source } of files.values())
    if (!isLeftOut(source.path)) counted.push([source.realPath, countLines(source)]);
  return counted;
}

/** Restores findings from plain values. @param known the files that the caller already has, by path */
export function deserializeResult(
  { found, texts }: SerializedResult,
  known: ReadonlyMap<string, SourceFile>,
): RawLintResult {
  const own = new Map(texts.map((file) => [file.path, file]));
  const sources = new Map(
    found.sources.flatMap((path) => {
      const file = known.get(path) ?? own.get(path);
      return file ? [[path, file] as const] : [];
    }),
  );
  const again = deserializeFindings(found, sources);
  if (again === undefined) throw new Error("a finding speaks of a file that was not handed on");
  return again;
}
