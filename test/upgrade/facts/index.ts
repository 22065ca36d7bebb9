import { arguments24, gone, moved, places } from "./directives.js";
import type { Facts } from "./fact.js";
import { knownPitfalls } from "./pitfalls.js";
import { changedDefaults, modules, otherChanges } from "./release.js";

export type { Fact, Facts } from "./fact.js";

/** All known differences between 2.2 and 2.4, and their treatment. */
export const coverage: readonly Facts[] = [
  gone,
  moved,
  places,
  arguments24,
  changedDefaults,
  modules,
  otherChanges,
  knownPitfalls,
];
