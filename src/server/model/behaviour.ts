import { type BehaviourId, behaves, behaviourOf } from "../../facts/behaviours.js";
import { nameRelease, type Release } from "../../facts/release.js";
import type { Oracle } from "./oracle.js";
import { unknownFact } from "./unknown-facts.js";

/**
 * Reports whether the httpd of a release has a behaviour. If a distribution may have added it to an older version, both
 * cases are tried: ask only where the answer depends on it.
 */
export function asksBehaviour(release: Release, id: BehaviourId, oracle: Oracle): boolean {
  const known = behaves(release, id);
  if (known !== "unknown") return known;
  return oracle.ask(unknownFact("behaviour", nameRelease(release), behaviourOf(id).does));
}
