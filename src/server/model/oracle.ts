import type { Directive } from "../../config/model/directive.js";
import { getOrCreate } from "../../text/collections.js";
import type { UnknownFact } from "./unknown-facts.js";

/**
 * An oracle for facts that a decision depends on and that cannot be known here: a file on the server's disk, an
 * unsupported pattern, a provider that queries a directory service. A run queries it as needed; the enumeration
 * performs a run for each combination of answers.
 */
export class Oracle {
  /** Created on the first query: most runs have none. */
  private noted: Map<UnknownFact, boolean> | undefined;

  private readCharacters = 0;

  private open: { readonly what: UnknownFact; readonly by: Directive | undefined } | undefined;

  /**
   * @param asksIrregularPatterns whether it also answers for patterns beyond regular languages: proofs hold for all
   *   texts of a set, and no automaton accepts exactly those that match
   */
  constructor(
    private readonly answers: ReadonlyMap<UnknownFact, boolean>,
    readonly asksIrregularPatterns = false,
  ) {}

  /** Returns an oracle that answers no to everything, to find out whether there is a question. */
  createEmpty(): Oracle {
    return new Oracle(emptyAnswers, this.asksIrregularPatterns);
  }

  /** Number of characters scanned by patterns and expansions: a few lines can make them read megabytes for each request. */
  get charactersRead(): number {
    return this.readCharacters;
  }

  countCharacters(count: number): void {
    this.readCharacters += count;
  }

  /** The undecidable part that no yes or no answer could settle, so that the result is unknown. */
  get undecidable(): UnknownFact | undefined {
    return this.open?.what;
  }

  /** The directive that causes it. */
  get undecidableBy(): Directive | undefined {
    return this.open?.by;
  }

  /** Marks a part as undecidable; the first one counts. */
  markUndecidable(what: UnknownFact, by?: Directive): void {
    this.open ??= { what, by };
  }

  /** In query order, each with its answer in this run. */
  get answered(): ReadonlyMap<UnknownFact, boolean> {
    return this.noted ?? emptyAnswers;
  }

  /**
   * Returns an oracle for a part of this run whose result may stay open: it has the same answers, but keeps what nothing
   * settles to itself.
   */
  createInner(): Oracle {
    return new InnerOracle(this);
  }

  /** Returns whether a fact holds in this run. */
  ask(fact: UnknownFact): boolean {
    this.noted ??= new Map();
    return getOrCreate(this.noted, fact, () => this.answers.get(fact) ?? false);
  }
}

const emptyAnswers: ReadonlyMap<UnknownFact, boolean> = new Map();

class InnerOracle extends Oracle {
  constructor(private readonly outer: Oracle) {
    super(emptyAnswers, outer.asksIrregularPatterns);
  }

  override get charactersRead(): number {
    return this.outer.charactersRead;
  }

  override countCharacters(count: number): void {
    this.outer.countCharacters(count);
  }

  override get answered(): ReadonlyMap<UnknownFact, boolean> {
    return this.outer.answered;
  }

  override ask(fact: UnknownFact): boolean {
    return this.outer.ask(fact);
  }
}

/** Limit of the runs; beyond it, the result is unknown. */
const MAX_RUNS = 256;
/** Limit of the characters scanned by all runs together. */
export const MAX_CHARACTERS_READ = 20_000_000;

export interface OracleRun<T> {
  readonly result: T;
  readonly answers: ReadonlyMap<UnknownFact, boolean>;
  /** The undecidable part of the run, as in the oracle. */
  readonly undecidable: UnknownFact | undefined;
}

/**
 * Performs runs with every combination of answers to their questions. Undefined if there are too many.
 *
 * @param run must be deterministic for the same answers
 */
export function enumerateRuns<T>(run: (oracle: Oracle) => T): readonly OracleRun<T>[] | undefined {
  const runs: OracleRun<T>[] = [];
  const waiting = [emptyAnswers];
  let left = MAX_CHARACTERS_READ;
  for (let answers = waiting.pop(); answers; answers = waiting.pop()) {
    if (runs.length >= MAX_RUNS || left < 0) return undefined;
    const oracle = new Oracle(answers);
    const result = run(oracle);
    const { answered, undecidable } = oracle;
    left -= oracle.charactersRead;
    runs.push({ result, answers: answered, undecidable });
    if (answered.size === 0) continue;
    // Each fact that this run asked for first is answered the other way, with the answers before it unchanged.
    const before = new Map<UnknownFact, boolean>();
    for (const [fact, answer] of answered) {
      if (!answers.has(fact)) waiting.push(new Map([...before, [fact, !answer]]));
      before.set(fact, answer);
    }
  }
  return runs;
}
