import { describeRefusal, isFilledIn } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

export const undefinedVariable = defineRule({
  id: "undefined-variable",
  title: "Variable without a value",
  group: "syntax",
  severity: "warning",
  description: "`${NAME}` if neither Define nor the server's environment sets NAME.",
  help: "httpd warns (AH00111) and does not replace the text, so that a path or name contains `${NAME}`. Only the first use of a variable is reported. In a fragment, the main file may define the variable, and the rule does not report it.",
  tags: ["correctness"],
  needsWholeServer: { reason: "another file or the environment may define the variable" },
  check: ({ project, report }) => ({
    end() {
      for (const problem of project.problems)
        if (problem.kind === "undefined-variable" && !isFilledIn(problem.span.file))
          report({ ...problem, message: describeRefusal(problem) });
    },
  }),
});
