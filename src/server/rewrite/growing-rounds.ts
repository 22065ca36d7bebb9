import { isSince } from "../../facts/release.js";
import type { LiteralNode, PatternNode } from "../../regex/pcre/ast.js";
import { parsePcre } from "../../regex/pcre/parser.js";
import type { RewriteContext } from "./rewrite-context.js";
import type { RewriteCondition, RewriteRule } from "./rule-parser.js";

/** What a rule with the flag N does to a URL: it replaces the texts around its group, again and again. */
export interface RuleGrowth {
  /** Bytes that each round adds. */
  readonly bytes: number;
}

/** A rule that restarted the rules, with the texts that its pattern was matched with before and after that. */
export interface RestartedRound {
  readonly rule: RewriteRule;
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the growth of the URL if a rule certainly applies in each further round, and no earlier rule does. Only the usual form
 * is proved: the pattern is a text around one `(.*)` or `(.+)`, and the target is a text around `$1` that the pattern matches
 * again. Conditions may only test what no rule changes.
 */
export function findEndlessGrowth(
  rules: readonly RewriteRule[],
  { rule, before, after }: RestartedRound,
  context: RewriteContext,
): RuleGrowth | undefined {
  const frame = frameOf(rule);
  const target = /^([^$%\\?]*)\$1([^$%\\?]*)$/.exec(rule.output ?? "");
  const { project, directory, filename, pathInfo } = context;
  if (frame === undefined || target === null || !isSince(project.release, "2.4") || project.pathRules === "windows")
    return undefined;
  if (rule.flags.names.has("chain") || rule.flags.names.has("discardpath") || rule.flags.names.has("backrefescaping"))
    return undefined;
  // A newline ends `.*`; a question mark starts a query.
  if (/[\n?]/.test(filename + pathInfo) || !filename.startsWith("/")) return undefined;
  const [, prefix = "", suffix = ""] = target;
  const isBelow = directory !== undefined && !prefix.startsWith("/");
  const head = isBelow || prefix.startsWith("/") ? prefix : `/${prefix}`;
  const tail = suffix + (directory === undefined ? "" : pathInfo);
  const middle = before.slice(frame.head.length, before.length - frame.tail.length);
  const leadsBack = directory !== undefined && !isBelow && (directory.startsWith(head) || head.startsWith(directory));
  // The rule did what its text says, so that it does the same with a longer text.
  if (leadsBack || after !== head + middle + tail) return undefined;
  const matchesAgain = head.startsWith(frame.head) && tail.endsWith(frame.tail);
  const bytes = head.length + tail.length - frame.head.length - frame.tail.length;
  if (!matchesAgain || bytes <= 0 || !rule.conditions.every(isConstant)) return undefined;
  const earlier = rules.slice(0, rules.indexOf(rule));
  // A rule after one with the flag C that does not apply is skipped.
  const isReached = earlier.every((each) => neverMatches(each, head) && !each.flags.names.has("chain"));
  return isReached ? { bytes } : undefined;
}

/** Variables that no rewrite rule changes before the rules end. */
const constantVariable =
  /^(?:HTTP_\w+|HTTP:[\w-]+|HTTPS|REMOTE_ADDR|REQUEST_METHOD|REQUEST_SCHEME|REQUEST_URI|SERVER_PORT|THE_REQUEST)$/i;

function isConstant({ input, test }: RewriteCondition): boolean {
  const rest = input.replace(/%\{([^{}]*)\}/g, (whole, name: string) => (constantVariable.test(name) ? "" : whole));
  return test.kind === "pattern" && !/[$%]/.test(rest);
}

/** The texts around the group of a pattern. */
interface PatternFrame {
  readonly head: string;
  readonly tail: string;
}

/** Returns the texts around the only group of a pattern that matches whole URLs; undefined for another pattern. */
function frameOf({ pattern, isNegated, flags }: RewriteRule): PatternFrame | undefined {
  const { branches, error } = parsePcre(pattern);
  const [branch = [], other] = branches;
  if (isNegated || error || other || flags.names.has("nocase")) return undefined;
  const at = branch.findIndex(({ kind }) => kind === "group");
  const [before, after] = [branch.slice(0, at), branch.slice(at + 1)];
  const isAnchored = { start: isMark(before[0], "^"), end: isMark(after.at(-1), "$") };
  const head = textOf(isAnchored.start ? before.slice(1) : before);
  const tail = textOf(isAnchored.end ? after.slice(0, -1) : after);
  if (at < 0 || !isAnyText(branch[at]) || head === undefined || tail === undefined) return undefined;
  // Without an anchor, only a greedy group at that end is certain to match the whole text.
  if ((head !== "" && !isAnchored.start) || (tail !== "" && !isAnchored.end)) return undefined;
  return { head, tail };
}

function isMark(node: PatternNode | undefined, mark: string): boolean {
  return node?.kind === "assertion" && node.mark === mark;
}

/** Reports whether a node is `(.*)` or `(.+)`. */
function isAnyText(node: PatternNode | undefined): boolean {
  if (node?.kind !== "group" || node.number !== 1 || node.construct !== undefined || node.branches.length !== 1)
    return false;
  const [only, more] = node.branches[0] ?? [];
  if (only?.kind !== "repeat" || more !== undefined || only.of.kind !== "dot") return false;
  return only.min <= 1 && only.max === Number.POSITIVE_INFINITY && only.mode === "greedy";
}

/** Returns the text of literal nodes; undefined if there is another node. */
function textOf(nodes: readonly PatternNode[]): string | undefined {
  const literals = nodes.filter((node): node is LiteralNode => node.kind === "literal" && !node.ignoreCase);
  return literals.length < nodes.length ? undefined : String.fromCharCode(...literals.map(({ code }) => code));
}

/** Reports whether a rule matches no text that starts with another text: its pattern starts with a different one. */
function neverMatches({ pattern, isNegated, flags }: RewriteRule, head: string): boolean {
  const { branches, error } = parsePcre(pattern);
  const [branch = [], other] = branches;
  if (isNegated || error || other || flags.names.has("nocase") || !isMark(branch[0], "^")) return false;
  const end = branch.findIndex((node, index) => index > 0 && node.kind !== "literal");
  const start = textOf(branch.slice(1, end < 0 ? branch.length : end)) ?? "";
  return !start.startsWith(head) && !head.startsWith(start);
}
