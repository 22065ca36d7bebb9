import type { DirectiveVisitor } from "../../config/queries/walker.js";
import type { StepBudget } from "../../regex/budget.js";
import type { Visitor } from "../rule.js";

/**
 * The phases of a run: start of the program; flags, settings and search for files; reading files; looking results up in
 * the cache and storing them; running rules; filters; fixes; rendering; waiting for threads.
 */
export type Phase = "start" | "prepare" | "read" | "cache" | "lint" | "filter" | "fix" | "render" | "wait";

/** The work of a rule. */
export interface RuleTiming {
  readonly milliseconds: number;
  /** Number of calls of its functions. */
  readonly visits: number;
  /** Number of its reports, before duplicates are removed and filters are applied. */
  readonly reports: number;
}

/** Measurements as plain data, which threads pass on. */
export interface TimingRecord {
  readonly phases: readonly (readonly [phase: Phase, milliseconds: number])[];
  readonly rules: readonly (readonly [rule: string, timing: RuleTiming])[];
  readonly steps: number;
}

/**
 * Measures where the time of a run goes. A moment belongs to one phase, and to one rule at most, so that the phases of a
 * thread add up to its time. Runs without it measure nothing.
 */
export class Timings {
  readonly cache = { hits: 0, misses: 0 };
  /** The largest number of threads that ran at once. */
  threads = 1;
  /** What other threads did. */
  private readonly records: TimingRecord[] = [];
  private readonly byPhase = new Map<Phase, number>();
  private readonly byRule = new Map<string, RuleTiming>();
  private steps = 0;

  /** @param since the time of `performance.now()` at which the first phase began; 0 is the start of the program */
  constructor(
    private current: Phase = "start",
    private since = 0,
  ) {}

  /** Begins a phase, and returns the one before. */
  enter(phase: Phase): Phase {
    const before = this.current;
    const now = performance.now();
    this.byPhase.set(before, (this.byPhase.get(before) ?? 0) + now - this.since);
    this.since = now;
    this.current = phase;
    return before;
  }

  /** Counts the steps of proofs. It limits nothing. */
  readonly spent: StepBudget = {
    take: (steps) => {
      this.steps += steps;
    },
    isUsedUp: false,
  };

  /** Runs a function of a rule. */
  runRule<T>(rule: string, compute: () => T): T {
    const started = performance.now();
    try {
      return compute();
    } finally {
      this.addRule(rule, { milliseconds: performance.now() - started, visits: 1, reports: 0 });
    }
  }

  countReport(rule: string): void {
    this.addRule(rule, { milliseconds: 0, visits: 0, reports: 1 });
  }

  /** Adds the measurements of another thread. */
  add(record: TimingRecord): void {
    this.records.push(record);
    for (const [rule, timing] of record.rules) this.addRule(rule, timing);
    this.steps += record.steps;
  }

  /** Returns what was measured so far. */
  read(): TimingRecord {
    this.enter(this.current);
    return { phases: [...this.byPhase], rules: [...this.byRule], steps: this.steps };
  }

  /** Returns and forgets what was measured so far. */
  drain(): TimingRecord {
    const record = this.read();
    this.byPhase.clear();
    this.byRule.clear();
    this.steps = 0;
    return record;
  }

  /** Returns the time of each phase in the other threads. */
  listThreadPhases(): TimingRecord["phases"] {
    const sums = new Map<Phase, number>();
    for (const [phase, milliseconds] of this.records.flatMap((record) => record.phases))
      sums.set(phase, (sums.get(phase) ?? 0) + milliseconds);
    return [...sums];
  }

  private addRule(rule: string, { milliseconds, visits, reports }: RuleTiming): void {
    const before = this.byRule.get(rule) ?? { milliseconds: 0, visits: 0, reports: 0 };
    this.byRule.set(rule, {
      milliseconds: before.milliseconds + milliseconds,
      visits: before.visits + visits,
      reports: before.reports + reports,
    });
  }
}

/** Returns the time of all phases, in milliseconds. */
export function totalOf(phases: TimingRecord["phases"]): number {
  return phases.reduce((sum, [, milliseconds]) => sum + milliseconds, 0);
}

/** Runs a computation as a phase, if times are measured. */
export function measurePhase<T>(timings: Timings | undefined, phase: Phase, compute: () => T): T {
  if (timings === undefined) return compute();
  const before = timings.enter(phase);
  try {
    return compute();
  } finally {
    timings.enter(before);
  }
}

/** Returns the visitor of a rule with all its functions measured. */
export function measureVisitor(rule: string, visitor: Visitor, timings: Timings): Visitor {
  const run = <T>(compute: () => T) => timings.runRule(rule, compute);
  const measureVisit = (visit: DirectiveVisitor): DirectiveVisitor => {
    return (directive, scope) => run(() => visit(directive, scope));
  };
  const { directives, byWords, scope, probe, exposure } = visitor;
  const measuredDirectives =
    typeof directives === "function"
      ? (...known: Parameters<typeof directives>) => {
          const visit = run(() => directives(...known));
          return visit && measureVisit(visit);
        }
      : directives &&
        Object.fromEntries(Object.entries(directives).map(([name, visit]) => [name, measureVisit(visit)]));
  return {
    ...(measuredDirectives ? { directives: measuredDirectives } : {}),
    ...(byWords
      ? {
          byWords(known, sectionContext) {
            const visit = run(() => visitor.byWords?.(known, sectionContext));
            return visit && measureVisit(visit);
          },
        }
      : {}),
    ...(scope
      ? {
          scope: {
            holding: scope.holding,
            visit: (content) => run(() => scope.visit(content)),
            ...(scope.passesAlikeHosts === undefined ? {} : { passesAlikeHosts: scope.passesAlikeHosts }),
            ...(scope.pending ? { pending: () => scope.pending?.() ?? 0 } : {}),
          },
        }
      : {}),
    ...(probe
      ? {
          probe: {
            ...probe,
            applies: (...situation) => run(() => probe.applies(...situation)),
            check: (...situation) => run(() => probe.check(...situation)),
          },
        }
      : {}),
    ...(exposure
      ? { exposure: { ...exposure, check: (...exposed) => run(() => [...exposure.check(...exposed)]) } }
      : {}),
    ...(visitor.end ? { end: () => run(() => visitor.end?.()) } : {}),
    ...(visitor.ignores ? { ignores: (outcome) => run(() => visitor.ignores?.(outcome)) } : {}),
  };
}
