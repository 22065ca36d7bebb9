import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { readSubnet, type Subnet } from "../../text/addresses.js";
import { limitsOf, type MethodLimit } from "./clients-and-methods.js";

/** Lower-case names of the 2.2 access control directives, which 2.4 has in mod_access_compat. */
export const compatDirectiveNames = ["order", "allow", "deny", "satisfy"] as const;
const compatKeys = new Set<string>(compatDirectiveNames);

export type Ordering = "deny,allow" | "allow,deny" | "mutual-failure";

/** The match condition of one argument after `from`. */
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

/** One argument of an Allow or Deny line. */
export interface HostRule extends LimitedLine {
  readonly list: "allow" | "deny";
  readonly match: ClientMatch;
  readonly argument: Argument;
}

interface SatisfyLine extends LimitedLine {
  readonly satisfy: "all" | "any";
}

/**
 * The Order, Allow, Deny and Satisfy rules of a scope itself, in file order. The last Order and the last Satisfy count.
 */
export interface CompatRules {
  /** Every mod_access_compat directive of the scope, valid or not. */
  readonly directives: readonly Directive[];
  readonly orders: readonly OrderLine[];
  readonly hosts: readonly HostRule[];
  readonly satisfies: readonly SatisfyLine[];
  /** Directives that the server rejects; they do not appear in the other fields. */
  readonly unreadable: readonly Directive[];
}

/** Reports whether a directive is one of Order, Allow, Deny and Satisfy. */
export function isCompatDirective(directive: Pick<Directive, "key">): boolean {
  return compatKeys.has(directive.key);
}

/**
 * Returns the mod_access_compat rules among a scope's directives; undefined if there are none. The semantics are those
 * of modules/aaa/mod_access_compat.c, which 2.2's mod_authz_host.c shares.
 *
 * @param directives the contents of the scope, with Limit sections followed by their contents
 */
export function parseCompatRules(directives: readonly Directive[]): CompatRules | undefined {
  const compat = directives.filter(isCompatDirective);
  if (compat.length === 0) return undefined;
  const orders: OrderLine[] = [];
  const hosts: HostRule[] = [];
  const satisfies: SatisfyLine[] = [];
  const unreadable: Directive[] = [];
  for (const directive of compat) {
    const placed: LimitedLine = { directive, limits: limitsOf(directive) };
    const readable =
      directive.key === "order"
        ? addOrder(placed, orders)
        : directive.key === "satisfy"
          ? addSatisfy(placed, satisfies)
          : addHosts(placed, directive.key === "allow" ? "allow" : "deny", hosts);
    if (!readable) unreadable.push(directive);
  }
  return { directives: compat, orders, hosts, satisfies, unreadable };
}

function addOrder(placed: LimitedLine, orders: OrderLine[]): boolean {
  const words = placed.directive.arguments;
  const ordering = parseOrdering(words[0]?.value ?? "");
  if (words.length !== 1 || ordering === undefined) return false;
  orders.push({ ...placed, ordering });
  return true;
}

/** Parses an ordering, case-insensitively. */
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
    // The server stops reading at an empty argument.
    if (argument.value === "") break;
    const match = parseClientMatch(argument.value);
    if (match === undefined) return false;
    hosts.push({ ...placed, list, match, argument });
  }
  return true;
}

/** Parses an argument after `from`; returns undefined if the server rejects it. */
function parseClientMatch(word: string): ClientMatch | undefined {
  if (/^env=/i.test(word)) {
    const negated = word[4] === "!";
    return { kind: "env", name: word.slice(negated ? 5 : 4), negated };
  }
  if (word.toLowerCase() === "all") return { kind: "all" };
  const verdict = readSubnet(word);
  if (verdict.ok) return { kind: "ip", text: word, subnet: verdict.value };
  if (verdict.error !== "not-an-address" || word.includes("/")) return undefined;
  return { kind: "host", name: word };
}
