import type { Steps, TooLarge } from "../logic/budget.js";
import type { Classifier } from "../logic/classifier.js";
import { nicestOfClasses } from "../logic/texts.js";
import { isPathEnd, NO_PATH, PLACES, placeBehind, START } from "./normal-paths.js";
import type { Leading } from "./path-leads.js";
import type { Two } from "./two.js";

/** Paths that both sides lead by the same lines. */
export interface LedAlike {
  readonly number: number;
  readonly leadings: readonly Leading[];
}

/**
 * The paths of each output of what is asked for mapping, by one of them.
 *
 * @param leadings what each side makes of a path
 * @param budget the most states
 * @param allowance what its steps are taken from
 */
export function ledAlike(
  mapping: Classifier,
  leadings: (path: string) => Two<Leading>,
  budget: number,
  allowance: Steps,
): ReadonlyMap<number, LedAlike> | TooLarge {
  const paths = pathsByOutput(mapping, budget, allowance);
  if (paths === "too large") return paths;
  const byOutput = new Map<number, LedAlike>();
  const byKey = new Map<string, LedAlike>();
  for (const [output, path] of paths) {
    const both = leadings(path);
    const key = both.map((each) => each.key).join("; ");
    const alike = byKey.get(key) ?? { number: byKey.size, leadings: both };
    byKey.set(key, alike);
    byOutput.set(output, alike);
  }
  return byOutput;
}

/** For each output a shortest path. */
function pathsByOutput(of: Classifier, budget: number, allowance: Steps): ReadonlyMap<number, string> | TooLarge {
  const special = nicestOfClasses(of);
  const letters = [...new Set([...special, 0x61, 0x2e, 0x2f])];
  const found = new Map<number, string>();
  const seen = new Set([START]);
  const queue = [{ state: 0, place: START, text: "" }];
  for (const { state, place, text } of queue) {
    allowance.take(letters.length);
    if (queue.length > budget || allowance.isUsedUp) return "too large";
    const output = of.output(state, 0);
    if (isPathEnd(place) && !found.has(output)) found.set(output, text);
    for (const letter of letters) {
      const behind = placeBehind(place, letter);
      if (behind === NO_PATH) continue;
      const to = of.next(state, of.classOf[letter] ?? 0);
      const key = to * PLACES + behind;
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push({ state: to, place: behind, text: text + String.fromCharCode(letter) });
    }
  }
  return found;
}
