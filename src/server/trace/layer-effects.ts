import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";
import { isCompatDirective } from "../access/compat-rules.js";
import { accessRulesOf, mergeRequireRules, type RequireSet, replacesCompatRules } from "../access/merge.js";
import type { ConfigLayer } from "../model/config-layer.js";
import type { MergeGroup } from "../sections/per-dir-config.js";
import { quoteLine, quoteLines } from "./step.js";

/** The effect of one per-directory configuration on the access rules before it. */
export interface LayerEffect {
  /** Lists of the lines that it sets; none if it does not affect access. */
  readonly settings: readonly string[];
  readonly lines: readonly Directive[];
  readonly replaced: readonly SupersededLayer[];
  readonly combined: readonly ConfigLayer[];
}

/** A per-directory configuration with one kind of rules overridden. */
export interface SupersededLayer {
  readonly layer: ConfigLayer;
  readonly rules: "old" | "require";
}

/**
 * Returns the access rules of a per-directory configuration, and their effect on earlier rules.
 *
 * @param group index of the group that it belongs to
 * @param index index in the group
 */
export function layerEffectOf(
  groups: readonly MergeGroup[],
  group: number,
  index: number,
  project: Project,
): LayerEffect {
  const layer = groups[group]?.layers[index];
  if (layer === undefined) return { settings: [], lines: [], replaced: [], combined: [] };
  const before = [
    ...groups.slice(0, group).flatMap(({ layers }) => layers),
    ...(groups[group]?.layers.slice(0, index) ?? []),
  ];
  const compat = compatEffect(layer, before, project);
  const require = isSince(project.release, "2.4")
    ? requireEffect(layer, groups, group, index)
    : requireEffect22(layer, before);
  const authentication = layer.directives.filter(isAuthentication);
  const ssl = layer.directives.filter(({ key }) => sslNames.has(key));
  const settings = [...compat.settings, ...require.settings];
  if (authentication.length > 0) settings.push(namesOf(authentication));
  if (ssl.length > 0) settings.push(quoteLines(ssl));
  return {
    settings,
    lines: [...compat.lines, ...require.lines, ...authentication, ...ssl],
    replaced: [...compat.replaced, ...require.replaced],
    combined: require.combined,
  };
}

const sslNames = new Set(["sslrequiressl", "sslrequire", "ssloptions", "sslusername", "sslverifyclient"]);

const emptyEffect: LayerEffect = { settings: [], lines: [], replaced: [], combined: [] };

function compatEffect(layer: ConfigLayer, before: readonly ConfigLayer[], { release }: Project): LayerEffect {
  const { compat } = accessRulesOf(layer);
  if (compat === undefined) return emptyEffect;
  const counts = replacesCompatRules(release);
  const outer = counts(compat)
    ? before.findLast((each) => {
        const rules = accessRulesOf(each).compat;
        return rules !== undefined && counts(rules);
      })
    : undefined;
  const limitSections = layer.directives.filter(({ key }) => key === "<limit" || key === "<limitexcept");
  return {
    settings: [quoteLines(compat.directives)],
    lines: [...limitSections, ...compat.directives],
    replaced: outer ? [{ layer: outer, rules: "old" }] : [],
    combined: [],
  };
}

const requireNames = new Set([
  "require",
  "<requireall",
  "<requireany",
  "<requirenone",
  "authmerging",
  "authzsendforbiddenonfailure",
]);

function requireEffect(layer: ConfigLayer, groups: readonly MergeGroup[], group: number, index: number): LayerEffect {
  const { authz } = accessRulesOf(layer);
  if (authz === undefined) return emptyEffect;
  const before = leavesOf(mergeRequireRules(groupsBefore(groups, group, index)));
  const after = leavesOf(mergeRequireRules(groupsBefore(groups, group, index + 1)));
  const lines = layer.directives.filter(
    ({ key }) => requireNames.has(key) || key === "<limit" || key === "<limitexcept",
  );
  const require = layer.directives.filter(({ key }) => key === "require");
  const merging = layer.setting("authmerging");
  const sendsForbidden = layer.setting("authzsendforbiddenonfailure");
  const settings = require.length > 0 ? [quoteLines(require)] : [];
  if (merging) settings.push(quoteLine(merging));
  if (sendsForbidden) settings.push(quoteLine(sendsForbidden));
  return {
    settings,
    lines,
    replaced: before
      .filter((each) => !after.includes(each))
      .map((each) => ({ layer: each, rules: "require" as const })),
    combined: require.length > 0 ? after.filter((each) => each !== layer) : [],
  };
}

/** Returns the groups before a per-directory configuration is merged. */
function groupsBefore(groups: readonly MergeGroup[], group: number, index: number): readonly MergeGroup[] {
  const last = groups[group];
  return [...groups.slice(0, group), ...(last ? [{ kind: last.kind, layers: last.layers.slice(0, index) }] : [])];
}

function leavesOf(set: RequireSet | undefined): ConfigLayer[] {
  if (set === undefined) return [];
  return set.kind === "section" ? [set.layer] : [...leavesOf(set.first), ...leavesOf(set.second)];
}

function requireEffect22(layer: ConfigLayer, before: readonly ConfigLayer[]): LayerEffect {
  if (!layer.has("require")) return emptyEffect;
  const require = layer.directives.filter(({ key }) => key === "require");
  const outer = before.findLast((each) => each.has("require"));
  return {
    settings: [quoteLines(require)],
    lines: layer.directives.filter(({ key }) => key === "require" || key === "<limit" || key === "<limitexcept"),
    replaced: outer ? [{ layer: outer, rules: "require" }] : [],
    combined: [],
  };
}

/**
 * Returns whether a directive configures authentication: AuthType, AuthName, the sources of users and groups, and their
 * options.
 */
function isAuthentication(directive: Directive): boolean {
  return directive.key.startsWith("auth") && !requireNames.has(directive.key) && !isCompatDirective(directive);
}

/** Returns AuthType with its value. Of the others, only the names: their arguments may be confidential. */
function namesOf(directives: readonly Directive[]): string {
  return directives.map((each) => (each.key === "authtype" ? quoteLine(each) : `\`${each.name}\``)).join(", ");
}
