import { comparePatterns, parseRewriteRules, type RewriteRule } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  unreachable: (count: number) => ({
    message: "rewrite rule is never reached",
    notes: [
      "an earlier rule without a condition matches every request, and is the last one",
      ...(count > 1 ? [`this and the ${count - 1 === 1 ? "rule" : `${count - 1} rules`} after it have no effect`] : []),
    ],
    help: ["move this rule before it, or delete it"],
  }),
};

const labels = { last: "ends the rules for every request" };

export const unreachableRewriteRule = defineRule({
  id: "unreachable-rewrite-rule",
  title: "Rewrite rule is never reached",
  group: "correctness",
  severity: "warning",
  description: "A RewriteRule after one that matches every request, has no condition, and ends the rules.",
  help: "A rule with L, END, F or G ends the rules if it applies. Without a condition, and with a pattern that matches everything, it applies to every request, and no later rule of the section is reached. Move the later rules before it, or delete them.",
  tags: ["correctness"],
  messages,
  check: ({ report }) => ({
    scope: {
      holding: ["rewriterule"],
      visit({ directives }) {
        const rules = parseRewriteRules(directives);
        const end = rules.findIndex((rule, i) => endsRules(rule, rules[i - 1]));
        const [last, first] = [rules[end], rules[end + 1]];
        if (last === undefined || first === undefined || mayBeSkipped(rules.slice(0, end))) return;
        report({
          message: messages.unreachable(rules.length - end - 1),
          span: first.directive.span,
          related: [{ message: labels.last, span: last.directive.span }],
        });
      },
    },
  }),
});

/** Reports whether a rule applies to every request and is then the last one. */
function endsRules(rule: RewriteRule, before: RewriteRule | undefined): boolean {
  const { flags, conditions, isNegated, pattern } = rule;
  const isChained = before?.flags.names.has("chain") ?? false;
  const isLast = flags.answers || flags.names.has("last") || flags.names.has("end");
  if (!isLast || isChained || conditions.length > 0 || isNegated || flags.names.has("nosubreq")) return false;
  // With a target, the result goes through the rules again, and the rule ends them in each round as well.
  return comparePatterns(".*", pattern, flags.names.has("nocase")) === "all";
}

/** Reports whether a rule jumps over others. */
function mayBeSkipped(rules: readonly RewriteRule[]): boolean {
  return rules.some(({ flags }) => flags.skips > 0 || flags.names.has("next"));
}
