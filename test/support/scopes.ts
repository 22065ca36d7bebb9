import { oldNames } from "../../src/access/old-rules.js";
import type { Release } from "../../src/directives/directives.js";
import type { Directive } from "../../src/project/directive.js";
import type { Project } from "../../src/project/project.js";
import type { Scope } from "../../src/project/scope.js";
import { walkProject } from "../../src/project/walk.js";
import { toReadable } from "../../src/text/source.js";
import { loadText } from "./projects.js";
import { inDirectory } from "./rules.js";

/** Some lines of access control as the one section of a configuration. */
export function scopeOf(
  lines: readonly string[],
  release: Release = "2.4",
): { readonly project: Project; readonly scope: Scope } {
  const project = loadText(inDirectory(...lines), { release });
  const found: Scope[] = [];
  const visit = (scope: Scope) => {
    found.push(scope);
  };
  walkProject(project, [{ scope: { holding: [...oldNames, "require"], visit } }], () => 0);
  const [scope] = found;
  if (scope === undefined) throw new Error("no line of access control");
  return { project, scope };
}

/** A line as it is written; of a section its opening. */
export function textOf({ span: { file, start, end } }: Directive): string {
  return toReadable(file.text.slice(start, end));
}
