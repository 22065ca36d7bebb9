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
  type Scope,
  spanInExpression,
} from "../../src/lint/api/configuration.js";
import { defineRule, rejectionEffectOf, type Span, toReadable } from "../../src/lint/api/rule.js";

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
      const all = release === "2.4" ? expressionsOf(directive) : [];
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
          if (problem.kind === "syntax" && !(isUnknownSection && activeRuleIds.includes("unknown-directive")))
            report({ ...problem, message: describeRefusal(problem) });
          // Another rule reports the placeholders of a template, once for each file.
          else if (problem.kind === "limit" && !hasPlaceholder(problem.span))
            report({ ...problem, severity: "info", message: describeRefusal(problem) });
        }
      },
    };
  },
});

function hasPlaceholder({ file, start, end }: Span): boolean {
  return findPlaceholder(file.text.slice(start, end)) !== undefined;
}
