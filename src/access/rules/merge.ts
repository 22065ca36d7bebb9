import type { Release } from "../../directives/directives.js";
import { type ConfigLayer, keywordArgumentOf } from "../../httpd/model/config-layer.js";
import type { MergeGroup } from "../../httpd/sections/per-dir-config.js";
import type { Directive } from "../../project/model/directive.js";
import type { AccessState } from "../model/access-state.js";
import { type CompatRules, isCompatDirective, parseCompatRules } from "./compat-rules.js";
import { parseRequireRules, type RequireRule } from "./require-rules.js";

type AuthMerging = "and" | "or" | "off";

/** Require rules in force: those of one section, or two that AuthMerging laid together. */
export type RequireSet =
  | { readonly kind: "section"; readonly rules: readonly RequireRule[]; readonly layer: ConfigLayer }
  | {
      readonly kind: "merged";
      readonly operator: "and" | "or";
      readonly first: RequireSet;
      readonly second: RequireSet;
    };

/** What mod_authz_core keeps of a section: its rules, and how they are to be laid over earlier ones. */
interface AuthzConfig {
  readonly rules: RequireSet | undefined;
  readonly merging: AuthMerging | undefined;
}

/** What one layer says about access, read once. */
interface LayerAccessRules {
  readonly old: CompatRules | undefined;
  /** Undefined where nothing of mod_authz_core stands in it: then it is not merged at all. */
  readonly authz: AuthzConfig | undefined;
}

const accessRulesByLayer = new WeakMap<ConfigLayer, LayerAccessRules>();

export function accessRulesOf(layer: ConfigLayer): LayerAccessRules {
  const known = accessRulesByLayer.get(layer);
  if (known) return known;
  const access = { old: parseCompatRules(layer.directives), authz: authzConfig(layer) };
  accessRulesByLayer.set(layer, access);
  return access;
}

/** The server refuses a container without a Require in it. */
const ofAuthz = ["require", "authmerging", "authzsendforbiddenonfailure"];

function authzConfig(layer: ConfigLayer): AuthzConfig | undefined {
  if (!ofAuthz.some((key) => layer.has(key))) return undefined;
  const rules = layer.has("require") ? parseRequireRules(layer.content) : [];
  const word = keywordArgumentOf(layer.setting("authmerging"));
  return {
    rules: rules.length > 0 ? { kind: "section", rules, layer } : undefined,
    merging: word === "and" || word === "or" || word === "off" ? word : undefined,
  };
}

/** The old rules in force: a section that has any replaces all (mod_access_compat, 2.2's mod_authz_host). */
export interface EffectiveCompatRules {
  readonly rules: CompatRules;
  readonly layer: ConfigLayer;
}

/** What merging leaves for access control to decide by. */
export interface EffectiveRules {
  readonly old: EffectiveCompatRules | undefined;
  readonly require: RequireSet | undefined;
}

/** A step between merging and deciding: the rules as somebody reads them. */
export type RulesTransform = (rules: EffectiveRules, state: AccessState) => EffectiveRules;

/** As the server does: the rules are what merging made them. */
export const keepMergedRules: RulesTransform = (rules) => rules;

/** The innermost layer with old rules. @param counts which of its rules count as such */
export function findCompatRules(
  layers: readonly ConfigLayer[],
  counts: (rules: CompatRules) => boolean,
): EffectiveCompatRules | undefined {
  for (let i = layers.length - 1; i >= 0; i--) {
    const layer = layers[i];
    const rules = layer && accessRulesOf(layer).old;
    if (layer && rules && counts(rules)) return { rules, layer };
  }
  return undefined;
}

/** The Require rules in force on 2.4, laid together group by group (mod_authz_core.c `merge_authz_core_dir_config`). */
export function mergeRequireRules(groups: readonly MergeGroup[]): RequireSet | undefined {
  let merged: AuthzConfig = { rules: undefined, merging: undefined };
  for (const { layers } of groups) {
    const [first, ...others] = layers
      .map((layer) => accessRulesOf(layer).authz)
      .filter((config) => config !== undefined);
    if (first) merged = overlayAuthz(merged, others.reduce(overlayAuthz, first));
  }
  return merged.rules;
}

/** The Require lines of a set. */
export function requireLinesOf(set: RequireSet): readonly Directive[] {
  if (set.kind === "merged") return [...requireLinesOf(set.first), ...requireLinesOf(set.second)];
  return set.layer.directives.filter((directive) => directive.key === "require");
}

/** The sections that a set comes from. */
export function sourceLayersOf(set: RequireSet): readonly ConfigLayer[] {
  return set.kind === "merged" ? [...sourceLayersOf(set.first), ...sourceLayersOf(set.second)] : [set.layer];
}

function overlayAuthz(base: AuthzConfig, over: AuthzConfig): AuthzConfig {
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
export function findRequireLines22(layers: readonly ConfigLayer[]): readonly Directive[] {
  for (let i = layers.length - 1; i >= 0; i--) {
    const layer = layers[i];
    if (layer?.has("require")) return layer.directives.filter((directive) => directive.key === "require");
  }
  return [];
}

/** Whether rules of a release replace those above: Satisfy alone does so on 2.4, where it belongs to the same module. */
export function replacesCompatRules(release: Release): (rules: CompatRules) => boolean {
  if (release === "2.4") return () => true;
  return (rules) => rules.directives.some((directive) => isCompatDirective(directive) && directive.key !== "satisfy");
}
