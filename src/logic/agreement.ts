import type { Seen, Situation } from "./atoms.js";
import type { TooLarge } from "./budget.js";
import { type AskingBudget, Everybody } from "./everybody.js";

/** What came of asking two sides about a situation. */
export interface Asked {
  readonly agree: boolean;
  /** All that either looked at. */
  readonly seen: readonly Seen[];
}

/** Proves that two sides say the same to every request, by asking about everybody. */
export class Agreement {
  private readonly everybody: Everybody;

  constructor(budget: AskingBudget) {
    this.everybody = new Everybody(budget);
  }

  /** Whether the two never differ; where they do somewhere, nobody else is asked about. */
  isProved(ask: (situation: Situation) => Asked): boolean | TooLarge {
    const found = this.everybody.ask(ask, ({ agree }) => !agree);
    if (found === "too large") return found;
    if (found.parts.some(({ told }) => !told.agree)) return false;
    // Something that was not looked at decides.
    return found.parts.some(({ isUncertain }) => isUncertain) ? "too large" : true;
  }
}
