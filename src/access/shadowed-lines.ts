import { Agreement } from "../logic/agreement.js";
import type { Situation } from "../logic/atoms.js";
import type { Directive } from "../project/directive.js";
import { AskedClient } from "./asked-client.js";
import { overlappingLines } from "./overlapping-lines.js";
import type { Removable, SectionRules } from "./section-answers.js";

/** A line, or a container, without which its section says the same to everybody. */
export interface ShadowedLine {
  readonly directive: Directive;
  /** The lines that decide where it has something to say; empty where none does. */
  readonly by: readonly Directive[];
}

/** So much is spent on one line: what takes more is taken to matter. */
const MOST_NODES = 100_000;
const MOST_RUNS = 300;

/** In longer sections only lines that are likely shadowed are looked at, and so many times their length is what that may take. */
const LONG = 100;
const MOST_LINES = 20_000;

/** Finds the lines of sections that change no decision, by proof: what is too large to be proved is not found. */
export class ShadowFinder {
  private readonly agreement = new Agreement({ nodes: MOST_NODES, runs: MOST_RUNS });

  /**
   * The lines that a section could do without, one by one and all of them together; of lines that say the same the later
   * ones. In the order of the section.
   */
  in(rules: SectionRules): readonly ShadowedLine[] {
    const found: ShadowedLine[] = [];
    const all = allIn(rules.removables);
    const likely = all.length > LONG ? overlappingLines(all) : undefined;
    const most = MOST_LINES / all.length;
    let left = rules;
    const visit = (removable: Removable): void => {
      const { directive, inner } = removable;
      if (found.length >= most || likely?.has(directive) === false) return;
      const [alone, rest] = [rules.without(directive), left.without(directive)];
      if (alone && rest && (left === rules || this.deciders(rules, alone, removable))) {
        const by = this.deciders(left, rest, removable);
        if (by) {
          found.unshift({ directive, by });
          left = rest;
          return;
        }
      }
      for (const each of inner.toReversed()) visit(each);
    };
    for (const each of rules.removables.toReversed()) visit(each);
    return found;
  }

  /** Who decides for those whom a line speaks to; undefined where it matters to one of them. */
  private deciders(
    rules: SectionRules,
    rest: SectionRules,
    { speaksTo, samples, rivalsIn }: Removable,
  ): readonly Directive[] | undefined {
    const spokenTo = { isSomebody: false, by: new Set<Directive>() };
    const others = new Set<Directive>();
    const ask = (situation: Situation) => {
      const client = new AskedClient(situation);
      const { result, by } = rest.answers(client);
      const speaks = speaksTo(client);
      spokenTo.isSomebody ||= speaks;
      for (const each of rivalsIn(by)) (speaks ? spokenTo.by : others).add(each);
      return { agree: rules.answers(client).result === result, seen: client.seen };
    };
    for (const sample of samples) {
      const client = new AskedClient(sample, false);
      const { result, by } = rest.answers(client);
      if (rules.answers(client).result !== result) return undefined;
      // The proof looks at whole lists, of which one that is named stands for all.
      if (speaksTo(client)) for (const each of rivalsIn(by)) spokenTo.by.add(each);
    }
    if (this.agreement.isProved(ask) !== true) return undefined;
    return [...(spokenTo.isSomebody ? spokenTo.by : others)];
  }
}

function allIn(removables: readonly Removable[]): readonly Directive[] {
  return removables.flatMap(({ directive, inner }) => [directive, ...allIn(inner)]);
}
