import {
  type Directive,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteCondition,
  type RewriteRule,
} from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";
import {
  type ArgumentPart,
  addGroup,
  type Captures,
  capturingDirectives,
  countGroups,
  readCaptures,
} from "./captures.js";

const countNote = (pattern: string, groups: number) =>
  `the pattern ${quoteText(pattern)} has ${groups === 0 ? "no group" : groups === 1 ? "only 1 group" : `only ${groups} groups`}`;

/** @param pattern without the group that the reference needs */
const groupHelp = (pattern: string, number: number) => {
  const grouped = addGroup(pattern, number);
  return grouped === undefined
    ? "add the group to the pattern, or correct the number"
    : `use the pattern ${quoteText(grouped)}`;
};

const messages = {
  ofRule: (reference: string, { pattern, isNegated }: RewriteRule, groups: number, help: string) => ({
    message: `\`${reference}\` is always empty`,
    notes: [isNegated ? "a negated pattern captures nothing" : countNote(pattern, groups)],
    help: [help],
  }),
  ofCondition: (reference: string, hasConditions: boolean, other: string | undefined) => ({
    message: `\`${reference}\` is always empty`,
    notes: [
      hasConditions
        ? "no condition of this rule that must match has that many groups"
        : "the rule has no condition that captures a text",
    ],
    help: [
      other === undefined
        ? "add the group to the last condition, or use `$` for a group of the rule"
        : `use \`${other}\`, the group of the pattern`,
    ],
  }),
  inCondition: (reference: string, isFirst: boolean) => ({
    message: `\`${reference}\` is always empty`,
    notes: [
      isFirst
        ? `this is the first condition of the rule, and \`${reference}\` is a group of a condition before it`
        : "no condition before this one has that many groups",
    ],
    help: [
      isFirst
        ? "use `$` for a group of the rule, or add a condition with the group before this one"
        : "add the group to the condition before it, or use `$` for a group of the rule",
    ],
  }),
  empty: (number: number, { pattern, isPlainValue }: Captures, groups: number) => ({
    message: `\`$${number}\` is always empty`,
    notes: [countNote(pattern, groups)],
    help: [groupHelp(pattern, number), ...(isPlainValue ? ["or use `$0`, the whole match"] : [])],
  }),
  literal: (number: number, { pattern }: Captures) => ({
    message: `\`$${number}\` is not replaced`,
    notes: [`httpd compares ${quoteText(pattern)} as text, because it has no special characters, and replaces nothing`],
    help: [`use the pattern ${quoteText(`(${pattern})`)}`],
  }),
  unset: (number: number, { pattern }: Captures) => ({
    message: `\`$${number}\` has no value, and requests may return 500`,
    notes: [countNote(pattern, 0), "httpd then inserts memory that it has not set"],
    help: [number === 0 ? "put a part of the pattern in a group" : groupHelp(pattern, number)],
  }),
};

export const undefinedBackReference = defineVariant({
  id: "undefined-back-reference",
  messages,
  check: ({ report }) => ({
    directives: Object.fromEntries(
      capturingDirectives.map((key) => [
        key,
        (line: Directive) => {
          const captures = readCaptures(line);
          if (captures === undefined) return;
          const { pattern, targets } = captures;
          const groups = countGroups(pattern);
          const withoutGroups = groups === 0 ? captures.withoutGroups : "empty";
          for (const { sign, number, start, end } of targets.flatMap((word) => listReferences(word, line))) {
            if (sign === "%" || (withoutGroups === "empty" && number <= groups)) continue;
            const message = messages[withoutGroups](number, captures, groups);
            report({ message, span: line.spanOf({ start, end }) });
          }
        },
      ]),
    ),
    scope: {
      holding: ["rewriterule"],
      visit({ directives }) {
        for (const rule of parseRewriteRules(directives)) {
          const groups = rule.isNegated ? 0 : countGroups(rule.pattern);
          const inConditions = countConditionGroups(rule.conditions);
          const target = parseRewriteWords(rule.directive.argumentText)?.[1];
          const texts = rule.conditions.map(
            ({ directive }, i) =>
              [
                directive,
                parseRewriteWords(directive.argumentText)?.[0],
                // In a condition, `%` is a group of the conditions before it.
                countConditionGroups(rule.conditions.slice(0, i)),
              ] as const,
          );
          for (const [directive, word, before] of [...texts, [rule.directive, target, inConditions] as const]) {
            for (const { sign, number, start, end } of word === undefined ? [] : listReferences(word, directive)) {
              if (number === 0) continue;
              const span = directive.spanOf({ start, end });
              const isTarget = directive === rule.directive;
              const other = isTarget && number <= (sign === "$" ? inConditions : groups);
              const swapped = other ? `${sign === "$" ? "%" : "$"}${number}` : undefined;
              if (sign === "$" && number > groups) {
                const group = swapped
                  ? `use \`${swapped}\`, the group of the condition`
                  : rule.isNegated
                    ? "capture the text with `RewriteCond %{REQUEST_URI} ^(.*)$` before the rule, and use `%1`"
                    : groupHelp(rule.pattern, number);
                report({ message: messages.ofRule(`$${number}`, rule, groups, group), span });
              }
              if (sign === "%" && number > before) {
                const reference = `%${number}`;
                const message = isTarget
                  ? messages.ofCondition(reference, rule.conditions.length > 0, swapped)
                  : messages.inCondition(reference, directive === rule.conditions[0]?.directive);
                report({ message, span });
              }
            }
          }
        }
      },
    },
  }),
});

/** Returns the number of groups that conditions define if they hold. */
function countConditionGroups(conditions: readonly RewriteCondition[]): number {
  return Math.max(0, ...conditions.map(groupsOfCondition));
}

/** Returns the number of groups that a condition defines if it holds. */
function groupsOfCondition({ test, isNegated }: RewriteCondition): number {
  if (test.kind === "expression") return Number.POSITIVE_INFINITY;
  return test.kind === "pattern" && !isNegated ? countGroups(test.pattern) : 0;
}

interface Reference {
  readonly sign: "$" | "%";
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** Lists the references in a text as written. `%` before two hexadecimal digits may be an escaped character. */
function listReferences({ start, end }: ArgumentPart, { argumentText }: Directive): readonly Reference[] {
  const text = argumentText.slice(start, end);
  return [...text.matchAll(/\\.|([$%])(\d)/gs)].flatMap(({ 0: all, 1: sign, 2: digit, index }) => {
    if (sign !== "$" && sign !== "%") return [];
    if (sign === "%" && /^[\da-f]{2}/i.test(text.slice(index + 1))) return [];
    return [{ sign, number: Number(digit), start: start + index, end: start + index + all.length }];
  });
}
