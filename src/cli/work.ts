import type { Severity } from "../engine/finding.js";
import type { KeptAnswer, OwnFile } from "../kept/answers.js";
import type { FileFailure } from "../project/files.js";
import type { EntryKind } from "../project/project.js";
import type { PlainResult } from "./plain-results.js";
import type { HowRead } from "./reading.js";

/** How files are read and judged, as plain values: a thread reads its own. */
export interface Session {
  readonly how: HowRead;
  /** The rules that run, as grave as the settings have them. */
  readonly rules: readonly (readonly [id: string, severity: Severity])[];
  /** Where files are looked at as parts of a server: its main file, and where all its `.htaccess` files lie. */
  readonly server?: { readonly main: string; readonly files: readonly string[] };
  /** Where it is to be told what was asked of files: the file that is none of the configuration. */
  readonly own?: OwnFile;
}

/** Some of the `.htaccess` files of a server, by their numbers, or files that are looked at each by itself. */
export type Task = { readonly numbers: readonly number[] } | { readonly paths: readonly string[] };

/** What came of a task; a result is undefined where it cannot be said in plain values, and whoever asked has to look himself. */
export type Done =
  | {
      readonly kind: "part";
      readonly result: PlainResult | undefined;
      readonly unread: ReadonlyMap<string, FileFailure>;
      /** What was asked of files, where that is to be told. */
      readonly answers?: readonly KeptAnswer[];
    }
  | { readonly kind: "alone"; readonly each: readonly Alone[] };

/** What came of a file by itself. */
export type Alone =
  | { readonly unreadable: string }
  | { readonly kind: EntryKind; readonly result: PlainResult | undefined };

/** Work that may be shared out, in tasks that know nothing of each other. */
export interface Work {
  readonly session: Session;
  readonly tasks: readonly Task[];
  /** Does a task in this thread. */
  readonly here: (task: Task) => Done;
  /** Is given what came of each task, in their order. */
  readonly take: (done: Done, task: Task) => void;
}

/** What goes on in steps: at each there is work, which is done when it goes on. */
export type Steps<T> = Generator<Work, T, void>;

/** How many files a task is about. */
export function sizeOf(task: Task): number {
  return "numbers" in task ? task.numbers.length : task.paths.length;
}

/** Goes through all steps in this thread. @param told hears of each task that is done */
export function inThisThread<T>(steps: Steps<T>, told: (done: number, all: number) => void): T {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    const { here, take, tasks } = step.value;
    const all = tasks.reduce((sum, task) => sum + sizeOf(task), 0);
    let done = 0;
    told(done, all);
    for (const task of tasks) {
      take(here(task), task);
      done += sizeOf(task);
      told(done, all);
    }
  }
}
