import { defaultRules } from "../rules/index.js";
import { lint } from "./engine/lint.js";
import type { Project } from "./project/project.js";

/** The modules, by identifier, that 2.4 needs for a configuration of 2.2, and that `upgrade` has it load. */
export function modulesToLoad(project: Project): readonly string[] {
  const rules = defaultRules.filter(({ id }) => id === "modules-to-load");
  const ruleIds = defaultRules.map(({ id }) => id);
  const { findings } = lint(project, { rules, ruleIds, from: "2.2" });
  return [...new Set(findings.flatMap(({ supplies = [] }) => supplies))];
}
