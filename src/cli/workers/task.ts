import type { CacheFileLocation, RecordedAnswer } from "../../cache/dependency-recorder.js";
import { deserializeFindings, type SerializedFindings, serializeFindings } from "../../cache/serialized-findings.js";
import type { Severity } from "../../engine/finding.js";
import type { RawLintResult } from "../../engine/run-rules.js";
import type { FileFailure } from "../../project/files/file-access.js";
import type { EntryKind, Project } from "../../project/model/project.js";
import { countLines, type SourceFile } from "../../text/source.js";
import type { ConfigSourceSpec } from "../inputs/config-source.js";

/** How files are read and judged, as plain values: a thread reads its own. */
export interface WorkerSession {
  readonly how: ConfigSourceSpec;
  /** The rules that run, as grave as the settings have them. */
  readonly rules: readonly (readonly [id: string, severity: Severity])[];
  /** Where files are looked at as parts of a server: its main file, and where all its `.htaccess` files lie. */
  readonly server?: { readonly main: string; readonly files: readonly string[] };
  /** Where it is to be told what was asked of files: the file that is none of the configuration. */
  readonly own?: CacheFileLocation;
}

/** Some of the `.htaccess` files of a server, by their numbers, or files that are looked at each by itself. */
export type AnalysisTask = { readonly numbers: readonly number[] } | { readonly paths: readonly string[] };

/** What came of a task; a result is undefined where it cannot be said in plain values, and whoever asked has to look himself. */
export type TaskResult =
  | {
      readonly kind: "part";
      readonly result: SerializedResult | undefined;
      readonly unread: ReadonlyMap<string, FileFailure>;
      /** What was asked of files, where that is to be told. */
      readonly answers?: readonly RecordedAnswer[];
    }
  | { readonly kind: "alone"; readonly each: readonly LoneFileResult[] };

/** What came of a file by itself. */
export type LoneFileResult =
  | { readonly unreadable: string }
  | { readonly kind: EntryKind; readonly result: SerializedResult | undefined };

/** Work that may be shared out, in tasks that know nothing of each other. */
export interface TaskBatch {
  readonly session: WorkerSession;
  readonly tasks: readonly AnalysisTask[];
  /** Does a task in this thread. */
  readonly runInline: (task: AnalysisTask) => TaskResult;
  /** Is given what came of each task, in their order. */
  readonly addResult: (done: TaskResult, task: AnalysisTask) => void;
}

/** What goes on in steps: at each there is work, which is done when it goes on. */
export type TaskGenerator<T> = Generator<TaskBatch, T, void>;

/** How many files a task is about. */
export function countTaskFiles(task: AnalysisTask): number {
  return "numbers" in task ? task.numbers.length : task.paths.length;
}

/** Goes through all steps in this thread. @param told hears of each task that is done */
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

/** What was found in some files, as plain values: without the trees of those files, and fit to be handed on by a thread. */
interface SerializedResult {
  readonly found: SerializedFindings;
  /** The files that findings speak of, but for those that whoever asks has himself. */
  readonly texts: readonly SourceFile[];
  /** The files that were read, by real path, with their number of lines. */
  readonly lines: readonly (readonly [path: string, lines: number])[];
}

/**
 * What was found, as plain values; undefined where it cannot be said in them.
 *
 * @param isKnown whether whoever asks has a file, by its path
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

/** The files of a project but for some, by real path, with their number of lines. */
export function listLineCounts(
  { files }: Project,
  isLeftOut: (path: string) => boolean,
): readonly (readonly [path: string, lines: number])[] {
  const counted: (readonly [string, number])[] = [];
  for (const { source } of files.values())
    if (!isLeftOut(source.path)) counted.push([source.realPath, countLines(source)]);
  return counted;
}

/** The same as findings. @param known the files that whoever asked has himself, by path */
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
