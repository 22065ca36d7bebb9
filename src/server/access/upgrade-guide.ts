import type { Semantics } from "../model/answer.js";
import { type AccessState, includesMethod } from "./access-state.js";
import {
  type EffectiveCompatRules,
  keepMergedRules,
  type RequireSet,
  type RulesTransform,
  sourceLayersOf,
} from "./merge.js";
import { providerOf } from "./provider-checks.js";
import type { RequireRule } from "./require-rules.js";

/** Require providers that can express what Order, Allow and Deny do: clients by address, name or variable. */
const hostBasedProviders = new Set(["all", "ip", "host", "forward-dns", "local", "env"]);

/**
 * Changes the rules that apply as the upgrade guide describes, unlike httpd. If Order/Allow/Deny are mixed with
 * host-based Require rules of the same or an earlier section, Order/Allow/Deny decide. A Require of a later section
 * applies as well: the guide does not describe that, and a denial there is meant for the paths of that section. An
 * Allow is an exception to `Deny from all`, whatever Order is set.
 */
const followGuide: RulesTransform = ({ compat, require }, state) => {
  const read = compat && withExceptions(compat, state);
  if (read === undefined || require === undefined || !hasHostRules(read) || !isHostBased(require, state))
    return { compat: read, require };
  if (isFromLaterSection(require, read, state)) return { compat: read, require };
  // Without a rule for the request's method, Require grants.
  return {
    compat: { ...read, rules: { ...read.rules, satisfies: [] } },
    require: { kind: "section", rules: [], layer: read.layer },
  };
};

/** The changes of the merged rules that each semantics makes. */
export const rulesTransforms: Readonly<Record<Semantics, RulesTransform>> = {
  server: keepMergedRules,
  guide: followGuide,
};

/** Reports whether any of the Require rules are in a section that is merged after the one with Order/Allow/Deny. */
function isFromLaterSection(require: RequireSet, { layer }: EffectiveCompatRules, { layers }: AccessState): boolean {
  const own = layers.indexOf(layer);
  return sourceLayersOf(require).some((each) => layers.indexOf(each) > own);
}

/** Rewrites `allow,deny` with `Deny from all` and at least one Allow to `deny,allow`. */
function withExceptions(compat: EffectiveCompatRules, { request }: AccessState): EffectiveCompatRules {
  const { orders, hosts } = compat.rules;
  const counts = ({ limits }: { readonly limits: Parameters<typeof includesMethod>[0] }) =>
    includesMethod(limits, request);
  const order = orders.findLast(counts);
  const deniesAll = hosts.some((rule) => rule.list === "deny" && rule.match.kind === "all" && counts(rule));
  const allows = hosts.some((rule) => rule.list === "allow" && counts(rule));
  if (order?.ordering !== "allow,deny" || !deniesAll || !allows) return compat;
  return { ...compat, rules: { ...compat.rules, orders: [...orders, { ...order, ordering: "deny,allow" }] } };
}

/** Reports whether there are rules about hosts; a Satisfy on its own is not one. */
function hasHostRules({ rules }: EffectiveCompatRules): boolean {
  return rules.orders.length > 0 || rules.hosts.length > 0;
}

/** Reports whether Require rules depend only on the client: address, name or variable. */
export function isHostBased(set: RequireSet, state: AccessState): boolean {
  if (set.kind === "merged") return isHostBased(set.first, state) && isHostBased(set.second, state);
  return set.rules.every((rule) => isHostRule(rule, state));
}

function isHostRule(rule: RequireRule, state: AccessState): boolean {
  if (rule.kind !== "require") return rule.rules.every((each) => isHostRule(each, state));
  return hostBasedProviders.has(providerOf(rule, state.project));
}
