import { Automata } from "../logic/automata.js";
import { CurrentSteps, type Steps } from "../logic/budget.js";
import type { Project } from "../project/project.js";
import type { Server } from "../scope/server.js";
import { AskedClassifiers } from "./asked-classifiers.js";
import { HtaccessTests } from "./htaccess-tests.js";
import type { PathSide } from "./path-cell.js";
import { Leads } from "./path-leads.js";
import type { PathTests } from "./path-tests.js";
import { directoriesThere } from "./project-facts.js";
import { Readings } from "./text-tests.js";
import type { Two } from "./two.js";

/** What all pairs of servers of two configurations have in common. */
export interface Cut {
  readonly readings: Readings;
  readonly budget: number;
  readonly steps: CurrentSteps;
  readonly leads: Two<Leads>;
  readonly files: Two<HtaccessTests>;
  /** Those that are there on both sides: what leads to their `.htaccess` files. */
  readonly directories: ReadonlySet<string>;
  readonly ofServers: WeakMap<Server, PathTests>;
  readonly classifiers: AskedClassifiers;
}

const cuts = new WeakMap<Project, WeakMap<Project, Cut>>();

/** What is known of two configurations, from one survey of them to the next. @param allowance that of who goes over it now */
export function cutFor(
  [{ project: a }, { project: b }]: readonly [PathSide, PathSide],
  budget: number,
  allowance: Steps,
): Cut {
  const withA = cuts.get(a) ?? new WeakMap<Project, Cut>();
  cuts.set(a, withA);
  const known = withA.get(b);
  // What was made where steps ran out is not whole.
  if (known?.budget === budget && !known.steps.isUsedUp) {
    known.steps.of = allowance;
    return known;
  }
  const steps = new CurrentSteps(allowance);
  const readings = new Readings(new Automata(budget, steps), steps);
  const made: Cut = {
    ...{ readings, budget, steps, ofServers: new WeakMap(), classifiers: new AskedClassifiers(steps) },
    leads: [new Leads(a), new Leads(b)],
    files: [new HtaccessTests(a, readings), new HtaccessTests(b, readings)],
    directories: new Set([...directoriesThere(a)].filter((path) => directoriesThere(b).has(path))),
  };
  withA.set(b, made);
  return made;
}
