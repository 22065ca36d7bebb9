import { requiresUser } from "../../../server/access/providers.js";
import {
  isDenyAll,
  isGrantAll,
  linesOfRule,
  type RequireLineNode,
  type RequireNode,
  requireAllOf,
  requireAnyOf,
  ruleKey,
} from "../../../server/access/require-nodes.js";
import { readSubnet, type Subnet } from "../../../text/addresses.js";

/**
 * Reports whether each request that one rule allows is allowed by another, as far as their structure, networks and
 * names show it.
 */
export function impliesRule(rule: RequireNode, other: RequireNode): boolean {
  if (isDenyAll(rule) || isGrantAll(other) || ruleKey(rule) === ruleKey(other)) return true;
  if (rule.kind === "any") return rule.rules.every((each) => impliesRule(each, other));
  if (other.kind === "all") return other.rules.every((each) => impliesRule(rule, each));
  if (rule.kind === "line" && other.kind === "line") return impliesLine(rule, other);
  return (
    (rule.kind === "all" && rule.rules.some((each) => impliesRule(each, other))) ||
    (other.kind === "any" && other.rules.some((each) => impliesRule(rule, each)))
  );
}

function impliesLine(line: RequireLineNode, other: RequireLineNode): boolean {
  if (line.negated || other.negated) return line.negated && other.negated && matchesWithin(other, line);
  return matchesWithin(line, other);
}

/** Reports whether each client that matches the words of one line matches those of another. */
function matchesWithin({ words }: RequireLineNode, { words: others }: RequireLineNode): boolean {
  const [provider = "", ...values] = words.split(" ");
  const [otherProvider = "", ...otherValues] = others.split(" ");
  const [name, otherName] = [provider.toLowerCase(), otherProvider.toLowerCase()];
  if (otherName === "valid-user") return requiresUser(name);
  if (name !== otherName) return false;
  if (name === "ip") return values.every((value) => otherValues.some((each) => isPartOfNetwork(value, each)));
  // Quoted names may contain blanks.
  return !/["']/.test(words + others) && (name === "user" || name === "group") && isSubset(values, otherValues);
}

function isSubset(values: readonly string[], others: readonly string[]): boolean {
  return values.every((value) => others.includes(value));
}

function isPartOfNetwork(network: string, other: string): boolean {
  const [inner, outer] = [network, other].map(subnetOf);
  if (inner === undefined || outer === undefined || inner.family !== outer.family) return false;
  return (inner.mask & outer.mask) === outer.mask && (inner.network & outer.mask) === outer.network;
}

function subnetOf(text: string): Subnet | undefined {
  const read = readSubnet(text);
  return read.ok ? read.value : undefined;
}

/** Providers that never fail; others return 500 if their file or their server cannot be read. */
const infallibleProviders: ReadonlySet<string> = new Set(["all", "env", "host", "ip", "user", "valid-user"]);

function isInfallible({ words }: RequireLineNode): boolean {
  return infallibleProviders.has(words.split(" ", 1)[0]?.toLowerCase() ?? "");
}

/** Returns a rule without members that change no decision beside the others of the same container. */
export function omitRedundantRules(rule: RequireNode): RequireNode {
  if (rule.kind === "line" || rule.kind === "none") return rule;
  const members = rule.rules.map(omitRedundantRules);
  const isImplied =
    rule.kind === "all"
      ? (member: RequireNode, other: RequireNode) => impliesRule(other, member)
      : (member: RequireNode, other: RequireNode) => impliesRule(member, other);
  const isRedundant = (member: RequireNode, index: number) =>
    linesOfRule(member).every(isInfallible) &&
    members.some((other, at) => at !== index && isImplied(member, other) && (at < index || !isImplied(other, member)));
  const left = members.filter((member, index) => !isRedundant(member, index));
  return rule.kind === "all" ? requireAllOf(left) : requireAnyOf(left);
}
