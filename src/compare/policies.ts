import type { Atom, Situation } from "../logic/atoms.js";
import type { Diagram } from "../logic/bdd.js";
import type { TooLarge } from "../logic/budget.js";
import { type AskingBudget, Everybody } from "../logic/everybody.js";
import type { Universe } from "../logic/universe.js";
import type { Asked } from "./asked.js";

/** Requests that differ in nothing but who sends them, and that each of some sides answers by the same lines. */
export interface PolicyPart {
  /** For whom, as a function in the universe that the policy was made in. */
  readonly when: Diagram;
  /** What each side was asked for one of them; that of the first alone is that of all. */
  readonly asked: readonly Asked[];
}

/** Who gets what of some sides. The parts are disjoint, and together they are everybody. */
export interface Policy {
  readonly universe: Universe;
  readonly parts: readonly PolicyPart[];
}

/** Asks what comes of a situation: each side, or the first alone where all make the same of it. */
type Ask = (situation: Situation) => readonly Asked[];

/** Works out who gets what by asking about everybody. */
export class PolicyMaker {
  private readonly everybody: Everybody;

  constructor(budget: AskingBudget) {
    this.everybody = new Everybody(budget);
  }

  of(ask: Ask): Policy | TooLarge {
    const found = this.everybody.ask((situation) => {
      const asked = ask(situation);
      return { asked, seen: asked.flatMap(({ seen }) => seen) };
    });
    if (found === "too large") return found;
    const parts = found.parts.map(({ when, told: { asked }, isUncertain }) => ({
      when,
      asked: isUncertain ? asked.map((each) => ({ ...each, untold: "what it looks at" })) : asked,
    }));
    return { universe: found.universe, parts };
  }
}

/** Whether a condition is that of a pattern which is not read: what it comes to is not open, it is only not known here. */
export function asksForPattern(atom: Atom): boolean {
  return atom.kind === "term" && atom.text.startsWith("whether the pattern ");
}
