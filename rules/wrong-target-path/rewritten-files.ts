import { describeAnswer, lineTrialsOf, type TakenFiles, witnessOf } from "../../src/lint/api/access.js";
import {
  comparePatterns,
  endsRules,
  parseRewriteRules,
  type RewriteCondition,
  type RewriteRule,
} from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  withoutConditions: ({ answer, isOnDisk }: TakenFiles, target: string) => ({
    message: `requests for files that exist get ${quoteText(target)}, such as ${quoteText(answer.request.path)}`,
    notes: [
      ...(isOnDisk ? [`${describeAnswer(answer)} from ${quoteText(answer.file ?? "")}`] : []),
      "`RewriteCond` lines apply only to the next `RewriteRule`, and this rule has none",
    ],
    help: ["move the `RewriteCond` lines to this rule, or repeat them before it"],
  }),
  taken: ({ answer, isOnDisk }: TakenFiles, target: string, isExempt: boolean) => ({
    message: `requests for files that exist get ${quoteText(target)}, such as ${quoteText(answer.request.path)}`,
    notes: [
      ...(isOnDisk ? [`${describeAnswer(answer)} from ${quoteText(answer.file ?? "")}`] : []),
      "`-d` is true for directories only, and `-f` for files",
      ...(isOnDisk ? [] : ["pages without their style sheets and pictures are the usual symptom"]),
    ],
    help: [
      isExempt
        ? "add `RewriteCond %{REQUEST_FILENAME} -f [OR]` before the condition"
        : "add `RewriteCond %{REQUEST_FILENAME} !-f` beside the condition",
    ],
  }),
};

const labels = { condition: "tests only for directories", other: "applies only to the rule after it" };

/** Finds rules of an application that take files that exist: they leave out only directories, or their conditions are elsewhere. */
export const rewrittenFiles = defineVariant({
  id: "rewritten-files",
  messages,
  check: (context) => ({
    scope: {
      holding: ["rewriterule"],
      visit(scope) {
        const rules = parseRewriteRules(scope.directives);
        const tests = rules.flatMap(({ conditions }) => conditions.filter(({ test }) => test.kind === "file"));
        for (const { rule, condition } of listRulesWithoutConditions(rules)) {
          const taken = lineTrialsOf(context).findTakenFiles(rule, scope);
          if (taken === undefined) continue;
          context.report({
            ...(taken.isOnDisk ? {} : { severity: "info" }),
            message: messages.withoutConditions(taken, rule.output ?? ""),
            span: rule.directive.span,
            related: [{ message: labels.other, span: condition.directive.span }],
            witness: witnessOf(taken.answer),
          });
          return;
        }
        const condition = tests.find(isForDirectories);
        if (condition === undefined || !tests.every(isForDirectories)) return;
        for (const rule of rules) {
          const taken =
            leadsToOneFile(rule) && !isForMaintenance(rule)
              ? lineTrialsOf(context).findTakenFiles(rule, scope)
              : undefined;
          if (taken === undefined) continue;
          context.report({
            ...(taken.isOnDisk ? {} : { severity: "info" }),
            message: messages.taken(taken, rule.output ?? "", !condition.isNegated),
            span: rule.directive.span,
            related: [{ message: labels.condition, span: condition.directive.span }],
            witness: witnessOf(taken.answer),
          });
          return;
        }
      },
    },
  }),
});

/** Yields rules of an application without conditions, after one that has those for files that do not exist. */
function* listRulesWithoutConditions(
  rules: readonly RewriteRule[],
): Generator<{ readonly rule: RewriteRule; readonly condition: RewriteCondition }> {
  let before: RewriteRule | undefined;
  for (const [index, rule] of rules.entries()) {
    if (keepsMissingFiles(rules, index)) return;
    if (rule.conditions.length > 0) before = rule;
    // Of rules in several conditional sections, one may be active.
    else if (before?.directive.guard === rule.directive.guard && leadsToOneFile(rule) && !isForMaintenance(rule)) {
      const condition = before?.conditions.find(isForMissingFiles);
      if (condition) yield { rule, condition };
    }
  }
}

/**
 * Reports whether a rule keeps requests for files that do not exist from the later rules: these are for files that exist,
 * such as a program that checks downloads.
 */
function keepsMissingFiles(rules: readonly RewriteRule[], first: number): boolean {
  if (rules[first]?.conditions.some(isForMissingFiles) !== true) return false;
  for (const [index, rule] of rules.slice(first).entries()) {
    if (!matchesAllFiles(rule) || (index > 0 && rule.conditions.length > 0)) return false;
    if (!rule.flags.names.has("chain")) return endsRules(rule, undefined) || rule.flags.skips > 0;
  }
  return false;
}

/** Reports whether the pattern of a rule matches the path of each file; that of a directory may be empty. */
function matchesAllFiles({ pattern, isNegated, flags }: RewriteRule): boolean {
  return !isNegated && comparePatterns(".+", pattern, flags.names.has("nocase")) === "all";
}

/** Reports whether a condition tests that no file exists for the path of the request. */
function isForMissingFiles({ test, input, isNegated }: RewriteCondition): boolean {
  return test.kind === "file" && test.test === "f" && isNegated && /REQUEST_(?:FILENAME|URI)/i.test(input);
}

/** Reports whether a condition tests whether the path of the request is that of a directory. */
function isForDirectories({ test, input }: RewriteCondition): boolean {
  return test.kind === "file" && test.test === "d" && /REQUEST_(?:FILENAME|URI)/i.test(input);
}

/** Reports whether the target of a rule is one file: that of an application. */
function leadsToOneFile({ output, flags }: RewriteRule): boolean {
  const leaves = ["redirect", "proxy"].some((name) => flags.names.has(name));
  return output !== undefined && !leaves && !flags.answers && /^\/?[\w./-]+\.\w+(?=$|[/?])/.test(output);
}

/**
 * Reports whether a rule may be for the time of maintenance, when files are not to be sent: it leads to a static page other
 * than the start page, or depends on who the client is.
 */
function isForMaintenance({ output = "", conditions }: RewriteRule): boolean {
  const [, name = ""] = /^[^?]*?([^/?]*)(?:\?|$)/.exec(output) ?? [];
  const isStaticPage = /\.(?:s?html?|txt)$/i.test(name) && !/^index\./i.test(name);
  return isStaticPage || conditions.some(({ input }) => /%\{(?:REMOTE_|HTTP_COOKIE|HTTP:Cookie|TIME)/i.test(input));
}
