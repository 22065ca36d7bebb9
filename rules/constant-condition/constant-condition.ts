import { defineRule } from "../../src/lint/api/rule.js";
import { anchoredAgents } from "./anchored-agents.js";
import { constantResult } from "./constant-result.js";
import { expiredCondition } from "./expired-condition.js";
import { looseWords } from "./loose-words.js";
import { orOnLastCondition } from "./or-on-last-condition.js";

export const constantCondition = defineRule({
  id: "constant-condition",
  title: "Condition with a constant result",
  group: "correctness",
  severity: "warning",
  description:
    "A RewriteCond or another condition that holds for each request or for none, a pattern with an empty alternative, such as `^(CN||CU)`, a pattern for the start of `User-Agent` with the name of a robot, which is not there, a variable that SetEnv sets too late, or a SetEnvIf that reads a variable of programs.",
  help: "The condition does not depend on the request: its rule applies to each request, or to none. Correct the value or the operator of the condition, delete `[OR]` after the last condition, or delete the condition.",
  tags: ["correctness"],
  variants: [constantResult, orOnLastCondition, expiredCondition, looseWords, anchoredAgents],
});
