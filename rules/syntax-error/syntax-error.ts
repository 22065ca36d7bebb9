import {
  type Directive,
  type ExpressionError,
  expressionDirectives,
  expressionOf,
  findExpressionErrors,
  type Scope,
  spanInExpression,
} from "../../src/rule-api/configuration.js";
import { defineRule, describeConsequence, toReadable } from "../../src/rule-api/rule.js";

/** The texts of the other errors come with them. */
const messages = {
  invalidExpression: ({ message }: ExpressionError, inHtaccess: boolean) =>
    `the expression cannot be read, so ${describeConsequence(inHtaccess)}: ${toReadable(message)}`,
  tooDeep: ({ message }: ExpressionError) =>
    `the expression is ${toReadable(message)}, deeper than httpd-lint reads, so it is not checked; flatten it to have it checked`,
};

export const syntaxError = defineRule({
  id: "syntax-error",
  title: "The text cannot be read",
  severity: "error",
  description:
    "A section that is not closed, not opened or crossed, an expression that cannot be read, a line that is too long: the server stops at it.",
  help: "The server does not start with this file, and a `.htaccess` file answers 500 for everything below it. The finding stands at the cause; the section's opening line is named beside it. Reading goes on after it, so later findings hold once it is mended.",
  tags: ["correctness"],
  upgrade: "start",
  messages,
  check: ({ project, release, activeRuleIds, report }) => {
    const { modules, modulesAreKnown } = project;
    const hasModule = modulesAreKnown ? (identifier: string) => modules.has(identifier) : undefined;
    const rightForms = { main: new Set<string>(), htaccess: new Set<string>() };
    const checkExpression = (directive: Directive, scope: Scope) => {
      // 2.2 does not have such expressions: the directives themselves are unknown there.
      const held = release === "2.4" ? expressionOf(directive) : undefined;
      if (held === undefined) return;
      const htaccess = scope.inHtaccess;
      for (const error of findExpressionErrors(held, hasModule, htaccess, rightForms[htaccess ? "htaccess" : "main"])) {
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
      project() {
        for (const problem of project.problems) {
          const isTold = problem.ofUnknownSection && modules.unknown.length === 0;
          if (problem.kind === "syntax" && !(isTold && activeRuleIds.includes("unknown-directive"))) report(problem);
          else if (problem.kind === "limit") report({ ...problem, severity: "info" });
        }
      },
    };
  },
});
