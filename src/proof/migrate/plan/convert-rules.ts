import { parseArguments, quoteArgument } from "../../../../grammar/arguments.js";
import type { Argument } from "../../../../grammar/ast.js";
import type { Directive } from "../../../config/model/directive.js";
import { isExpansion } from "../../../config/reader/macros.js";
import { isNobodysName, limitsInclude } from "../../../server/access/clients-and-methods.js";
import type { CompatRules, HostRule } from "../../../server/access/compat-rules.js";
import type { RequireSet } from "../../../server/access/merge.js";
import type { RequireRule } from "../../../server/access/require-rules.js";
import { getOrCreate } from "../../../text/collections.js";
import type { Span } from "../../../text/source.js";
import {
  createRuleLine,
  denyAllRule,
  grantAll,
  negateLine,
  type RuleLineNode,
  type RuleNode,
  requireAllOf,
  requireAnyOf,
} from "./rule-nodes.js";

/**
 * Converts the Order, Allow and Deny lines of a section, for one method, to Require rules
 * (modules/aaa/mod_access_compat.c `check_dir_access`).
 */
export function convertCompatRules(rules: CompatRules, method: string): RuleNode {
  const order = rules.orders.findLast(({ limits }) => limitsInclude(limits, method));
  const [first] = rules.directives;
  const allowed = rulesOfList(rules, "allow", method);
  const refused = rulesOfList(rules, "deny", method);
  switch (order?.ordering ?? "deny,allow") {
    case "deny,allow":
      return requireAnyOf([...allowed, allExcept(refused, order?.directive ?? first)]);
    case "allow,deny":
    case "mutual-failure":
      if (allowed.length === 0) return denyAllRule(order?.directive);
      return requireAllOf([requireAnyOf(allowed), allExcept(refused, order?.directive)]);
  }
}

/** Returns a rule that allows everyone except the given clients. */
function allExcept(refused: readonly RuleNode[], of: Directive | undefined): RuleNode {
  return requireAllOf([grantAll(of), ...refused.map(negate)]);
}

function negate(rule: RuleNode): RuleNode {
  if (rule.kind === "line" && rule.words === "all granted" && !rule.negated) return denyAllRule(rule.of);
  if (rule.kind === "line") return negateLine(rule);
  // `env=!NAME` matches everyone without the variable.
  const [member] = rule.rules.filter((each): each is RuleLineNode => each.kind === "line" && each.negated);
  return member ? negateLine(member) : grantAll();
}

/** Returns a rule for each line of a list: addresses, names and variables get separate lines. */
function rulesOfList(rules: CompatRules, list: HostRule["list"], method: string): readonly RuleNode[] {
  const hosts = rules.hosts.filter((rule) => rule.list === list && limitsInclude(rule.limits, method));
  const lines = new Map<Directive, HostRule[]>();
  for (const host of hosts) getOrCreate(lines, host.directive, () => []).push(host);
  return [...lines].flatMap(([directive, words]) => rulesOfLine(directive, words));
}

function rulesOfLine(directive: Directive, all: readonly HostRule[]): readonly RuleNode[] {
  // `Allow from none` and `Deny from none` match no client: Require does not need to state that.
  const words = all.filter(({ match }) => match.kind !== "host" || !isNobodysName(match.name));
  if (words.some(({ match }) => match.kind === "all")) return [grantAll(directive)];
  const written = findSourceWords(
    directive,
    words.map(({ argument }) => argument),
  );
  const named = { ip: [] as RuleWord[], host: [] as RuleWord[], env: [] as RuleWord[] };
  const negated: RuleNode[] = [];
  for (const [index, { match, argument }] of words.entries()) {
    const raw = written[index] ?? argument.value;
    switch (match.kind) {
      case "ip":
      case "host":
        named[match.kind].push({ value: quoteArgument(argument.value), raw });
        break;
      case "env": {
        const word = { value: match.name, raw: raw.replace(/^env=!?/i, "") };
        if (!match.negated) named.env.push(word);
        else
          negated.push(
            match.name === "" ? grantAll(directive) : requireAllOf([negateLine(lineOfWords("env", [word], directive))]),
          );
        break;
      }
      case "all":
        break;
    }
  }
  const kinds = (["ip", "host", "env"] as const).filter((kind) => named[kind].length > 0);
  return [...kinds.map((kind) => lineOfWords(kind, named[kind], directive)), ...negated];
}

interface RuleWord {
  readonly value: string;
  /** The original spelling. */
  readonly raw: string;
}

function lineOfWords(kind: string, words: readonly RuleWord[], of: Directive): RuleLineNode {
  const joined = (texts: readonly string[]) => `${kind} ${[...new Set(texts)].join(" ")}`;
  return createRuleLine(joined(words.map(({ value }) => value)), of, joined(words.map(({ raw }) => raw)));
}

/** Converts Require rules for one method; undefined if they do not apply to it, so that they allow it. */
export function convertRequireRules(set: RequireSet, method: string): RuleNode | undefined {
  if (set.kind === "section") return convertGroup("any", set.rules, method);
  const rules = [set.first, set.second].flatMap((each) => convertRequireRules(each, method) ?? []);
  if (rules.length === 0) return undefined;
  return set.operator === "and" ? requireAllOf(rules) : requireAnyOf(rules);
}

function convertRequireRule(rule: RequireRule, method: string): RuleNode | undefined {
  if (rule.kind !== "require") return convertGroup(rule.kind, rule.rules, method);
  if (!limitsInclude(rule.limits, method)) return undefined;
  const converted = createRuleLine(
    `${rule.provider} ${rule.rest}`.trim(),
    rule.directive,
    findSourceRequireWords(rule.directive),
  );
  return rule.negated ? negateLine(converted) : converted;
}

function convertGroup(
  kind: "all" | "any" | "none",
  written: readonly RequireRule[],
  method: string,
): RuleNode | undefined {
  // A container with the same operator as its parent is replaced by its members.
  const rules = written.flatMap((rule) => (rule.kind === kind && kind !== "none" ? flattenGroup(rule) : [rule]));
  const converted = rules.flatMap((rule) => convertRequireRule(rule, method) ?? []);
  if (converted.length === 0) return undefined;
  switch (kind) {
    case "none":
      return { kind, rules: converted };
    case "any":
      return requireAnyOf(converted);
    case "all":
      // Without a positive member the server denies everyone; it accepts this only in a `.htaccess` file.
      return rules.some(canGrant) ? requireAllOf(converted) : denyAllRule();
  }
}

function flattenGroup(rule: RequireRule): readonly RequireRule[] {
  if (rule.kind === "require") return [rule];
  return rule.rules.flatMap((each) => (each.kind === rule.kind ? flattenGroup(each) : [each]));
}

function canGrant(rule: RequireRule): boolean {
  if (rule.kind === "require") return !rule.negated;
  return rule.kind !== "none" && rule.rules.some(canGrant);
}

/** Returns the source location of a line: in the macro definition if a macro inserted it. */
export function sourceLineOf({ file, start, end }: Span): Span {
  if (!isExpansion(file)) return { file, start, end };
  const number = file.text.slice(0, start).split("\n").length - 1;
  const origin = file.origins[number];
  return origin ? sourceLineOf(origin) : { file, start, end };
}

/** Returns the text after a directive's name in the source, with variables and macro parameters. */
function sourceArguments(directive: Directive): string {
  const { file, start, end } = sourceLineOf(directive.span);
  const text = file.text.slice(start, end).replace(/\\\r?\n/g, " ");
  return text.replace(/^\S+\s*/, "").trim();
}

/** Returns the words of a Require line as in the source, without `not`. */
function findSourceRequireWords(directive: Directive): string {
  return sourceArguments(directive).replace(/^not\s+/i, "");
}

/** Returns words of a line as in the source; empty if they do not correspond one to one. */
function findSourceWords(directive: Directive, words: readonly Argument[]): readonly string[] {
  const rest = sourceArguments(directive);
  const raw = parseArguments(rest);
  const read = directive.arguments;
  if (raw.length !== read.length) return [];
  return words.flatMap((word) => {
    const at = read.findIndex(({ start }) => start === word.start);
    const found = raw[at];
    return found ? [rest.slice(found.start, found.end)] : [];
  });
}
