import { defineRule } from "../../src/lint/api/rule.js";
import { conditionWithoutRule } from "./condition-without-rule.js";
import { ignoredRewriteTarget } from "./ignored-rewrite-target.js";
import { rewriteEngineOff } from "./rewrite-engine-off.js";
import { uninheritedRewriteRules } from "./uninherited-rewrite-rules.js";

export const inactiveRewriteRule = defineRule({
  id: "inactive-rewrite-rule",
  title: "Rewrite line that httpd does not apply",
  group: "correctness",
  severity: "warning",
  description:
    "A RewriteRule, a RewriteCond or a target that httpd does not apply: without RewriteEngine, not inherited, without a rule, or ignored because of a flag.",
  help: "httpd accepts the line and does not apply it. Rules need RewriteEngine on in the same server or directory. A virtual host, and a directory with rules of its own, do not inherit rules unless RewriteOptions says so. A RewriteCond applies only to the next RewriteRule of its section. Flags such as F and G respond without the target.",
  tags: ["correctness"],
  variants: [rewriteEngineOff, uninheritedRewriteRules, conditionWithoutRule, ignoredRewriteTarget],
});
