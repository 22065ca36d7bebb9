import { allRules, defaultRules } from "../../rules/index.js";
import type { Finding } from "../engine/finding.js";
import { lintProject } from "../engine/run-rules.js";
import type { Project } from "../project/model/project.js";

/** Returns the errors in the main files that prevent the server from starting. */
export function findStartupErrors(project: Project): readonly Finding[] {
  const htaccess = new Set(project.htaccess.map(({ tree }) => tree.source));
  const rules = defaultRules.filter(({ severity }) => severity === "error");
  return lintProject(project, { rules, ruleIds: rules.map(({ id }) => id) }).findings.filter(
    ({ severity, effect, span }) => severity === "error" && effect === "no start" && !htaccess.has(span.file),
  );
}

/**
 * Returns the modules, by identifier, that 2.4 needs for a 2.2 configuration; `upgrade` adds their LoadModule lines.
 */
export function findModulesToLoad(project: Project): readonly string[] {
  const rules = defaultRules.filter(({ id }) => id === "modules-to-load");
  const ruleIds = allRules.map(({ id }) => id);
  const { findings } = lintProject(project, { rules, ruleIds, from: "2.2" });
  return [...new Set(findings.flatMap(({ supplies = [] }) => supplies))];
}
