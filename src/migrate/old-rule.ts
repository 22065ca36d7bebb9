import { quoteArgument } from "../../grammar/arguments.js";
import { isForAsked } from "../access/limits.js";
import type { HostRule, OldRules } from "../access/old-rules.js";
import type { Directive } from "../project/directive.js";
import { all, any, denied, granted, line, not, type Rule, type RuleLine } from "./rule.js";
import { writtenWords } from "./written.js";

/**
 * What Order, Allow and Deny of a section say to a method, as Require rules (modules/aaa/mod_access_compat.c
 * `check_dir_access`).
 */
export function ruleOfOld(rules: OldRules, method: string): Rule {
  const order = rules.orders.findLast(({ limits }) => isForAsked(limits, method));
  const [first] = rules.directives;
  const allowed = listOf(rules, "allow", method);
  const refused = listOf(rules, "deny", method);
  switch (order?.ordering ?? "deny,allow") {
    case "deny,allow":
      return any([...allowed, except(refused, order?.directive ?? first)]);
    case "allow,deny":
    case "mutual-failure":
      if (allowed.length === 0) return denied(order?.directive);
      return all([any(allowed), except(refused, order?.directive)]);
  }
}

/** All but some. */
function except(refused: readonly Rule[], of: Directive | undefined): Rule {
  return all([granted(of), ...refused.map(negation)]);
}

function negation(rule: Rule): Rule {
  if (rule.kind === "line" && rule.words === "all granted" && !rule.negated) return denied(rule.of);
  if (rule.kind === "line") return not(rule);
  // Of `env=!NAME`: everybody but those who have it.
  const [member] = rule.rules.filter((each): each is RuleLine => each.kind === "line" && each.negated);
  return member ? not(member) : granted();
}

/** A rule for what each line of a list names: addresses, names and variables are lines of their own. */
function listOf(rules: OldRules, list: HostRule["list"], method: string): readonly Rule[] {
  const hosts = rules.hosts.filter((rule) => rule.list === list && isForAsked(rule.limits, method));
  const lines = new Map<Directive, HostRule[]>();
  for (const host of hosts) lines.set(host.directive, [...(lines.get(host.directive) ?? []), host]);
  return [...lines].flatMap(([directive, words]) => rulesOfLine(directive, words));
}

function rulesOfLine(directive: Directive, words: readonly HostRule[]): readonly Rule[] {
  if (words.some(({ match }) => match.kind === "all")) return [granted(directive)];
  const written = writtenWords(
    directive,
    words.map(({ argument }) => argument),
  );
  const named = { ip: [] as Word[], host: [] as Word[], env: [] as Word[] };
  const negated: Rule[] = [];
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
        else negated.push(match.name === "" ? granted(directive) : all([not(lineOfWords("env", [word], directive))]));
        break;
      }
      case "all":
        break;
    }
  }
  const kinds = (["ip", "host", "env"] as const).filter((kind) => named[kind].length > 0);
  return [...kinds.map((kind) => lineOfWords(kind, named[kind], directive)), ...negated];
}

interface Word {
  readonly value: string;
  /** As it is written. */
  readonly raw: string;
}

function lineOfWords(kind: string, words: readonly Word[], of: Directive): RuleLine {
  const joined = (texts: readonly string[]) => `${kind} ${[...new Set(texts)].join(" ")}`;
  return line(joined(words.map(({ value }) => value)), of, joined(words.map(({ raw }) => raw)));
}
