import type { Directive } from "../../../config/model/directive.js";
import {
  formatLimits,
  isNobodysName,
  limitsInclude,
  sampleMethodOf,
} from "../../../server/access/clients-and-methods.js";
import type { CompatRules, HostRule, Ordering } from "../../../server/access/compat-rules.js";

/** Order, Allow and Deny lines of one section of which some never decide, and what they were probably written for. */
export interface MeantRules {
  /** The lines that never decide. */
  readonly lines: readonly Directive[];
  /** The lines of the section that decide instead; empty if it is the default without any. */
  readonly deciding: readonly Directive[];
  /** Whether the default for clients without a match decides, rather than a match. */
  readonly isDefaultDeciding: boolean;
  /** The rules that give the lines their effect. */
  readonly rules: CompatRules;
  /** The line that does this. */
  readonly statement: string;
  /** The Order that it replaces. Without one, it comes before the first line that never decides. */
  readonly replaced: Directive | undefined;
}

/**
 * Returns what the Order, Allow and Deny lines of a section were probably written for, if other lines or the default
 * make some of them useless (modules/aaa/mod_access_compat.c `check_dir_access`):
 *
 * - an Allow list beside `Deny from all` in the order `allow,deny`: nobody is allowed
 * - an Allow list without any Deny in the order `deny,allow`, the default: everyone is allowed
 * - a Deny list beside `Allow from all` in the order `deny,allow`: nobody is denied
 * - `Deny from all` in a Limit or LimitExcept section beside an Allow outside it, in the order `deny,allow`: the clients
 *   of the Allow are not denied
 */
export function findMeantRules(rules: CompatRules): MeantRules | undefined {
  const allows = listOf(rules, "allow");
  const denies = listOf(rules, "deny");
  if (!haveSameLimits(rules)) return findLimitedDenial(rules);
  const order = rules.orders.at(-1);
  const ordering = order?.ordering ?? "deny,allow";
  const isMeant = (list: readonly HostRule[]) =>
    list.some(({ match }) => match.kind !== "host" || !isNobodysName(match.name));
  if (ordering !== "deny,allow") {
    const all = denies.filter(isForAll);
    if (all.length === 0 || !isMeant(allows)) return undefined;
    return { lines: linesOf(allows), deciding: linesOf(all), ...withOrdering(rules, "deny,allow") };
  }
  const all = allows.filter(isForAll);
  const [first] = allows;
  if (first && denies.length === 0 && all.length === 0) {
    const denial: HostRule = { ...first, list: "deny", match: { kind: "all" } };
    return {
      lines: linesOf(allows),
      deciding: order ? [order.directive] : [],
      isDefaultDeciding: true,
      rules: { ...rules, hosts: [...rules.hosts, denial] },
      statement: "Deny from all",
      replaced: undefined,
    };
  }
  if (all.length === 0 || !isMeant(denies) || denies.some(isForAll)) return undefined;
  return { lines: linesOf(denies), deciding: linesOf(all), ...withOrdering(rules, "allow,deny") };
}

/** Returns the first denial of all clients for some methods that an Allow for more methods makes useless. */
function findLimitedDenial(rules: CompatRules): MeantRules | undefined {
  for (const denial of listOf(rules, "deny").filter(isForAll)) {
    const method = sampleMethodOf(denial.limits);
    const applying = ({ limits }: Pick<HostRule, "limits">) => limitsInclude(limits, method);
    const ordering = rules.orders.findLast(applying)?.ordering ?? "deny,allow";
    const allows = listOf(rules, "allow").filter(applying);
    const isNarrower = allows.length > 0 && allows.every(({ limits }) => limits.length < denial.limits.length);
    if (ordering === "deny,allow" && isNarrower)
      return { lines: [denial.directive], deciding: linesOf(allows), ...withOrdering(rules, "allow,deny", denial) };
  }
  return undefined;
}

/** @param place a rule for the methods that get the order */
function withOrdering(
  rules: CompatRules,
  ordering: Ordering,
  place = rules.hosts[0],
): Pick<MeantRules, "rules" | "statement" | "isDefaultDeciding" | "replaced"> {
  const limits = place?.limits ?? [];
  const orders = place ? [...rules.orders, { directive: place.directive, limits, ordering }] : rules.orders;
  const replaced = rules.orders.findLast((order) => formatLimits(order.limits) === formatLimits(limits));
  return {
    rules: { ...rules, orders },
    statement: `Order ${ordering}`,
    isDefaultDeciding: false,
    replaced: replaced?.directive,
  };
}

function listOf({ hosts }: CompatRules, list: HostRule["list"]): readonly HostRule[] {
  return hosts.filter((rule) => rule.list === list);
}

function linesOf(list: readonly HostRule[]): readonly Directive[] {
  return [...new Set(list.map(({ directive }) => directive))];
}

function isForAll({ match }: HostRule): boolean {
  return match.kind === "all";
}

/** Reports whether all lines apply to the same methods: only then do they form one statement. */
function haveSameLimits({ orders, hosts }: CompatRules): boolean {
  return new Set([...orders, ...hosts].map(({ limits }) => formatLimits(limits))).size <= 1;
}
