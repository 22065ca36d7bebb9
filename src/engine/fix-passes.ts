import type { Finding } from "./finding.js";
import { applyFixes } from "./fixes.js";

/** Texts of files by real path; binary strings. */
export type Texts = ReadonlyMap<string, string>;

/** A finding whose fix was not applied. */
export interface HeldBack {
  readonly finding: Finding;
  /** As a clause. */
  readonly why: string;
}

/** What speaks against some fixes that are applied together. */
export interface Objection {
  /** As a clause. */
  readonly why: string;
  /** Those against which it speaks whichever others are applied; absent: it may be any one of them. */
  readonly concerns?: (finding: Finding) => boolean;
}

/** Configurations as they are with some texts in place. */
export interface Fixable<Self> {
  /** Those with a fix that is wanted; sorted, and the same each time. */
  readonly findings: readonly Finding[];
  /** The same with these texts in place, which are what fixes come to; or what speaks against it. */
  with(texts: Texts, applied: readonly Finding[]): Self | Objection;
}

export interface FixedInPasses<T> {
  readonly fixed: T;
  /** How many fixes were applied. */
  readonly applied: number;
  readonly heldBack: readonly HeldBack[];
  /** What there was still to do after the last pass. */
  readonly unfinished: readonly Finding[];
}

const MOST_PASSES = 10;
/** So many sets of fixes are tried: the outcome hangs on nothing but this. */
const MOST_TRIALS = 200;

/**
 * Applies fixes until there is nothing left to do. Fixes that meet wait for the next pass. Where something speaks against
 * fixes that are applied together, those are found that it does not speak against.
 */
export function fixInPasses<T extends Fixable<T>>(start: T): FixedInPasses<T> {
  const trials = new Trials();
  let now = start;
  let applied = 0;
  let held = new Map<Finding, string>();
  const open = () => now.findings.filter((finding) => !held.has(finding));
  for (let passes = 0; passes < MOST_PASSES && open().length > 0; passes++) {
    const pass = new Pass(now, trials);
    pass.take(open());
    if (pass.applied.length === 0) {
      held = new Map([...held, ...pass.held]);
      if (pass.held.size === 0) for (const finding of open()) held.set(finding, "its own changes lie over each other");
      continue;
    }
    now = pass.now;
    trials.keep(pass.texts, pass.applied);
    applied += pass.applied.length;
    // What spoke against a fix may be gone now.
    held = new Map();
  }
  const heldBack = [...held].map(([finding, why]) => ({ finding, why }));
  return { fixed: now, applied, heldBack, unfinished: open() };
}

/** Fixes applied to the same texts, none of which meets another. */
class Pass<T extends Fixable<T>> {
  applied: readonly Finding[] = [];
  texts: Texts = new Map();
  readonly held = new Map<Finding, string>();

  constructor(
    public now: T,
    private readonly trials: Trials,
    private readonly start = now,
  ) {}

  /** Applies those that can be, beside those that were applied before. */
  take(findings: readonly Finding[]): void {
    const before = new Set(this.applied);
    const { texts, applied } = applyFixes([...before, ...findings], () => true);
    const fresh = applied.filter((finding) => !before.has(finding));
    if (fresh.length === 0) return;
    const tried = this.trials.objection(texts) ?? this.start.with(texts, applied);
    if (!("why" in tried)) {
      this.now = tried;
      this.applied = applied;
      this.texts = texts;
      return;
    }
    const { why, concerns = () => fresh.length === 1 } = tried;
    const [out, left] = [fresh.filter(concerns), fresh.filter((finding) => !concerns(finding))];
    for (const finding of out) this.held.set(finding, why);
    if (out.length > 0) this.take(left);
    else for (const half of halvesOf(fresh)) this.take(half);
  }
}

function halvesOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(all.length / 2);
  return [all.slice(0, middle), all.slice(middle)];
}

/** What was tried before, and the texts that came of it. */
class Trials {
  private count = 0;
  /** Texts that files had, by their paths. */
  private readonly had = new Map<string, Set<string>>();
  /** The rules whose fixes changed a file. */
  private readonly rules = new Map<string, Set<string>>();

  objection(texts: Texts): Objection | undefined {
    this.count++;
    if (this.count > MOST_TRIALS)
      return { why: "too many fixes are held back to try the others one by one", concerns: () => true };
    const [back] = [...texts].find(([path, text]) => this.had.get(path)?.has(text)) ?? [];
    if (back === undefined) return undefined;
    const rules = [...(this.rules.get(back) ?? [])].map((rule) => `\`${rule}\``).join(", ");
    return { why: `it takes back what fixes of ${rules} did, and these would take it back again` };
  }

  keep(texts: Texts, applied: readonly Finding[]): void {
    for (const { rule, fix } of applied)
      for (const { span } of fix?.edits ?? []) {
        const { realPath, text } = span.file;
        this.had.set(realPath, (this.had.get(realPath) ?? new Set()).add(text));
        this.rules.set(realPath, (this.rules.get(realPath) ?? new Set()).add(rule));
      }
    for (const [path, text] of texts) this.had.get(path)?.add(text);
  }
}
