import { defaultRules } from "../rules/index.js";
import type { Finding } from "./engine/finding.js";
import { lint } from "./engine/lint.js";
import { refusalConsequence } from "./project/problems.js";
import type { Project } from "./project/project.js";

/** Errors in the main files by which the server does not start. */
export function startupFindings(project: Project): readonly Finding[] {
  const htaccess = new Set(project.htaccess.map(({ tree }) => tree.source));
  const rules = defaultRules.filter(({ severity }) => severity === "error");
  return lint(project, { rules, ruleIds: rules.map(({ id }) => id) }).findings.filter(
    ({ severity, message, span }) =>
      severity === "error" && message.includes(refusalConsequence(false)) && !htaccess.has(span.file),
  );
}
