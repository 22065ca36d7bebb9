import type { Directive } from "../../../config/model/directive.js";
import {
  formatLimits,
  isNobodysName,
  limitsInclude,
  sampleMethodOf,
} from "../../../server/access/clients-and-methods.js";
import type { CompatRules, HostRule, Ordering } from "../../../server/access/compat-rules.js";
import { type IneffectiveList, ineffectiveLists } from "../../../server/access/ineffective-lists.js";

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
 * make some of them useless: a list that never decides, or `Deny from all` in a Limit or LimitExcept section beside an
 * Allow outside it, in the order `deny,allow`, whose clients are not denied.
 */
export function findMeantRules(rules: CompatRules): MeantRules | undefined {
  if (!haveSameLimits(rules)) return findLimitedDenial(rules);
  const found = ineffectiveLists.find((each) => isFound(each, rules));
  if (found === undefined) return undefined;
  const lines = linesOf(listOf(rules, found.list));
  if (found.decidedBy === "all") {
    const deciding = linesOf(listOf(rules, otherList(found.list)).filter(isForAll));
    return { lines, deciding, ...withOrdering(rules, found.ordering === "deny,allow" ? "allow,deny" : "deny,allow") };
  }
  const [first] = listOf(rules, found.list);
  const all: HostRule[] = first ? [{ ...first, list: otherList(found.list), match: { kind: "all" } }] : [];
  return {
    lines,
    deciding: rules.orders.slice(-1).map(({ directive }) => directive),
    isDefaultDeciding: true,
    rules: { ...rules, hosts: [...rules.hosts, ...all] },
    statement: found.statement,
    replaced: undefined,
  };
}

/** Reports whether a section has a list of clients that never decides. */
function isFound({ kind, list, ordering, decidedBy }: IneffectiveList, rules: CompatRules): boolean {
  // An effect of such a list would be that all other clients are allowed.
  if (kind === "all denied") return false;
  const order = rules.orders.at(-1)?.ordering ?? "deny,allow";
  const [own, others] = [listOf(rules, list), listOf(rules, otherList(list))];
  if ((order === "deny,allow") !== (ordering === "deny,allow")) return false;
  if (decidedBy === "default") return own.length > 0 && others.length === 0 && !own.some(isForAll);
  const isMeant = own.some(({ match }) => match.kind !== "host" || !isNobodysName(match.name));
  // `Deny from all` beside `Allow from all` is a common way to allow every client.
  return isMeant && others.some(isForAll) && !(list === "deny" && own.some(isForAll));
}

function otherList(list: HostRule["list"]): HostRule["list"] {
  return list === "allow" ? "deny" : "allow";
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
