import { requiresUser } from "../../../server/access/providers.js";
import { readSubnet, type Subnet } from "../../../text/addresses.js";
import {
  isDenyAll,
  isGrantAll,
  linesOfRule,
  type RuleLineNode,
  type RuleNode,
  requireAllOf,
  requireAnyOf,
  ruleKey,
} from "./rule-nodes.js";

/**
 * Reports whether each request that one rule allows is allowed by another, as far as their structure, networks and
 * names show it.
 */
export function impliesRule(rule: RuleNode, other: RuleNode): boolean {
  if (isDenyAll(rule) || isGrantAll(other) || ruleKey(rule) === ruleKey(other)) return true;
  if (rule.kind === "any") return rule.rules.every((each) => impliesRule(each, other));
  if (other.kind === "all") return other.rules.every((each) => impliesRule(rule, each));
  if (rule.kind === "line" && other.kind === "line") return impliesLine(rule, other);
  return (
    (rule.kind === "all" && rule.rules.some((each) => impliesRule(each, other))) ||
    (other.kind === "any" && other.rules.some((each) => impliesRule(rule, each)))
  );
}

function impliesLine(line: RuleLineNode, other: RuleLineNode): boolean {
  if (line.negated || other.negated) return line.negated && other.negated && matchesWithin(other, line);
  return matchesWithin(line, other);
}

/** Reports whether each client that matches the words of one line matches those of another. */
function matchesWithin({ words }: RuleLineNode, { words: others }: RuleLineNode): boolean {
  const [provider = "", ...values] = words.split(" ");
  const [otherProvider = "", ...otherValues] = others.split(" ");
  const [name, otherName] = [provider.toLowerCase(), otherProvider.toLowerCase()];
  if (otherName === "valid-user") return requiresUser(name);
  if (name !== otherName) return false;
  if (name === "ip") return values.every((value) => otherValues.some((each) => isWithin(value, each)));
  // Quoted names may contain blanks.
  return !/["']/.test(words + others) && (name === "user" || name === "group") && isSubset(values, otherValues);
}

function isSubset(values: readonly string[], others: readonly string[]): boolean {
  return values.every((value) => others.includes(value));
}

function isWithin(network: string, other: string): boolean {
  const [inner, outer] = [network, other].map(subnetOf);
  if (inner === undefined || outer === undefined || inner.family !== outer.family) return false;
  return (inner.mask & outer.mask) === outer.mask && (inner.network & outer.mask) === outer.network;
}

function subnetOf(text: string): Subnet | undefined {
  const read = readSubnet(text);
  return "subnet" in read ? read.subnet : undefined;
}

/** Providers that never fail; others return 500 if their file or their server cannot be read. */
const infallibleProviders: ReadonlySet<string> = new Set(["all", "env", "host", "ip", "user", "valid-user"]);

function isInfallible({ words }: RuleLineNode): boolean {
  return infallibleProviders.has(words.split(" ", 1)[0]?.toLowerCase() ?? "");
}

/** Returns a rule without members that change no decision beside the others of the same container. */
export function omitRedundantRules(rule: RuleNode): RuleNode {
  if (rule.kind === "line" || rule.kind === "none") return rule;
  const members = rule.rules.map(omitRedundantRules);
  const isImplied =
    rule.kind === "all"
      ? (member: RuleNode, other: RuleNode) => impliesRule(other, member)
      : (member: RuleNode, other: RuleNode) => impliesRule(member, other);
  const isRedundant = (member: RuleNode, index: number) =>
    linesOfRule(member).every(isInfallible) &&
    members.some((other, at) => at !== index && isImplied(member, other) && (at < index || !isImplied(other, member)));
  const left = members.filter((member, index) => !isRedundant(member, index));
  return rule.kind === "all" ? requireAllOf(left) : requireAnyOf(left);
}
