import {
  type Directive,
  type DirectiveExpression,
  describeRefusal,
  type ExpressionError,
  expressionDirectives,
  expressionsOf,
  findExpressionErrors,
  findPlaceholder,
  findUndefinedVariable,
  isFilledIn,
  isSince,
  type Refusal,
  type Scope,
  spanInExpression,
} from "../../src/lint/api/configuration.js";
import {
  defineRule,
  NO_START,
  type Report,
  rejectionEffectOf,
  type Span,
  toReadable,
} from "../../src/lint/api/rule.js";

/** The texts of the other errors come with them. */
const messages = {
  invalidExpression: ({ message }: ExpressionError, inHtaccess: boolean) => ({
    message: `invalid expression: ${toReadable(message)}`,
    effect: rejectionEffectOf(inHtaccess),
  }),
  tooDeep: ({ message }: ExpressionError) => ({
    message: `the expression is ${toReadable(message)}`,
    notes: ["httpd-lint does not check deeper expressions"],
    help: ["flatten the expression to have it checked"],
  }),
  inTemplate: ({ problem }: Refusal) => ({
    message: problem,
    notes: ["another template or script may have the other tag", `if none has, ${NO_START}`],
    help: ["check the generated file"],
  }),
};

export const syntaxError = defineRule({
  id: "syntax-error",
  title: "Syntax error",
  group: "syntax",
  severity: "error",
  description:
    "Text that httpd cannot parse. Examples: a section that is unclosed, unopened or overlapping, an invalid expression, a line that is too long.",
  help: "httpd does not start with this file. If the file is a `.htaccess` file, requests below its directory return 500. The finding is at the cause and shows the line that opens the section. httpd-lint continues after it, so later findings remain valid.",
  tags: ["correctness"],
  upgrade: "start",
  messages,
  check: ({ project, release, activeRuleIds, report }) => {
    const { modules, modulesAreKnown } = project;
    const hasModule = modulesAreKnown ? (identifier: string) => modules.has(identifier) : undefined;
    const validForms = { main: new Set<string>(), htaccess: new Set<string>() };
    const checkExpression = (directive: Directive, scope: Scope) => {
      // 2.2 does not have such expressions: the directives themselves are unknown there.
      const all = isSince(release, "2.4") ? expressionsOf(directive) : [];
      for (const held of all) if (findUndefinedVariable(held.text) === undefined) checkOne(held, scope);
    };
    const checkOne = (held: DirectiveExpression, scope: Scope) => {
      const htaccess = scope.inHtaccess;
      for (const error of findExpressionErrors(held, hasModule, htaccess, validForms[htaccess ? "htaccess" : "main"])) {
        if (error.isLimit) {
          report({
            severity: "info",
            message: messages.tooDeep(error),
            span: spanInExpression(held, error),
          });
          continue;
        }
        report({ message: messages.invalidExpression(error, htaccess), span: spanInExpression(held, error) });
      }
    };
    return {
      byWords: ({ key }) => (expressionDirectives.has(key) ? checkExpression : undefined),
      end() {
        for (const problem of project.problems) {
          const isUnknownSection = problem.ofUnknownSection && modules.unknown.length === 0;
          if (isFilledIn(problem.span.file) && unbalanced.has(problem.code)) report(createReportInTemplate(problem));
          else if (problem.kind === "syntax" && !(isUnknownSection && activeRuleIds.includes("unknown-directive")))
            report({ ...problem, message: describeRefusal(problem) });
          // Another rule reports the placeholders of a template, once for each file.
          else if (problem.kind === "limit" && !hasPlaceholder(problem.span))
            report({ ...problem, severity: "info", message: describeRefusal(problem) });
        }
      },
    };
  },
});

/** A template may have only the beginning or the end of a section. */
const unbalanced: ReadonlySet<Refusal["code"]> = new Set([
  ...([
    "unclosed-section",
    "unclosed-skipped-section",
    "unclosed-but-accepted",
    "closing-tag-without-section",
  ] as const),
]);

/** Names that begin with `_` are those of parts, by convention. */
function createReportInTemplate(problem: Refusal): Report {
  const isPart = /(?:^|\/)_[^/]*$/.test(problem.span.file.realPath);
  return { span: problem.span, severity: isPart ? "info" : "warning", message: messages.inTemplate(problem) };
}

function hasPlaceholder({ file, start, end }: Span): boolean {
  return findPlaceholder(file.text.slice(start, end)) !== undefined;
}
