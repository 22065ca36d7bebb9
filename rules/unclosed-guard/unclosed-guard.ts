import { defineRule } from "../../src/rule-api/rule.js";

export const unclosedGuard = defineRule({
  id: "unclosed-guard",
  title: "A guard that is closed only by the end of the file",
  severity: "warning",
  description: "`<IfModule>` or another guard without its closing tag, in a file that ends while its condition holds.",
  help: "httpd overlooks the missing tag as long as the condition holds, and refuses to start on the day it does not: when a module is unloaded, a name no longer defined, or a release changes. Everything to the end of the file is meanwhile inside the guard.",
  tags: ["correctness"],
  check: ({ project, report }) => ({
    project() {
      for (const problem of project.problems) if (problem.kind === "fragile") report(problem);
    },
  }),
});
