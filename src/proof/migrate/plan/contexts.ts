import { type Directive, lineKeyOf } from "../../../config/model/directive.js";
import { isSince } from "../../../facts/release.js";
import type { AccessState } from "../../../server/access/access-state.js";
import { accessRulesOf } from "../../../server/access/merge.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import type { PerDirConfig } from "../../../server/sections/per-dir-config.js";
import { getOrCreate } from "../../../text/collections.js";
import { exploreRequests } from "../../compare/compare.js";
import { Exploration } from "../../compare/exploration.js";
import type { ExplorationVisitor, ModelledRequest } from "../../compare/explored-requests.js";
import type { Side } from "../../compare/observed-sides.js";
import type { ExplorationBudget, SharedSteps } from "../../model/budget.js";
import type { ProgressListener } from "../../model/progress.js";
import type { ServerPair } from "../../model/server-pairs.js";

/** Sections that are merged for some requests. */
export interface MergeContext {
  readonly config: PerDirConfig;
  /** A request that these sections apply to, with its access state. */
  readonly state: AccessState;
  /** The sections that may affect access, in merge order. */
  readonly layers: readonly ConfigLayer[];
  /** Group number of each of them. */
  readonly groups: readonly number[];
  /** The URL paths of the explored requests. */
  readonly paths: ReadonlySet<string>;
  /** Whether a rewrite rule sets the handler of any of them. */
  readonly isHandlerForced: boolean;
}

/** A context of which not all requests are known yet. */
type OpenContext = MergeContext & { readonly paths: Set<string>; isHandlerForced: boolean };

/** All contexts found by exploring the configuration, and whether the exploration was complete. */
export interface ContextSet {
  readonly all: readonly MergeContext[];
  readonly isComplete: boolean;
  /** The lines whose patterns make it too large, if it was not complete. */
  readonly costlyLines: readonly Directive[];
}

/** Directives other than access rules that decisions depend on. */
const stateDependencies = [
  "authtype",
  ...["authzuserauthoritative", "authzgroupfileauthoritative", "authzdbmauthoritative"],
  ...["authzownerauthoritative", "authzldapauthoritative", "authzdefaultauthoritative"],
  ...["authgroupfile", "authdbmgroupfile", "authzdbmtype", "authldapurl"],
];

/** Reports whether a section can affect access. */
function affectsAccess(layer: ConfigLayer): boolean {
  const { compat, authz } = accessRulesOf(layer);
  return compat !== undefined || authz !== undefined || stateDependencies.some((key) => layer.has(key));
}

/**
 * Explores all requests to a configuration to find the sections that are merged together. @param shared work shared
 * with other explorations
 */
export function collectContexts(
  side: Side,
  budget: ExplorationBudget,
  shared: SharedSteps,
  onProgress?: ProgressListener,
): ContextSet {
  const found = new Map<PerDirConfig, OpenContext>();
  /** The probes that found contexts, by the pair of servers. */
  const probes = new Map<ServerPair, Set<ModelledRequest>>();
  let pair: ServerPair | undefined;
  const watch = (state: AccessState, probe: ModelledRequest) => {
    const { config } = state;
    const isHandlerForced = state.forcedHandler !== undefined;
    const known = found.get(config);
    if (known) {
      known.paths.add(state.path);
      known.isHandlerForced ||= isHandlerForced;
      return;
    }
    const relevant = config.groups.flatMap(({ layers }, group) =>
      layers.filter(affectsAccess).map((layer) => ({ layer, group })),
    );
    found.set(config, {
      config,
      state,
      layers: relevant.map(({ layer }) => layer),
      groups: relevant.map(({ group }) => group),
      paths: new Set([state.path]),
      isHandlerForced,
    });
    if (pair) getOrCreate(probes, pair, () => new Set()).add(probe);
  };
  const watched: Side = { ...side, watch };
  const exploration = new Exploration([watched, watched], budget, shared, true);
  let isComplete = exploration.hasAllServerPairs;
  const costlyLines = new Map<string, Directive>();
  const markIncomplete = (at: ServerPair) => {
    isComplete = false;
    for (const line of exploration.findCostlyLines(at)) costlyLines.set(lineKeyOf(line), line);
  };
  const visitor: ExplorationVisitor = {
    startPair: (visited) => {
      pair = visited;
    },
    visitPartition: (visited, partition) => {
      if (typeof partition === "string") markIncomplete(visited);
    },
    visitPathClass: (_, policies) => {
      if (policies.some(({ policy }) => policy === "too large")) isComplete = false;
    },
    visitIncomplete: markIncomplete,
    // Each host has its own sections, which the renamed requests find.
    visitInstance: (instance) => {
      pair = instance.pair;
      for (const probe of probes.get(instance.representative) ?? []) exploration.repeatRequest(probe, instance);
      return true;
    },
  };
  exploreRequests(exploration, [visitor], { startsWithChecks: true, onProgress });
  return { all: [...found.values()], isComplete, costlyLines: [...costlyLines.values()] };
}

/** Sorts sections so that each follows those that it is merged over. */
export function sortByNesting(contexts: readonly MergeContext[]): readonly ConfigLayer[] {
  const after = new Map<ConfigLayer, Set<ConfigLayer>>();
  for (const { layers } of contexts)
    for (const [index, layer] of layers.entries()) {
      const before = getOrCreate(after, layer, () => new Set());
      const previous = layers[index - 1];
      if (previous) before.add(previous);
    }
  const order = new Set<ConfigLayer>();
  const put = (layer: ConfigLayer, open: ReadonlySet<ConfigLayer>) => {
    if (order.has(layer) || open.has(layer)) return;
    for (const each of after.get(layer) ?? []) put(each, new Set([...open, layer]));
    order.add(layer);
  };
  for (const layer of after.keys()) put(layer, new Set());
  return [...order];
}

/** Reports whether 2.4 reads no mod_access_compat directive in a context. */
export function isWithoutOldDirectives({ layers, state }: MergeContext): boolean {
  return isSince(state.project.release, "2.4") && layers.every((layer) => accessRulesOf(layer).compat === undefined);
}
