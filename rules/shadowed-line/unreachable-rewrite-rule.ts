import { lineTrialsOf, type NegotiatedAnswer, usesMultiViews, witnessOf } from "../../src/lint/api/access.js";
import { endsRules, parseRewriteRules, type RewriteRule, type Scope } from "../../src/lint/api/configuration.js";
import { defineVariant, quoteShort, quoteText, type Report, type RuleContext } from "../../src/lint/api/rule.js";
import { appliesToAll, type CoveringRule, CoveringRules, doSame } from "./covering-rule.js";

type Left = NonNullable<CoveringRule["leaves"]>;

const missingNames: Readonly<Record<Left, string>> = {
  files: "file",
  directories: "directory",
  "files and directories": "file or directory",
};

const messages = {
  unreachable: (count: number) => ({
    message: "rewrite rule is never reached",
    notes: [
      "an earlier rule without a condition matches every request, and is the last one",
      ...(count > 1 ? [`this and the ${count - 1 === 1 ? "rule" : `${count - 1} rules`} after it have no effect`] : []),
    ],
    help: ["move this rule before it, or delete it"],
  }),
  covered: {
    message: "rewrite rule is never reached",
    notes: ["an earlier rule takes the same requests, and is the last one for them"],
    help: ["move this rule before it, or delete it"],
  },
  repeated: {
    message: "rewrite rule is never reached",
    notes: ["an earlier rule takes the same requests, and does the same"],
    help: ["delete it"],
  },
  onlyFiles: ({ pattern, flags, output }: RewriteRule, what: Left) => ({
    message: `${flags.names.has("redirect") ? "redirect" : "rule"} of ${quoteText(pattern)} applies only to ${what} that exist`,
    notes: [
      `an earlier rule takes all requests for which no ${missingNames[what]} exists`,
      flags.names.has("redirect")
        ? "requests for pages of the application are not redirected as written here"
        : output === undefined
          ? `requests for pages of the application have no variable ${quoteText(variableOf(flags))}`
          : "requests for pages never reach this rule",
    ],
    help: ["move this rule and its conditions before it"],
  }),
  negotiated: ({ answer, file }: NegotiatedAnswer) => {
    const name = file.replace(/^.*\//, "");
    return {
      message: `rule never applies: MultiViews finds ${quoteShort(name, 32)} first`,
      notes: [
        `for ${quoteText(answer.request.path)}, httpd chooses the file ${quoteText(name)} before it tries the rules of the directory`,
        `the pattern is then compared with a path that begins with ${quoteText(name)}`,
      ],
      help: ["add `Options -MultiViews` before the rule"],
    };
  },
};

const labels = {
  last: "ends the rules for every request",
  covering: "takes the same requests",
  missing: (what: Left) => `takes requests for which no ${missingNames[what]} exists`,
  options: "turns MultiViews on",
};

export const unreachableRewriteRule = defineVariant({
  id: "unreachable-rewrite-rule",
  messages,
  check: (context) => {
    const { report } = context;
    const reportCovered = (line: RewriteRule | undefined, found: CoveringRule | undefined) => {
      if (found === undefined || line === undefined) return;
      const { rule, leaves } = found;
      const isRepeated = leaves === undefined && doSame(rule, line);
      report({
        ...(isRepeated ? { severity: "info" } : {}),
        message: leaves ? messages.onlyFiles(line, leaves) : isRepeated ? messages.repeated : messages.covered,
        span: line.directive.span,
        related: [{ message: leaves ? labels.missing(leaves) : labels.covering, span: rule.directive.span }],
      });
    };
    return {
      scope: {
        holding: ["rewriterule"],
        visit(scope) {
          const rules = parseRewriteRules(scope.directives);
          if (scope.place === "htaccess" || scope.place === "directory")
            for (const finding of negotiatedRules(rules, scope, context)) report(finding);
          const end = rules.findIndex((rule, index) => appliesToAll(rule) && endsRules(rule, rules[index - 1]));
          const reached = end < 0 ? rules.length : end + 1;
          const covering = new CoveringRules(rules, scope.place !== "server" && scope.place !== "virtualhost");
          if (!mayBeSkipped(rules))
            for (let index = 1; index < reached; index++) reportCovered(rules[index], covering.find(index));
          const [last, first] = [rules[end], rules[end + 1]];
          if (last === undefined || first === undefined || mayBeSkipped(rules.slice(0, end))) return;
          report({
            message: messages.unreachable(rules.length - end - 1),
            span: first.directive.span,
            related: [{ message: labels.last, span: last.directive.span }],
          });
        },
      },
    };
  },
});

/** Reports the first rule that MultiViews hides for each file. */
function* negotiatedRules(rules: readonly RewriteRule[], scope: Scope, context: RuleContext): Generator<Report> {
  const { project } = context;
  if (!usesMultiViews(project)) return;
  const reported = new Set<string>();
  for (const rule of rules) {
    const found = lineTrialsOf(context).findNegotiated(rule, scope);
    if (found === undefined || reported.has(found.file)) continue;
    reported.add(found.file);
    const options = found.answer.layers.flatMap(({ directives }) => directives.filter(({ key }) => key === "options"));
    const last = options.findLast(({ argumentText }) => /MultiViews/i.test(argumentText));
    yield {
      message: messages.negotiated(found),
      span: rule.directive.span,
      related: last ? [{ message: labels.options, span: last.span }] : [],
      witness: witnessOf(found.answer),
    };
  }
}

/** Returns the name of the first variable that a rule sets. */
function variableOf({ variables: [first = ""] }: RewriteRule["flags"]): string {
  return first.replace(/:.*/s, "");
}

/** Reports whether a rule jumps over others. */
function mayBeSkipped(rules: readonly RewriteRule[]): boolean {
  return rules.some(({ flags }) => flags.skips > 0 || flags.names.has("next"));
}
