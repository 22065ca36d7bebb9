import { accessOf, type RequireSet, replacesOld, requireInForce } from "../access/merged.js";
import { isOldDirective } from "../access/old-rules.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Layer } from "../scope/layer.js";
import type { Group } from "../scope/per-dir-config.js";
import { quotedLine, quotedLines } from "./written.js";

/** What one layer does to the rules of those before it. */
export interface LayerEffect {
  /** Clauses; none where it says nothing about access. */
  readonly clauses: readonly string[];
  readonly lines: readonly Directive[];
  readonly replaced: readonly Superseded[];
  readonly combined: readonly Layer[];
}

/** A layer whose rules of one kind no longer count. */
export interface Superseded {
  readonly layer: Layer;
  readonly rules: "old" | "require";
}

/**
 * What a layer says about access, and what becomes of the rules before it.
 *
 * @param group the group that it belongs to, by its place among the groups
 * @param index its place in the group
 */
export function effectOf(groups: readonly Group[], group: number, index: number, project: Project): LayerEffect {
  const layer = groups[group]?.layers[index];
  if (layer === undefined) return { clauses: [], lines: [], replaced: [], combined: [] };
  const before = [
    ...groups.slice(0, group).flatMap(({ layers }) => layers),
    ...(groups[group]?.layers.slice(0, index) ?? []),
  ];
  const old = oldEffect(layer, before, project);
  const require =
    project.release === "2.4" ? requireEffect(layer, groups, group, index) : requireEffect22(layer, before);
  const authentication = layer.directives.filter(isAuthentication);
  const ssl = layer.directives.filter(({ key }) => ofSsl.has(key));
  const clauses = [...old.clauses, ...require.clauses];
  if (authentication.length > 0) clauses.push(`sets ${namesOf(authentication)}`);
  if (ssl.length > 0) clauses.push(`asks of TLS ${quotedLines(ssl)}`);
  return {
    clauses,
    lines: [...old.lines, ...require.lines, ...authentication, ...ssl],
    replaced: [...old.replaced, ...require.replaced],
    combined: require.combined,
  };
}

const ofSsl = new Set(["sslrequiressl", "sslrequire", "ssloptions", "sslverifyclient"]);

const nothing: LayerEffect = { clauses: [], lines: [], replaced: [], combined: [] };

function oldEffect(layer: Layer, before: readonly Layer[], { release }: Project): LayerEffect {
  const { old } = accessOf(layer);
  if (old === undefined) return nothing;
  const counts = replacesOld(release);
  const outer = counts(old)
    ? before.findLast((each) => {
        const rules = accessOf(each).old;
        return rules !== undefined && counts(rules);
      })
    : undefined;
  const around = layer.directives.filter(({ key }) => key === "<limit" || key === "<limitexcept");
  return {
    clauses: [`old rules ${quotedLines(old.directives)}`],
    lines: [...around, ...old.directives],
    replaced: outer ? [{ layer: outer, rules: "old" }] : [],
    combined: [],
  };
}

const ofRequire = new Set([
  "require",
  "<requireall",
  "<requireany",
  "<requirenone",
  "authmerging",
  "authzsendforbiddenonfailure",
]);

function requireEffect(layer: Layer, groups: readonly Group[], group: number, index: number): LayerEffect {
  const { authz } = accessOf(layer);
  if (authz === undefined) return nothing;
  const before = leavesOf(requireInForce(upTo(groups, group, index)));
  const after = leavesOf(requireInForce(upTo(groups, group, index + 1)));
  const lines = layer.directives.filter(({ key }) => ofRequire.has(key) || key === "<limit" || key === "<limitexcept");
  const require = layer.directives.filter(({ key }) => key === "require");
  const merging = layer.setting("authmerging");
  const forbids = layer.setting("authzsendforbiddenonfailure");
  const clauses = require.length > 0 ? [`Require rules ${quotedLines(require)}`] : [];
  if (merging) clauses.push(quotedLine(merging));
  if (forbids) clauses.push(quotedLine(forbids));
  return {
    clauses,
    lines,
    replaced: before
      .filter((each) => !after.includes(each))
      .map((each) => ({ layer: each, rules: "require" as const })),
    combined: require.length > 0 ? after.filter((each) => each !== layer) : [],
  };
}

/** The groups as they are before some layer is merged. */
function upTo(groups: readonly Group[], group: number, index: number): readonly Group[] {
  const last = groups[group];
  return [...groups.slice(0, group), ...(last ? [{ kind: last.kind, layers: last.layers.slice(0, index) }] : [])];
}

function leavesOf(set: RequireSet | undefined): Layer[] {
  if (set === undefined) return [];
  return set.kind === "section" ? [set.layer] : [...leavesOf(set.first), ...leavesOf(set.second)];
}

function requireEffect22(layer: Layer, before: readonly Layer[]): LayerEffect {
  if (!layer.has("require")) return nothing;
  const require = layer.directives.filter(({ key }) => key === "require");
  const outer = before.findLast((each) => each.has("require"));
  return {
    clauses: [`Require lines ${quotedLines(require)}`],
    lines: layer.directives.filter(({ key }) => key === "require" || key === "<limit" || key === "<limitexcept"),
    replaced: outer ? [{ layer: outer, rules: "require" }] : [],
    combined: [],
  };
}

/** AuthType, AuthName, where the users and groups are, and what is asked for them. */
function isAuthentication(directive: Directive): boolean {
  return directive.key.startsWith("auth") && !ofRequire.has(directive.key) && !isOldDirective(directive);
}

/** AuthType with its value; of the others the name is enough, and their words may be nobody's business. */
function namesOf(directives: readonly Directive[]): string {
  return directives.map((each) => (each.key === "authtype" ? quotedLine(each) : each.name)).join(", ");
}
