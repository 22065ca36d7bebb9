import { defineRule } from "../../src/rule-api/rule.js";

export const undefinedVariable = defineRule({
  id: "undefined-variable",
  title: "A variable without a value",
  severity: "warning",
  description: "`${NAME}` where neither Define nor the server's environment gives NAME a value.",
  help: "The server warns (AH00111) and leaves the text as it is, so that a path or name has `${NAME}` in it. Only the first use of a variable is reported. In a fragment, whose main file may define it, the rule stays quiet.",
  tags: ["correctness"],
  check: ({ project, report }) => ({
    project() {
      for (const problem of project.problems) if (problem.kind === "undefined-variable") report(problem);
    },
  }),
});
