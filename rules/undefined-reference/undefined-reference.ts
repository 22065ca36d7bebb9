import { defineRule } from "../../src/lint/api/rule.js";
import { undefinedBackReference } from "./undefined-back-reference.js";
import { unknownRewriteVariable } from "./unknown-rewrite-variable.js";
import { unsetEnvironmentVariable } from "./unset-environment-variable.js";

export const undefinedReference = defineRule({
  id: "undefined-reference",
  title: "Reference without a value",
  group: "correctness",
  severity: "warning",
  description:
    "`$N` or `%N` without such a group in a RewriteRule, SetEnvIf, RedirectMatch or another line with a pattern. Also a variable that mod_rewrite or Redirect does not know, such as `%{HTTP_X_FORWARDED_PROTO}`, or a request header with such a name. Also a scheme or host of a target that is a variable without a value.",
  help: "httpd replaces a reference to a group that does not exist, and an unknown variable, by nothing. Add the group to the pattern or to the last condition, and write headers as `%{HTTP:Name}`.",
  tags: ["correctness"],
  supersedes: ["rewrite-loop"],
  variants: [undefinedBackReference, unknownRewriteVariable, unsetEnvironmentVariable],
});
