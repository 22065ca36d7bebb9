import { allowedContexts, arguments24, movedDirectives, removedDirectives } from "./directives.js";
import type { Facts } from "./fact.js";
import { knownPitfalls } from "./pitfalls.js";
import { changedDefaults, modules, otherChanges } from "./release.js";

export type { Fact, Facts } from "./fact.js";

/** All known differences between 2.2 and 2.4, and their treatment. */
export const coverage: readonly Facts[] = [
  removedDirectives,
  movedDirectives,
  allowedContexts,
  arguments24,
  changedDefaults,
  modules,
  otherChanges,
  knownPitfalls,
];
