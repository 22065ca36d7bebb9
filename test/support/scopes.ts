import type { Directive } from "../../src/config/model/directive.js";
import type { Project } from "../../src/config/model/project.js";
import type { Scope } from "../../src/config/model/scope.js";
import { walkProject } from "../../src/config/queries/walker.js";
import type { Release } from "../../src/facts/release.js";
import { compatDirectiveNames } from "../../src/server/access/compat-rules.js";
import { toReadable } from "../../src/text/source.js";
import { loadText } from "./projects.js";
import { inDirectory } from "./rules.js";

/** Returns access-control lines as the only section of a configuration. */
export function scopeOf(
  lines: readonly string[],
  release: Release = "2.4",
): { readonly project: Project; readonly scope: Scope } {
  const project = loadText(inDirectory(...lines), { release });
  const found: Scope[] = [];
  const visit = (scope: Scope) => {
    found.push(scope);
  };
  walkProject(project, [{ scope: { holding: [...compatDirectiveNames, "require"], visit } }], () => 0);
  const [scope] = found;
  if (scope === undefined) throw new Error("no line of access control");
  return { project, scope };
}

/** Returns a line as written; for a section, its opening. */
export function textOf({ span: { file, start, end } }: Directive): string {
  return toReadable(file.text.slice(start, end));
}
