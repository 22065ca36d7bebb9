import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../project/model/directive.js";
import { readSubnet, type Subnet } from "../../text/addresses.js";
import { limitsOf, type MethodLimit } from "../model/clients-and-methods.js";

/** Lower-case names of the access control of 2.2, which 2.4 has in mod_access_compat. */
export const compatDirectiveNames = ["order", "allow", "deny", "satisfy"] as const;
const compatKeys = new Set<string>(compatDirectiveNames);

export type Ordering = "deny,allow" | "allow,deny" | "mutual-failure";

/** What one word behind `from` matches. */
export type ClientMatch =
  | { readonly kind: "all" }
  | { readonly kind: "env"; readonly name: string; readonly negated: boolean }
  | { readonly kind: "ip"; readonly text: string; readonly subnet: Subnet }
  | { readonly kind: "host"; readonly name: string };

interface LimitedLine {
  readonly directive: Directive;
  readonly limits: readonly MethodLimit[];
}

interface OrderLine extends LimitedLine {
  readonly ordering: Ordering;
}

/** One word of an Allow or Deny line. */
export interface HostRule extends LimitedLine {
  readonly list: "allow" | "deny";
  readonly match: ClientMatch;
  readonly argument: Argument;
}

interface SatisfyLine extends LimitedLine {
  readonly satisfy: "all" | "any";
}

/** The old rules as a scope itself sets them, in the order of the file; of Order and Satisfy the last counts. */
export interface CompatRules {
  /** Every old directive of the scope, readable or not. */
  readonly directives: readonly Directive[];
  readonly orders: readonly OrderLine[];
  readonly hosts: readonly HostRule[];
  readonly satisfies: readonly SatisfyLine[];
  /** Those that the server refuses; nothing else in here tells of them. */
  readonly unreadable: readonly Directive[];
}

/** Whether a directive is one of Order, Allow, Deny and Satisfy. */
export function isCompatDirective(directive: Directive): boolean {
  return compatKeys.has(directive.key);
}

/**
 * The old rules among a scope's directives; undefined where it has none. The meaning of the words is that of
 * modules/aaa/mod_access_compat.c, which 2.2's mod_authz_host.c shares.
 *
 * @param directives what stands in the scope, Limit sections with their contents behind them
 */
export function parseCompatRules(directives: readonly Directive[]): CompatRules | undefined {
  const old = directives.filter(isCompatDirective);
  if (old.length === 0) return undefined;
  const orders: OrderLine[] = [];
  const hosts: HostRule[] = [];
  const satisfies: SatisfyLine[] = [];
  const unreadable: Directive[] = [];
  for (const directive of old) {
    const placed: LimitedLine = { directive, limits: limitsOf(directive) };
    const readable =
      directive.key === "order"
        ? addOrder(placed, orders)
        : directive.key === "satisfy"
          ? addSatisfy(placed, satisfies)
          : addHosts(placed, directive.key === "allow" ? "allow" : "deny", hosts);
    if (!readable) unreadable.push(directive);
  }
  return { directives: old, orders, hosts, satisfies, unreadable };
}

function addOrder(placed: LimitedLine, orders: OrderLine[]): boolean {
  const words = placed.directive.arguments;
  const ordering = parseOrdering(words[0]?.value ?? "");
  if (words.length !== 1 || ordering === undefined) return false;
  orders.push({ ...placed, ordering });
  return true;
}

/** The ordering that a word names, in any case. */
export function parseOrdering(word: string): Ordering | undefined {
  const lower = word.toLowerCase();
  return lower === "deny,allow" || lower === "allow,deny" || lower === "mutual-failure" ? lower : undefined;
}

function addSatisfy(placed: LimitedLine, satisfies: SatisfyLine[]): boolean {
  const words = placed.directive.arguments;
  const word = words[0]?.value.toLowerCase();
  if (words.length !== 1 || (word !== "all" && word !== "any")) return false;
  satisfies.push({ ...placed, satisfy: word });
  return true;
}

function addHosts(placed: LimitedLine, list: "allow" | "deny", hosts: HostRule[]): boolean {
  const [from, ...words] = placed.directive.arguments;
  if (from?.value.toLowerCase() !== "from" || words.length === 0) return false;
  for (const argument of words) {
    // The server stops reading at an empty word.
    if (argument.value === "") break;
    const match = parseClientMatch(argument.value);
    if (match === undefined) return false;
    hosts.push({ ...placed, list, match, argument });
  }
  return true;
}

/** What a word behind `from` matches; undefined where the server refuses it. */
function parseClientMatch(word: string): ClientMatch | undefined {
  if (/^env=/i.test(word)) {
    const negated = word[4] === "!";
    return { kind: "env", name: word.slice(negated ? 5 : 4), negated };
  }
  if (word.toLowerCase() === "all") return { kind: "all" };
  const verdict = readSubnet(word);
  if ("subnet" in verdict) return { kind: "ip", text: word, subnet: verdict.subnet };
  if ("refused" in verdict || word.includes("/")) return undefined;
  return { kind: "host", name: word };
}
