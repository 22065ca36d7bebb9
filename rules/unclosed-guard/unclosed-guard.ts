import { defineRule } from "../../src/rule-api/rule.js";

export const unclosedGuard = defineRule({
  id: "unclosed-guard",
  title: "Unclosed conditional section",
  severity: "warning",
  description:
    "`<IfModule>` or another conditional section without a closing tag, in a file that httpd accepts while the condition is true.",
  help: "httpd ignores the missing tag while the condition is true. It does not start as soon as the condition is false: when a module is not loaded, a name is not defined, or the release changes. Until then, everything to the end of the file is inside the section.",
  tags: ["correctness"],
  check: ({ project, report }) => ({
    project() {
      for (const problem of project.problems)
        if (problem.kind === "fragile") report({ ...problem, message: problem.text });
    },
  }),
});
