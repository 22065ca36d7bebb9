import {
  type Argument,
  type Directive,
  parsePcre,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteCondition,
  type RewriteRule,
} from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  ofRule: (reference: string, { pattern, isNegated }: RewriteRule, groups: number, other: string | undefined) => ({
    message: `\`${reference}\` is always empty`,
    notes: [
      isNegated
        ? "a negated pattern captures nothing"
        : `the pattern ${quoteText(pattern)} has ${groups === 0 ? "no group" : groups === 1 ? "only 1 group" : `only ${groups} groups`}`,
    ],
    help: [
      other === undefined
        ? "add the group to the pattern, or correct the number"
        : `use \`${other}\`, the group of the condition`,
    ],
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
};

export const undefinedBackReference = defineVariant({
  id: "undefined-back-reference",
  messages,
  check: ({ report }) => ({
    scope: {
      holding: ["rewriterule"],
      visit({ directives }) {
        for (const rule of parseRewriteRules(directives)) {
          const groups = rule.isNegated ? 0 : countGroups(rule.pattern);
          const inConditions = Math.max(0, ...rule.conditions.map(groupsOfCondition));
          const target = parseRewriteWords(rule.directive.argumentText)?.[1];
          const texts = rule.conditions.map(
            ({ directive }) => [directive, parseRewriteWords(directive.argumentText)?.[0]] as const,
          );
          for (const [directive, word] of [...texts, [rule.directive, target] as const]) {
            for (const { sign, number, start, end } of word === undefined ? [] : listReferences(word, directive)) {
              const span = directive.spanOf({ start, end });
              const other = number <= (sign === "$" ? inConditions : groups);
              // In a condition, `%` is a group of the conditions before it.
              const swapped =
                other && directive === rule.directive ? `${sign === "$" ? "%" : "$"}${number}` : undefined;
              if (sign === "$" && number > groups)
                report({ message: messages.ofRule(`$${number}`, rule, groups, swapped), span });
              // The groups of a condition are only those of the ones before it.
              if (sign === "%" && number > inConditions && directive === rule.directive)
                report({ message: messages.ofCondition(`%${number}`, rule.conditions.length > 0, swapped), span });
            }
          }
        }
      },
    },
  }),
});

/** Returns the number of groups of a pattern; Infinity if it cannot be counted, such as with a branch reset. */
function countGroups(pattern: string): number {
  const tree = parsePcre(pattern);
  return tree.error !== undefined || pattern.includes("(?|") ? Number.POSITIVE_INFINITY : tree.groups.length;
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
function listReferences({ start, end }: Argument, { argumentText }: Directive): readonly Reference[] {
  const text = argumentText.slice(start, end);
  return [...text.matchAll(/\\.|([$%])(\d)/gs)].flatMap(({ 0: all, 1: sign, 2: digit, index }) => {
    if (sign !== "$" && sign !== "%") return [];
    const isEscape = sign === "%" && /^[\da-f]{2}/i.test(text.slice(index + 1));
    if (isEscape || digit === "0") return [];
    return [{ sign, number: Number(digit), start: start + index, end: start + index + all.length }];
  });
}
