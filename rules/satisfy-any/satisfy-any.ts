import { defineRule } from "../../src/lint/api/rule.js";
import { satisfyAnyInherited } from "./satisfy-any-inherited.js";
import { satisfyAnyWithoutRequire } from "./satisfy-any-without-require.js";

export const satisfyAny = defineRule({
  id: "satisfy-any",
  title: "Satisfy Any that allows every client",
  group: "access",
  severity: "error",
  description:
    "`Satisfy Any` of a section or of one around it, because of which a denial or a Require protects nothing.",
  help: "With Satisfy Any, one of the two kinds of access control is enough: Order, Allow and Deny, or Require. If one of them allows every client, the other one protects nothing. Delete Satisfy Any, or express both conditions with Require.",
  securitySeverity: 8,
  references: { cwe: [863] },
  tags: ["access-control", "security"],
  variants: [satisfyAnyInherited, satisfyAnyWithoutRequire],
});
