import type { StepBudget } from "../logic/budget.js";
import { settleUnknownSteps } from "./access-checks.js";
import { DifferenceFinder } from "./difference-finder.js";
import { type Exploration, type Side, startExploration } from "./exploration.js";
import type { ExplorationVisitor } from "./explored-requests.js";
import { defaultBudget, type ExplorationBudget } from "./model/budget.js";
import type { ConfigComparison } from "./model/comparison.js";
import type { ServerPair } from "./model/server-pairs.js";

/**
 * Compares the results of two configurations for every request. Any file may exist on the disk, and any client may send
 * requests. The algorithm is symbolic:
 *
 * 1. Pair the servers: the virtual hosts of both sides that the same addresses, ports and names reach (`pairServers`).
 * 2. Partition the URL paths of each pair into path classes that each side treats alike, by a product automaton of the
 *    predicates on paths and of the walk through the file system (`partitionPaths`).
 * 3. Compute the access policy of each path class and method: probe one model of a client with the simulator, generalize
 *    by the predicates read, subtract that block from the rest (BDD), and repeat until the rest is empty
 *    (`explorePolicies`).
 * 4. Find the blocks that both sides decide differently (`findDifferingClients`).
 * 5. Confirm each kind of difference: make a request of one model, and replay it on both sides
 *    (`confirmCounterexample`).
 *
 * The results for one of several hosts that are alike up to constants hold for all of them (`HostTemplates`).
 *
 * @param shared steps shared with other comparisons, besides those of its budget
 * @param followsUnknownSteps whether steps that are not analyzed count as alike if all lines but the access lines are
 */
export function compare(
  before: Side,
  after: Side,
  budget: ExplorationBudget = defaultBudget,
  shared?: StepBudget,
  followsUnknownSteps = before.project.release === after.project.release,
): ConfigComparison {
  const exploration = startExploration(before, after, budget, shared, followsUnknownSteps);
  const finder = new DifferenceFinder(exploration);
  exploreRequests(exploration, [finder]);
  return finder.comparison();
}

/**
 * Goes once over all requests for all visitors: steps 1 to 3 of `compare`, which visitors continue. Hosts that are alike up
 * to constants are explored once (`HostTemplates`).
 */
export function exploreRequests(exploration: Exploration, visitors: readonly ExplorationVisitor[]): void {
  const { templates } = exploration;
  for (const pair of exploration.serverPairs) {
    const instance = exploration.isOutOfSteps ? undefined : templates.find(pair);
    if (instance && visitors.every((visitor) => visitor.visitInstance(instance))) continue;
    if (explorePair(exploration, pair, visitors)) templates.add(pair);
  }
}

/** @returns whether all requests to the pair were explored */
function explorePair(exploration: Exploration, pair: ServerPair, visitors: readonly ExplorationVisitor[]): boolean {
  const found = exploration.partitionPaths(pair);
  const partition = typeof found === "string" ? found : settleUnknownSteps(exploration, pair, found);
  for (const visitor of visitors) visitor.visitPartition(pair, partition);
  if (partition === "too large" || partition === "out of steps") return false;
  for (const pathClass of partition.classes) {
    const policies = [...exploration.explorePolicies(pair, pathClass)];
    if (exploration.isOutOfSteps) {
      for (const visitor of visitors) visitor.visitIncomplete(pair);
      return false;
    }
    for (const visitor of visitors) visitor.visitPathClass(pathClass, policies);
  }
  return true;
}
