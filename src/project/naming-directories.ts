import type { Directive } from "./directive.js";
import type { Project } from "./project.js";
import { type ConfigurationVisitor, walkProject } from "./walk.js";

const known = new WeakMap<Project, readonly Directive[]>();

/** The directives that name a directory, in a section's tag or to lead to it. A configuration is walked through once, be it for others, too. */
export function namingDirectories(project: Project): readonly Directive[] {
  const before = known.get(project);
  if (before) return before;
  walkProject(project, [notingDirectories(project)], () => 0);
  return known.get(project) ?? [];
}

/** Notes them in a walk that shows all. */
export function notingDirectories(project: Project): ConfigurationVisitor {
  const found: Directive[] = [];
  const note = (directive: Directive) => {
    found.push(directive);
  };
  return {
    directives: { "<directory": note, documentroot: note, alias: note, scriptalias: note },
    end: () => known.set(project, found),
  };
}
