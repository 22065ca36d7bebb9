import type { Atom, Look, Seen } from "./atoms.js";
import type { Outcome } from "./bdd.js";
import type { Universe } from "./universe.js";

/** All that a look is made of. */
export function atomsIn(look: Look): readonly Atom[] {
  switch (look.kind) {
    case "any":
      return look.of.flatMap(atomsIn);
    case "not":
      return atomsIn(look.of);
    case "constant":
      return [];
    default:
      return [look];
  }
}

/** Where a decision would see the same. */
export function whereSeen({ look, value }: Seen, universe: Universe): Outcome {
  const where = whereTrue(look, universe);
  return value ? where : universe.diagrams.not(where);
}

/** Where something that a decision looks at is true. */
function whereTrue(look: Look, universe: Universe): Outcome {
  const { diagrams } = universe;
  switch (look.kind) {
    case "any":
      return diagrams.or(...look.of.map((each) => whereTrue(each, universe)));
    case "not":
      return diagrams.not(whereTrue(look.of, universe));
    case "constant":
      return diagrams.constant(look.value);
    default:
      return universe.where(look);
  }
}
