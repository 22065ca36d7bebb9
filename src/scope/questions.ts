import type { Directive } from "../project/directive.js";

/**
 * What a decision hangs on and nobody here can know: a file on the server's disk, a pattern that is not modelled, a
 * provider that asks a directory service. A run asks such questions as it goes; `explore` makes a run for each way of
 * answering them.
 */
export class Questions {
  /** Made with the first question: most runs ask none. */
  private noted: Map<string, boolean> | undefined;

  private open: { readonly what: string; readonly by: Directive | undefined } | undefined;

  constructor(private readonly answers: ReadonlyMap<string, boolean>) {}

  /** What no answer of yes or no would settle: what comes of it is unknown. */
  get unsettled(): string | undefined {
    return this.open?.what;
  }

  /** The line that leaves it open. */
  get unsettledBy(): Directive | undefined {
    return this.open?.by;
  }

  /** Leaves open what no answer would settle; the first such thing counts. @param what in words that complete "it hangs on …" */
  leaveOpen(what: string, by?: Directive): void {
    this.open ??= { what, by };
  }

  /** In the order in which they came up, each with its answer in this run. */
  get asked(): ReadonlyMap<string, boolean> {
    return this.noted ?? none;
  }

  /**
   * @param question in words that complete "unknown is …", such as `whether the file exists`; the same words are the same
   * question
   */
  ask(question: string): boolean {
    this.noted ??= new Map();
    const before = this.noted.get(question);
    if (before !== undefined) return before;
    const answer = this.answers.get(question) ?? false;
    this.noted.set(question, answer);
    return answer;
  }
}

const none: ReadonlyMap<string, boolean> = new Map();

/** More runs than these are not made: then nothing is known. */
const MOST_RUNS = 256;

export interface Run<T> {
  readonly result: T;
  readonly answers: ReadonlyMap<string, boolean>;
  /** As in `Questions`. */
  readonly unsettled: string | undefined;
}

/**
 * Runs with every combination of answers to the questions that come up. Undefined where there are too many.
 *
 * @param run must do the same where it gets the same answers
 */
export function explore<T>(run: (questions: Questions) => T): readonly Run<T>[] | undefined {
  const runs: Run<T>[] = [];
  const waiting = [none];
  for (let answers = waiting.pop(); answers; answers = waiting.pop()) {
    if (runs.length >= MOST_RUNS) return undefined;
    const questions = new Questions(answers);
    const result = run(questions);
    const { asked, unsettled } = questions;
    runs.push({ result, answers: asked, unsettled });
    if (asked.size === 0) continue;
    // Each question that this run was the first to ask is answered the other way, with those before it as they were.
    const before = new Map<string, boolean>();
    for (const [question, answer] of asked) {
      if (!answers.has(question)) waiting.push(new Map([...before, [question, !answer]]));
      before.set(question, answer);
    }
  }
  return runs;
}
