import type { Atom, Situation } from "../logic/atoms.js";
import { type Diagram, Diagrams, type Outcome as Where } from "../logic/bdd.js";
import type { TooLarge } from "../logic/budget.js";
import { Universe } from "../logic/universe.js";
import { keyOf } from "../logic/variables.js";
import type { Look } from "../scope/looks.js";
import { classOf, type SettledClass } from "../simulate/decision.js";
import type { Asked, Seen } from "./asked.js";

/** What requests get that differ in nothing but who sends them: one answer for a part of them. */
export interface PolicyPart {
  /** For whom, as a function in the universe that the policy was made in. */
  readonly when: Diagram;
  readonly class: SettledClass;
  readonly asked: Asked;
}

/** Who gets what. The parts are disjoint, and together they are everybody. */
export type Policy = readonly PolicyPart[];

/** Policies over one universe, so that they can be laid beside each other. */
export interface Policies {
  readonly universe: Universe;
  readonly of: readonly Policy[];
}

/** What a policy may take. The outcome hangs on nothing but these: it is the same on every machine. */
export interface PolicyBudget {
  /** The most nodes of diagrams. */
  readonly nodes: number;
  /** The most situations asked about. */
  readonly runs: number;
}

/** Asks what comes of a situation. */
export type Ask = (situation: Situation) => Asked;

/** So many things that decisions look at are kept in one universe, so that what comes next need not make another. */
const MOST_ATOMS = 30;

/**
 * Works out who gets what by asking: somebody is asked about, what the decision looked at tells for whom else it comes out
 * the same, and then somebody is asked about who is not among those, until nobody is left.
 */
export class PolicyMaker {
  private universe: Universe | undefined;
  private atoms = new Map<string, Atom>();

  constructor(private readonly budget: PolicyBudget) {}

  /** @param sides each gives its policy */
  of(sides: readonly Ask[]): Policies | TooLarge {
    const { nodes } = this.budget;
    if (this.atoms.size > MOST_ATOMS || (this.universe?.diagrams.size ?? 0) > nodes / 2) this.startAnew();
    const isFresh = this.universe === undefined;
    const made = this.made(sides);
    if (made !== "too large" || isFresh) return made;
    // There was less room than there could be.
    this.startAnew();
    return this.made(sides);
  }

  private startAnew(): void {
    this.atoms = new Map();
    this.universe = undefined;
  }

  private made(sides: readonly Ask[]): Policies | TooLarge {
    let left = this.budget.runs;
    for (;;) {
      const universe = this.universe ?? Universe.of(new Diagrams(this.budget.nodes), [...this.atoms.values()]);
      if (universe === "too large") return universe;
      this.universe = universe;
      const of: Policy[] = [];
      for (const ask of sides) {
        const policy = policyIn(universe, this.atoms, ask, left);
        if (policy === "too large") return policy;
        if (policy === "more atoms") break;
        left -= policy.length;
        of.push(policy);
      }
      if (of.length === sides.length) return { universe, of };
      left--;
      this.universe = undefined;
    }
  }
}

/** @param atoms those of the universe; takes those that come up beside */
function policyIn(
  universe: Universe,
  atoms: Map<string, Atom>,
  ask: Ask,
  mostRuns: number,
): Policy | TooLarge | "more atoms" {
  const { diagrams } = universe;
  const parts: PolicyPart[] = [];
  let rest: Where = universe.possible;
  while (rest !== "too large" && !diagrams.isFalse(rest)) {
    if (parts.length >= mostRuns) return "too large";
    const situation = universe.witness(rest);
    if (situation === "too large" || situation === undefined) return "too large";
    const asked = ask(situation);
    if (addAtoms(asked.seen, atoms)) return "more atoms";
    const alike = diagrams.and(...asked.seen.map((each) => whereSeen(each, universe)));
    const when = diagrams.and(rest, alike);
    if (when === "too large") return when;
    if (diagrams.isFalse(when)) return [...parts, partOf(rest, { ...asked, untold: "what it looks at" })];
    parts.push(partOf(when, asked));
    rest = diagrams.and(rest, diagrams.not(alike));
  }
  return rest === "too large" ? rest : parts;
}

function partOf(when: Diagram, asked: Asked): PolicyPart {
  return { when, class: classOf(asked.outcome.status), asked };
}

/** Whether there are new ones among what was looked at. */
function addAtoms(seen: readonly Seen[], atoms: Map<string, Atom>): boolean {
  const before = atoms.size;
  for (const { look } of seen)
    for (const atom of atomsIn(look)) if (atom.kind !== "address") atoms.set(keyOf(atom), atom);
  return atoms.size > before;
}

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

function whereSeen({ look, value }: Seen, universe: Universe): Where {
  const where = whereTrue(look, universe);
  return value ? where : universe.diagrams.not(where);
}

/** Where something that a decision looks at is true. */
function whereTrue(look: Look, universe: Universe): Where {
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
