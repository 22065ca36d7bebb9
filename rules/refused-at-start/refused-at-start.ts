import { findRefusals } from "../../src/access/refusals.js";
import { defineRule } from "../../src/engine/rule.js";

export const refusedAtStart = defineRule({
  id: "refused-at-start",
  title: "The server refuses this line",
  severity: "error",
  description: "A directive in its place, but with words that the server refuses: it does not start, or answers 500.",
  help: "`apache2ctl configtest` stops at the first such line; this rule finds all of them, and those in `.htaccess` files, which no test of the server looks at. The message ends with the server's own words.",
  tags: ["correctness", "access-control"],
  check: ({ project, report }) => ({
    project() {
      for (const problem of project.problems) {
        if (problem.kind === "include" || problem.kind === "refused") report(problem);
      }
      const { startup, htaccess, neverGranting } = findRefusals(project);
      for (const refusal of [...startup, ...htaccess]) report(refusal);
      for (const container of neverGranting) {
        report({
          severity: "warning",
          message: "all that stands in this `<RequireAll>` takes away, and nothing lets in, so everybody is refused (httpd logs AH01630); add what lets in, such as `Require all granted`",
          span: container.span,
        });
      }
    },
  }),
});
