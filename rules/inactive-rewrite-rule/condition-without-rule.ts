import { type Directive, listInactiveLines, wouldBeIn } from "../../src/lint/api/configuration.js";
import { defineVariant, type Span } from "../../src/lint/api/rule.js";

const messages = {
  unused: {
    message: "`RewriteCond` without a `RewriteRule` after it",
    notes: ["conditions apply only to the next `RewriteRule` of their section"],
    help: ["move the rule after its conditions, or delete them"],
  },
};

const labels = { alike: "same here" };

export const conditionWithoutRule = defineVariant({
  id: "condition-without-rule",
  messages,
  check: ({ project, report }) => ({
    scope: {
      holding: ["rewritecond"],
      visit(scope) {
        // More lines may follow where a fragment is included, and on servers with other modules.
        if (scope.place === "unknown") return;
        const [first, ...others] = lastConditionsOf(scope.directives);
        if (first === undefined) return;
        const mayFollow = listInactiveLines(project).some(
          (line) => line.key === "rewriterule" && wouldBeIn(line, scope) && !isBefore(line.guard.span, first.span),
        );
        if (mayFollow) return;
        report({
          message: messages.unused,
          span: first.span,
          related: others.map(({ span }) => ({ message: labels.alike, span })),
        });
      },
    },
  }),
});

/** Reports whether a conditional section is before a line of the same file. */
const isBefore = (guard: Span, line: Span): boolean =>
  guard.file.realPath === line.file.realPath && guard.start < line.start;

/** Returns the conditions after the last rule. */
function lastConditionsOf(directives: readonly Directive[]): readonly Directive[] {
  const lastRule = directives.findLastIndex(({ key }) => key === "rewriterule");
  return directives.slice(lastRule + 1).filter(({ key }) => key === "rewritecond");
}
