import type { Directive } from "../../project/model/directive.js";

/**
 * What a decision hangs on and nobody here can know: a file on the server's disk, a pattern that is not modelled, a
 * provider that asks a directory service. A run asks such questions as it goes; `explore` makes a run for each way of
 * answering them.
 */
export class Oracle {
  /** Made with the first question: most runs ask none. */
  private noted: Map<string, boolean> | undefined;

  private open: { readonly what: string; readonly by: Directive | undefined } | undefined;

  constructor(private readonly answers: ReadonlyMap<string, boolean>) {}

  /** What no answer of yes or no would settle: what comes of it is unknown. */
  get undecidable(): string | undefined {
    return this.open?.what;
  }

  /** The line that leaves it open. */
  get undecidableBy(): Directive | undefined {
    return this.open?.by;
  }

  /** Leaves open what no answer would settle; the first such thing counts. @param what in words that complete "it hangs on …" */
  markUndecidable(what: string, by?: Directive): void {
    this.open ??= { what, by };
  }

  /** In the order in which they came up, each with its answer in this run. */
  get answered(): ReadonlyMap<string, boolean> {
    return this.noted ?? emptyAnswers;
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

const emptyAnswers: ReadonlyMap<string, boolean> = new Map();

/** More runs than these are not made: then nothing is known. */
const MAX_RUNS = 256;

export interface OracleRun<T> {
  readonly result: T;
  readonly answers: ReadonlyMap<string, boolean>;
  /** As in `Questions`. */
  readonly undecidable: string | undefined;
}

/**
 * Runs with every combination of answers to the questions that come up. Undefined where there are too many.
 *
 * @param run must do the same where it gets the same answers
 */
export function enumerateRuns<T>(run: (questions: Oracle) => T): readonly OracleRun<T>[] | undefined {
  const runs: OracleRun<T>[] = [];
  const waiting = [emptyAnswers];
  for (let answers = waiting.pop(); answers; answers = waiting.pop()) {
    if (runs.length >= MAX_RUNS) return undefined;
    const questions = new Oracle(answers);
    const result = run(questions);
    const { answered, undecidable } = questions;
    runs.push({ result, answers: answered, undecidable });
    if (answered.size === 0) continue;
    // Each question that this run was the first to ask is answered the other way, with those before it as they were.
    const before = new Map<string, boolean>();
    for (const [question, answer] of answered) {
      if (!answers.has(question)) waiting.push(new Map([...before, [question, !answer]]));
      before.set(question, answer);
    }
  }
  return runs;
}
