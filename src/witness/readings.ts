import {
  accessOf,
  type OldInForce,
  oldInForce,
  type ReadRules,
  type RequireSet,
  replacesOld,
  requireInForce,
} from "../access/merged.js";
import { type OldRules, oldRules } from "../access/old-rules.js";
import type { Directive } from "../project/directive.js";
import type { Layer } from "../scope/layer.js";
import type { AccessScopes } from "./access-scopes.js";
import type { Situation } from "./inspector.js";

const requireLines: ReadonlySet<string> = new Set(["require"]);

/** The rules without the old ones, and without Require. */
export const withoutOld: ReadRules = ({ require }) => ({ old: undefined, require });
export const withoutRequire: ReadRules = ({ old }) => ({ old, require: undefined });

/** What a layer itself says about access. */
export function ownRulesOf({ layer }: Situation) {
  const { old, authz } = accessOf(layer);
  return { old, require: authz?.rules };
}

/** Whether what a layer says comes into a section from outside: the section's own layer is laid over it, and not the other way round. */
export function isInherited({ state, layer: own }: Situation, layer: Layer): boolean {
  return state.layers.indexOf(layer) < state.layers.indexOf(own);
}

/** The old rules that would be in force without those of one layer. */
export function oldWithout({ state }: Situation, layer: Layer): OldInForce | undefined {
  return oldInForce(
    state.layers.filter((each) => each !== layer),
    replacesOld("2.4"),
  );
}

/** The Require rules that would be in force without those of one layer, on 2.4. */
export function requireWithout({ state }: Situation, layer: Layer): RequireSet | undefined {
  return requireInForce(
    state.groups.map((group) => ({ ...group, layers: group.layers.filter((each) => each !== layer) })),
  );
}

/** The Require lines of all sections that apply, in force or not: they tell clients apart. */
export function requireLinesAround({ state }: Situation): readonly Directive[] {
  return state.layers.flatMap((layer) => layer.only(requireLines));
}

export function isSatisfyAny({ key, argumentText }: Directive): boolean {
  return key === "satisfy" && /^"?any"?$/i.test(argumentText);
}

/** Whether old rules let every client pass. */
export function passesAll({ hosts, orders }: OldRules): boolean {
  const order = orders.at(-1)?.ordering ?? "deny,allow";
  const allowsAll = hosts.some(
    ({ list, match, limits }) => list === "allow" && match.kind === "all" && limits.length === 0,
  );
  return hosts.every(({ list }) => list === "allow") && (order === "deny,allow" || allowsAll);
}

/**
 * Whether old rules that let every client pass may lift others for some request: then they decide something. Those of
 * directories around are seen by any request into the scope.
 */
export function mayLift({ scope, state }: Situation, scopes: AccessScopes): boolean {
  for (const under of scopes.oldUnder(scope)) {
    const rules = oldRules(under.directives);
    if (!rules || (passesAll(rules) && rules.satisfies.every(({ satisfy }) => satisfy === "all"))) continue;
    const isAround = state.layers.some(({ section, content }) =>
      under.section ? section === under.section : content === under.content,
    );
    if (!isAround || (under.place !== "directory" && under.place !== "htaccess")) return true;
  }
  return false;
}
