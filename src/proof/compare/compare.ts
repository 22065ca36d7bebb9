import type { StepBudget } from "../../regex/budget.js";
import { defaultBudget, type ExplorationBudget } from "../model/budget.js";
import type { ConfigComparison } from "../model/comparison.js";
import type { PathPartition } from "../model/path-class.js";
import type { ProgressListener } from "../model/progress.js";
import type { ServerPair } from "../model/server-pairs.js";
import { checksAlike, settleUnknownPhases } from "./access-checks.js";
import { DifferenceFinder } from "./difference-finder.js";
import { type Exploration, startExploration } from "./exploration.js";
import type { ExplorationVisitor, PathPartitionResult, RequestClassPolicy } from "./explored-requests.js";
import type { HostTemplates } from "./host-templates.js";
import type { Side } from "./observed-sides.js";

export interface CompareOptions {
  /** Steps shared with other comparisons, besides those of the budget. */
  readonly steps?: StepBudget | undefined;
  /**
   * Whether phases that are not analyzed count as alike if all lines but the access lines are. Default: if both sides have
   * one release.
   */
  readonly followsUnknownPhases?: boolean;
  /** Whether the access checks of each pair of servers are compared first. If all are alike, nothing else is explored. */
  readonly startsWithChecks?: boolean | undefined;
  readonly onProgress?: ProgressListener | undefined;
}

/**
 * Compares the results of two configurations for every request. Any file may exist on the disk, and any client may send
 * requests. The algorithm is symbolic:
 *
 * 1. Pair the servers: the virtual hosts of both sides that the same addresses, ports and names reach (`pairServers`).
 * 2. Partition the URL paths of each pair into path classes that each side treats alike, by a product automaton of the
 *    predicates on paths and of the walk through the file system (`partitionPaths`).
 * 3. Compute the access policy of each path class and method: probe one model of a client with the simulator, generalize
 *    by the predicates read, subtract that block from the rest (BDD), and repeat until the rest is empty
 *    (`policiesOf`).
 * 4. Find the blocks that both sides decide differently (`findDifferingClients`).
 * 5. Confirm each kind of difference: make a request of one model, and replay it on both sides
 *    (`confirmCounterexample`).
 *
 * The results for one of several hosts that are alike up to constants hold for all of them (`HostTemplates`).
 */
export function compare(
  before: Side,
  after: Side,
  budget: ExplorationBudget = defaultBudget,
  { steps, followsUnknownPhases, startsWithChecks, onProgress }: CompareOptions = {},
): ConfigComparison {
  const followsPhases = followsUnknownPhases ?? before.project.release === after.project.release;
  const exploration = startExploration(before, after, budget, steps, followsPhases);
  const finder = new DifferenceFinder(exploration);
  exploreRequests(exploration, [finder], { startsWithChecks, onProgress });
  return finder.comparison();
}

/**
 * Visits all requests once for all visitors: steps 1 to 3 of `compare`, which visitors continue. Hosts that are alike up to
 * constants are explored once (`HostTemplates`).
 */
export function exploreRequests(
  exploration: Exploration,
  visitors: readonly ExplorationVisitor[],
  { startsWithChecks = false, onProgress }: Pick<CompareOptions, "startsWithChecks" | "onProgress"> = {},
): void {
  const { templates, serverPairs } = exploration;
  const allHosts = serverPairs.length;
  for (const [hosts, pair] of serverPairs.entries()) {
    const report = (classes: number, allClasses: number) => onProgress?.({ hosts, allHosts, classes, allClasses });
    report(0, 0);
    if (!exploration.isOutOfSteps && isInstance(pair, templates, visitors)) continue;
    if (explorePair(exploration, pair, visitors, startsWithChecks, report)) templates.add(pair);
  }
}

/** Reports whether the visitors take over the results of an explored pair for another that is alike. */
function isInstance(pair: ServerPair, templates: HostTemplates, visitors: readonly ExplorationVisitor[]): boolean {
  for (const instance of templates.instancesOf(pair))
    if (visitors.every((visitor) => visitor.visitInstance(instance))) return true;
  return false;
}

/** Beyond this number of path classes, the access checks are compared first, which distinguish fewer. */
const MANY_CLASSES = 500;

/** Beyond this number of models for one path class and method, too. */
const FEW_RUNS = 50;

/** The partition of a pair whose answers are all the same. */
const nothingLeft: PathPartition = { classes: [], inexact: [], readsBackends: false, partitionFiles: () => [] };

function settlePhases(exploration: Exploration, pair: ServerPair, found: PathPartitionResult): PathPartitionResult {
  return typeof found === "string" ? found : settleUnknownPhases(exploration, pair, found);
}

function hasUnknownPhases(found: PathPartitionResult): boolean {
  return typeof found !== "string" && found.inexact.some(({ unknown }) => unknown !== undefined);
}

function isLarge(found: PathPartitionResult): boolean {
  return typeof found === "string" || found.classes.length > MANY_CLASSES;
}

/** Reports whether something in a policy is not analyzed. */
function isOpen({ policy }: RequestClassPolicy): boolean {
  return (
    policy === "too large" ||
    policy.blocks.some(({ results }) => results.some(({ unprovedReason }) => unprovedReason !== undefined))
  );
}

/**
 * @param startsWithChecks whether the access checks are compared before all path classes are found
 * @param report is called after each path class with the number explored, and of all
 * @returns whether all requests to the pair were explored
 */
function explorePair(
  exploration: Exploration,
  pair: ServerPair,
  visitors: readonly ExplorationVisitor[],
  startsWithChecks: boolean,
  report: (explored: number, all: number) => void,
): boolean {
  for (const visitor of visitors) visitor.startPair?.(pair);
  let hasSameChecks: boolean | undefined;
  const isSettled = () => (hasSameChecks ??= exploration.withReserve(() => checksAlike(exploration, pair)));
  if (startsWithChecks && isSettled()) {
    for (const visitor of visitors) visitor.visitPartition(pair, nothingLeft);
    return true;
  }
  const found = exploration.pathClassesOf(pair);
  const settled = isLarge(found) && isSettled() ? nothingLeft : settlePhases(exploration, pair, found);
  // The path classes of access checks are fewer, so that more of them can be checked with each class of files.
  const partition = hasUnknownPhases(settled) && isSettled() ? nothingLeft : settled;
  for (const visitor of visitors) visitor.visitPartition(pair, partition);
  if (partition === "too large" || partition === "out of steps") return false;
  for (const [index, pathClass] of partition.classes.entries()) {
    const isFirstTry = exploration.followsUnknownPhases && hasSameChecks === undefined;
    let policies = [...exploration.policiesOf(pair, pathClass, isFirstTry ? FEW_RUNS : undefined)];
    if (!exploration.isOutOfSteps && policies.some(isOpen)) {
      if (isSettled()) return true;
      if (isFirstTry) policies = [...exploration.policiesOf(pair, pathClass)];
    }
    if (exploration.isOutOfSteps) {
      if (isSettled()) return true;
      for (const visitor of visitors) visitor.visitIncomplete(pair);
      return false;
    }
    for (const visitor of visitors) visitor.visitPathClass(pathClass, policies);
    report(index + 1, partition.classes.length);
  }
  return true;
}
