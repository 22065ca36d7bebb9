import type { Directive } from "../../config/model/directive.js";
import { isSince, type Release } from "../../facts/release.js";
import { memoize } from "../../text/memoize.js";
import { type ConfigLayer, keywordArgumentOf } from "../model/config-layer.js";
import type { MergeGroup } from "../sections/per-dir-config.js";
import type { AccessState } from "./access-state.js";
import { type CompatRules, isCompatDirective, parseCompatRules } from "./compat-rules.js";
import { parseRequireRules, type RequireRule } from "./require-rules.js";

type AuthMerging = "and" | "or" | "off";

/** The Require rules that apply: those of one section, or two sets merged by AuthMerging. */
export type RequireSet =
  | { readonly kind: "section"; readonly rules: readonly RequireRule[]; readonly layer: ConfigLayer }
  | {
      readonly kind: "merged";
      readonly operator: "and" | "or";
      readonly first: RequireSet;
      readonly second: RequireSet;
    };

/** The mod_authz_core configuration of a section: its rules and how they merge with earlier ones. */
interface AuthzConfig {
  readonly rules: RequireSet | undefined;
  readonly merging: AuthMerging | undefined;
}

/** The access configuration of one per-directory configuration, read once. */
interface LayerAccessRules {
  readonly compat: CompatRules | undefined;
  /** Undefined if it has no mod_authz_core directives: then it is not merged. */
  readonly authz: AuthzConfig | undefined;
}

export const accessRulesOf = memoize(
  (layer: ConfigLayer): LayerAccessRules => ({
    compat: parseCompatRules(layer.directives),
    authz: authzConfig(layer),
  }),
);

/** The server rejects a container without a Require in it. */
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

/** The mod_access_compat rules that apply: a section with any of them replaces all (2.2: mod_authz_host). */
export interface EffectiveCompatRules {
  readonly rules: CompatRules;
  readonly layer: ConfigLayer;
}

/** The merged rules by which access control decides. */
export interface EffectiveRules {
  readonly compat: EffectiveCompatRules | undefined;
  readonly require: RequireSet | undefined;
}

/** A transformation of the merged rules before the decision. */
export type RulesTransform = (rules: EffectiveRules, state: AccessState) => EffectiveRules;

/** Leaves the merged rules unchanged, as httpd does. */
export const keepMergedRules: RulesTransform = (rules) => rules;

/**
 * Returns the innermost per-directory configuration with Order/Allow/Deny rules. @param counts whether its rules
 * replace the inherited ones
 */
export function findCompatRules(
  layers: readonly ConfigLayer[],
  counts: (rules: CompatRules) => boolean,
): EffectiveCompatRules | undefined {
  for (let i = layers.length - 1; i >= 0; i--) {
    const layer = layers[i];
    const rules = layer && accessRulesOf(layer).compat;
    if (layer && rules && counts(rules)) return { rules, layer };
  }
  return undefined;
}

/** Merges the Require rules of 2.4, group by group (mod_authz_core.c `merge_authz_core_dir_config`). */
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

/** Returns the Require lines of a set. */
export function requireLinesOf(set: RequireSet): readonly Directive[] {
  if (set.kind === "merged") return [...requireLinesOf(set.first), ...requireLinesOf(set.second)];
  return set.layer.directives.filter((directive) => directive.key === "require");
}

/** Returns the per-directory configurations that a set comes from. */
export function sourceLayersOf(set: RequireSet): readonly ConfigLayer[] {
  return set.kind === "merged" ? [...sourceLayersOf(set.first), ...sourceLayersOf(set.second)] : [set.layer];
}

function overlayAuthz(base: AuthzConfig, inner: AuthzConfig): AuthzConfig {
  if (inner.merging === undefined && inner.rules === undefined && base.rules !== undefined) return base;
  if (inner.merging === "off" || inner.merging === undefined) return inner;
  if (base.rules === undefined || inner.rules === undefined)
    return { rules: base.rules ?? inner.rules, merging: inner.merging };
  return {
    rules: { kind: "merged", operator: inner.merging, first: base.rules, second: inner.rules },
    merging: inner.merging,
  };
}

/** Returns the Require lines that apply on 2.2, where a section with any Require replaces the earlier list. */
export function findRequireLines22(layers: readonly ConfigLayer[]): readonly Directive[] {
  for (let i = layers.length - 1; i >= 0; i--) {
    const layer = layers[i];
    if (layer?.has("require")) return layer.directives.filter((directive) => directive.key === "require");
  }
  return [];
}

/**
 * Returns whether rules replace the inherited ones in a release. On 2.4 a Satisfy on its own does, because it belongs
 * to the same module.
 */
export function replacesCompatRules(release: Release): (rules: CompatRules) => boolean {
  if (isSince(release, "2.4")) return () => true;
  return (rules) => rules.directives.some((directive) => isCompatDirective(directive) && directive.key !== "satisfy");
}
