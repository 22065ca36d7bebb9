import { type AccessState, includesMethod } from "../model/access-state.js";
import type { EffectiveCompatRules, RequireSet, RulesTransform } from "../rules/merge.js";
import type { RequireRule } from "../rules/require-rules.js";
import { providerOf } from "./provider-checks.js";

/** Require words that say what Order, Allow and Deny could: which clients, by address, name or variable. */
const hostBasedProviders = new Set(["all", "ip", "host", "forward-dns", "local", "env"]);

/**
 * The rules in force as the upgrade guide reads them, which the servers do not: where old rules stand beside Require
 * rules that are host-based only, the old ones alone decide; and an Allow is an exception to `Deny from all`, whatever
 * Order says.
 */
export const readAsGuide: RulesTransform = ({ old, require }, state) => {
  const read = old && withExceptions(old, state);
  if (read === undefined || require === undefined || !hasHostRules(read) || !isHostBased(require, state))
    return { old: read, require };
  // Without a rule for the request's method, Require grants.
  return {
    old: { ...read, rules: { ...read.rules, satisfies: [] } },
    require: { kind: "section", rules: [], layer: read.layer },
  };
};

/** `allow,deny` with `Deny from all` and some Allow is read as `deny,allow`. */
function withExceptions(old: EffectiveCompatRules, { request }: AccessState): EffectiveCompatRules {
  const { orders, hosts } = old.rules;
  const counts = ({ limits }: { readonly limits: Parameters<typeof includesMethod>[0] }) =>
    includesMethod(limits, request);
  const order = orders.findLast(counts);
  const deniesAll = hosts.some((rule) => rule.list === "deny" && rule.match.kind === "all" && counts(rule));
  const allows = hosts.some((rule) => rule.list === "allow" && counts(rule));
  if (order?.ordering !== "allow,deny" || !deniesAll || !allows) return old;
  return { ...old, rules: { ...old.rules, orders: [...orders, { ...order, ordering: "deny,allow" }] } };
}

/** A Satisfy alone says nothing about hosts. */
function hasHostRules({ rules }: EffectiveCompatRules): boolean {
  return rules.orders.length > 0 || rules.hosts.length > 0;
}

/** Whether Require rules ask for clients alone: by address, name or variable. */
export function isHostBased(set: RequireSet, state: AccessState): boolean {
  if (set.kind === "merged") return isHostBased(set.first, state) && isHostBased(set.second, state);
  return set.rules.every((rule) => isHostRule(rule, state));
}

function isHostRule(rule: RequireRule, state: AccessState): boolean {
  if (rule.kind !== "require") return rule.rules.every((each) => isHostRule(each, state));
  return hostBasedProviders.has(providerOf(rule, state.project));
}
