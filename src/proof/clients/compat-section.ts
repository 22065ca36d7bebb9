import type { Directive } from "../../config/model/directive.js";
import type { Release } from "../../facts/release.js";
import { includesMethod } from "../../server/access/access-state.js";
import type { CompatRules, HostRule } from "../../server/access/compat-rules.js";
import { decideByOrder } from "../../server/access/decide-order.js";
import { replacesCompatRules } from "../../server/access/merge.js";
import { getOrCreate } from "../../text/collections.js";
import {
  type Removable,
  type RemovableRules,
  type SectionVerdict,
  type SymbolicClient,
  sampleClientOf,
  unknownClient,
} from "./symbolic-client.js";

/** Returns the mod_access_compat rules of a section, line by line. */
export function analyzeCompatSection(rules: CompatRules, release: Release): RemovableRules {
  return {
    get removables() {
      const explicitDenial = findExplicitDenial(rules);
      const hosts = hostsByLine(rules);
      return rules.directives
        .filter((each) => each !== explicitDenial)
        .map((directive) => removable(directive, hosts.get(directive) ?? [], rules));
    },
    decide: (client) => decideFor(rules, client),
    without(directive) {
      const rest = withoutLine(rules, directive);
      const replaces = replacesCompatRules(release);
      return rest.directives.length > 0 && replaces(rest) === replaces(rules)
        ? analyzeCompatSection(rest, release)
        : undefined;
    },
  };
}

/**
 * Returns the `Deny from all` that states explicitly what `Order allow,deny` does for every client if nothing is
 * allowed.
 */
function findExplicitDenial({ hosts, orders }: CompatRules): Directive | undefined {
  if (hosts.some(({ list }) => list === "allow") || orders.some(({ ordering }) => ordering === "deny,allow"))
    return undefined;
  return orders.length === 0 ? undefined : hosts.find(({ match }) => match.kind === "all")?.directive;
}

/**
 * Evaluates the rules. The result includes the effective ordering and Satisfy keyword. A line that states the default
 * explicitly is deliberate; only another line can shadow it.
 */
function decideFor(rules: CompatRules, client: SymbolicClient): SectionVerdict {
  const decision = decideByOrder(rules, client);
  const { allowed } = decision;
  // The default Order has no line of its own.
  const by = decision.isDefault ? [] : decision.by;
  const order = rules.orders.findLast(({ limits }) => includesMethod(limits, client.request));
  const satisfy = rules.satisfies.findLast(({ limits }) => includesMethod(limits, client.request));
  return {
    result: `${allowed} ${order?.ordering} ${satisfy?.satisfy}`,
    by: [...new Set([...by, order?.directive, satisfy?.directive])].filter((each) => each !== undefined),
  };
}

function withoutLine(rules: CompatRules, directive: Directive): CompatRules {
  const isOther = (line: { readonly directive: Directive }) => line.directive !== directive;
  return {
    directives: rules.directives.filter((each) => each !== directive),
    orders: rules.orders.filter(isOther),
    hosts: rules.hosts.filter(isOther),
    satisfies: rules.satisfies.filter(isOther),
    unreadable: rules.unreadable,
  };
}

/** Groups the arguments of Allow and Deny by line; there may be thousands of lines. */
function hostsByLine({ hosts }: CompatRules): ReadonlyMap<Directive, readonly HostRule[]> {
  const byLine = new Map<Directive, HostRule[]>();
  for (const rule of hosts) getOrCreate(byLine, rule.directive, () => []).push(rule);
  return byLine;
}

function removable(
  directive: Directive,
  own: readonly HostRule[],
  { orders, satisfies }: Pick<CompatRules, "orders" | "satisfies">,
): Removable {
  const [line] = [...own, ...[...orders, ...satisfies].filter((each) => each.directive === directive)];
  const appliesToMethod = (client: SymbolicClient) => line !== undefined && includesMethod(line.limits, client.request);
  return {
    directive,
    inner: [],
    appliesTo: (client) => appliesToMethod(client) && (own.length === 0 || namesClient(own, directive, client)),
    samples: own.length === 0 ? [unknownClient] : own.map(sampleClientOf),
    replacementsIn: (by) => replacementsOf(directive, by),
  };
}

/** Returns the lines that decide if an Allow or Deny is deleted: those that match, or else the Order. */
function replacementsOf({ key }: Directive, by: readonly Directive[]): readonly Directive[] {
  if (key === "order" || key === "satisfy") return by.filter((each) => each.key === key);
  const matching = by.filter((each) => each.key === "allow" || each.key === "deny");
  return matching.length > 0 ? matching : by.filter((each) => each.key === "order");
}

/**
 * Reports whether the arguments of a line match a client. They then decide if evaluated on their own with an order of
 * the opposite default.
 */
function namesClient(own: readonly HostRule[], directive: Directive, client: SymbolicClient): boolean {
  const ordering = directive.key === "allow" ? "allow,deny" : "deny,allow";
  const orders = [{ directive, limits: [], ordering }] as const;
  const single = { directives: [directive], orders, hosts: own, satisfies: [], unreadable: [] };
  return decideByOrder(single, client).allowed === (directive.key === "allow");
}
