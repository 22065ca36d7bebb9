import type { Project } from "../project/project.js";
import type { Scope } from "../project/scope.js";
import { unsetVariable } from "../project/unset-variables.js";
import { layerOf } from "../scope/layer.js";
import { accessOf } from "./merged.js";
import { lacksAccessCompat, lacksRequire } from "./modules.js";
import { oldSection } from "./old-section.js";
import { requireSection } from "./require-section.js";
import { requireSection22 } from "./require-section-22.js";
import type { SectionRules } from "./section-answers.js";
import { mayShadowOld, mayShadowRequire } from "./shadow-words.js";
import type { ShadowedLine, ShadowFinder } from "./shadowed-lines.js";

/** The lines of access control in a scope that change no decision. */
export function shadowedInScope(scope: Scope, project: Project, finder: ShadowFinder): readonly ShadowedLine[] {
  const { directives } = scope;
  // What they speak of nobody knows.
  if (directives.some(({ argumentText }) => unsetVariable(argumentText) !== undefined)) return [];
  const old = mayShadowOld(directives) && !lacksAccessCompat(project) ? oldRulesIn(scope, project) : undefined;
  const require = mayShadowRequire(directives) && !lacksRequire(project) ? requireRulesIn(scope, project) : undefined;
  return [old, require].flatMap((rules) => (rules === undefined ? [] : finder.in(rules)));
}

/** Undefined where the server refuses some of them. */
function oldRulesIn({ content, section }: Scope, { release }: Project): SectionRules | undefined {
  const { old } = accessOf(layerOf(content, section));
  return old && old.unreadable.length === 0 ? oldSection(old, release) : undefined;
}

function requireRulesIn({ content, section, directives }: Scope, project: Project): SectionRules | undefined {
  if (project.release === "2.2") return requireSection22(directives.filter(({ key }) => key === "require"));
  const layer = layerOf(content, section);
  const { authz } = accessOf(layer);
  return authz?.rules?.kind === "section" ? requireSection(authz.rules.rules, { project, layer }) : undefined;
}
