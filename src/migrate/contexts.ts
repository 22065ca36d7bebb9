import { accessOf } from "../access/merged.js";
import type { AccessState } from "../access/state.js";
import { type Side, Survey, type SurveyReader } from "../compare/survey.js";
import type { SharedSteps, SurveyBudget } from "../compare/survey-budget.js";
import type { Layer } from "../scope/layer.js";
import type { PerDirConfig } from "../scope/per-dir-config.js";

/** Sections that are laid over each other for some requests. */
export interface Context {
  readonly config: PerDirConfig;
  /** A request that came by them, with what is in force for it. */
  readonly state: AccessState;
  /** Those that may have a say in access, in their order. */
  readonly layers: readonly Layer[];
  /** For each of them the number of its group. */
  readonly groups: readonly number[];
}

/** All that is met when everything is asked for, or why not all of it is known. */
export interface Contexts {
  readonly all: readonly Context[];
  readonly isWhole: boolean;
}

/** Of what else decisions hang on than rules. */
const besides = [
  "authtype",
  ...["authzuserauthoritative", "authzgroupfileauthoritative", "authzdbmauthoritative"],
  ...["authzownerauthoritative", "authzldapauthoritative", "authzdefaultauthoritative"],
  ...["authgroupfile", "authdbmgroupfile", "authzdbmtype", "authldapurl"],
];

/** Whether access may not be the same with a section and without. */
function hasSay(layer: Layer): boolean {
  const { old, authz } = accessOf(layer);
  return old !== undefined || authz !== undefined || besides.some((key) => layer.has(key));
}

/** Goes over all that can be asked of a configuration, for what sections come together. @param shared what it shares with others */
export function contextsOf(side: Side, budget: SurveyBudget, shared: SharedSteps): Contexts {
  const found = new Map<PerDirConfig, Context>();
  const watch = (state: AccessState) => {
    const { config } = state;
    if (found.has(config)) return;
    const said = config.groups.flatMap(({ layers }, group) => layers.filter(hasSay).map((layer) => ({ layer, group })));
    found.set(config, {
      config,
      state,
      layers: said.map(({ layer }) => layer),
      groups: said.map(({ group }) => group),
    });
  };
  const watched: Side = { ...side, watch };
  const survey = new Survey([watched, watched], budget, shared);
  let isWhole = survey.hasAllPairs;
  const lost = () => {
    isWhole = false;
  };
  const reader: SurveyReader = {
    pair: (_, cells) => {
      if (typeof cells === "string") lost();
    },
    cell: (policies) => {
      if (policies.some(({ policy }) => policy === "too large")) lost();
    },
    breakOff: lost,
  };
  survey.tell([reader]);
  return { all: [...found.values()], isWhole };
}

/** Sections in an order in which each comes behind those that it is laid over. */
export function inOrder(contexts: readonly Context[]): readonly Layer[] {
  const after = new Map<Layer, Set<Layer>>();
  for (const { layers } of contexts)
    for (const [index, layer] of layers.entries()) {
      const before = after.get(layer) ?? new Set();
      after.set(layer, before);
      const previous = layers[index - 1];
      if (previous) before.add(previous);
    }
  const order = new Set<Layer>();
  const put = (layer: Layer, open: ReadonlySet<Layer>) => {
    if (order.has(layer) || open.has(layer)) return;
    for (const each of after.get(layer) ?? []) put(each, new Set([...open, layer]));
    order.add(layer);
  };
  for (const layer of after.keys()) put(layer, new Set());
  return [...order];
}

/** Whether 2.4 reads no old directive where some sections are laid over each other. */
export function isNatural({ layers, state }: Context): boolean {
  return state.project.release === "2.4" && layers.every((layer) => accessOf(layer).old === undefined);
}
