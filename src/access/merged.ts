import type { Release } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import type { Layer } from "../scope/layer.js";
import type { Group } from "../scope/per-dir-config.js";
import { keywordOf } from "../scope/words.js";
import { type NewRule, newRulesIn } from "./new-rules.js";
import { isOldDirective, type OldRules, oldRules } from "./old-rules.js";
import type { AccessState } from "./state.js";

type Merging = "and" | "or" | "off";

/** Require rules in force: those of one section, or two that AuthMerging laid together. */
export type RequireSet =
  | { readonly kind: "section"; readonly rules: readonly NewRule[]; readonly layer: Layer }
  | {
      readonly kind: "merged";
      readonly operator: "and" | "or";
      readonly first: RequireSet;
      readonly second: RequireSet;
    };

/** What mod_authz_core keeps of a section: its rules, and how they are to be laid over earlier ones. */
interface AuthzConfig {
  readonly rules: RequireSet | undefined;
  readonly merging: Merging | undefined;
}

/** What one layer says about access, read once. */
interface AccessLayer {
  readonly old: OldRules | undefined;
  /** Undefined where nothing of mod_authz_core stands in it: then it is not merged at all. */
  readonly authz: AuthzConfig | undefined;
}

const accessLayers = new WeakMap<Layer, AccessLayer>();

export function accessOf(layer: Layer): AccessLayer {
  const known = accessLayers.get(layer);
  if (known) return known;
  const access = { old: oldRules(layer.directives), authz: authzConfig(layer) };
  accessLayers.set(layer, access);
  return access;
}

/** The server refuses a container without a Require in it. */
const ofAuthz = ["require", "authmerging", "authzsendforbiddenonfailure"];

function authzConfig(layer: Layer): AuthzConfig | undefined {
  if (!ofAuthz.some((key) => layer.has(key))) return undefined;
  const rules = layer.has("require") ? newRulesIn(layer.content) : [];
  const word = keywordOf(layer.setting("authmerging"));
  return {
    rules: rules.length > 0 ? { kind: "section", rules, layer } : undefined,
    merging: word === "and" || word === "or" || word === "off" ? word : undefined,
  };
}

/** The old rules in force: a section that has any replaces all (mod_access_compat, 2.2's mod_authz_host). */
export interface OldInForce {
  readonly rules: OldRules;
  readonly layer: Layer;
}

/** What merging leaves for access control to decide by. */
export interface RulesInForce {
  readonly old: OldInForce | undefined;
  readonly require: RequireSet | undefined;
}

/** A step between merging and deciding: the rules as somebody reads them. */
export type ReadRules = (rules: RulesInForce, state: AccessState) => RulesInForce;

/** As the server does: the rules are what merging made them. */
export const asMerged: ReadRules = (rules) => rules;

/** The innermost layer with old rules. @param counts which of its rules count as such */
export function oldInForce(layers: readonly Layer[], counts: (rules: OldRules) => boolean): OldInForce | undefined {
  for (let i = layers.length - 1; i >= 0; i--) {
    const layer = layers[i];
    const rules = layer && accessOf(layer).old;
    if (layer && rules && counts(rules)) return { rules, layer };
  }
  return undefined;
}

/** The Require rules in force on 2.4, laid together group by group (mod_authz_core.c `merge_authz_core_dir_config`). */
export function requireInForce(groups: readonly Group[]): RequireSet | undefined {
  let merged: AuthzConfig = { rules: undefined, merging: undefined };
  for (const { layers } of groups) {
    const [first, ...others] = layers.map((layer) => accessOf(layer).authz).filter((config) => config !== undefined);
    if (first) merged = laidOver(merged, others.reduce(laidOver, first));
  }
  return merged.rules;
}

/** The Require lines of a set. */
export function requireLinesOf(set: RequireSet): readonly Directive[] {
  if (set.kind === "merged") return [...requireLinesOf(set.first), ...requireLinesOf(set.second)];
  return set.layer.directives.filter((directive) => directive.key === "require");
}

/** The sections that a set comes from. */
export function layersOf(set: RequireSet): readonly Layer[] {
  return set.kind === "merged" ? [...layersOf(set.first), ...layersOf(set.second)] : [set.layer];
}

function laidOver(base: AuthzConfig, over: AuthzConfig): AuthzConfig {
  if (over.merging === undefined && over.rules === undefined && base.rules !== undefined) return base;
  if (over.merging === "off" || over.merging === undefined) return over;
  if (base.rules === undefined || over.rules === undefined)
    return { rules: base.rules ?? over.rules, merging: over.merging };
  return {
    rules: { kind: "merged", operator: over.merging, first: base.rules, second: over.rules },
    merging: over.merging,
  };
}

/** 2.2: a section with any Require replaces the earlier list. */
export function requireLinesInForce(layers: readonly Layer[]): readonly Directive[] {
  for (let i = layers.length - 1; i >= 0; i--) {
    const layer = layers[i];
    if (layer?.has("require")) return layer.directives.filter((directive) => directive.key === "require");
  }
  return [];
}

/** Whether rules of a release replace those above: Satisfy alone does so on 2.4, where it belongs to the same module. */
export function replacesOld(release: Release): (rules: OldRules) => boolean {
  if (release === "2.4") return () => true;
  return (rules) => rules.directives.some((directive) => isOldDirective(directive) && directive.key !== "satisfy");
}
