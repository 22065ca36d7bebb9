import { describeRefusal } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

export const unclosedGuard = defineRule({
  id: "unclosed-guard",
  title: "Unclosed conditional section",
  group: "syntax",
  severity: "warning",
  description:
    "`<IfModule>` or another conditional section without a closing tag, in a file that httpd accepts while the condition is true.",
  help: "httpd ignores the missing tag while the condition is true. It does not start if the condition becomes false. Examples: a module is not loaded, a name is not defined, the version changes. Until then, everything to the end of the file is inside the section.",
  tags: ["correctness"],
  check: ({ project, report }) => ({
    end() {
      for (const problem of project.problems)
        if (problem.kind === "fragile") report({ ...problem, message: describeRefusal(problem) });
    },
  }),
});
