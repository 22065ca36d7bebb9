import { defineRule } from "../../src/engine/rule.js";

export const syntaxError = defineRule({
  id: "syntax-error",
  title: "The text cannot be read",
  severity: "error",
  description: "A section that is not closed, not opened or crossed, a line that is too long: the server stops at it.",
  help: "The server does not start with this file, and a `.htaccess` file answers 500 for everything below it. The finding stands at the cause; the section's opening line is named beside it. Reading goes on after it, so later findings hold once it is mended.",
  check: ({ project, report }) => ({
    project() {
      for (const problem of project.problems) if (problem.kind === "syntax") report(problem);
    },
  }),
});
