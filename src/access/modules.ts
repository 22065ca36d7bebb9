import type { Project } from "../project/project.js";

/**
 * Whether the loaded modules are known for sure: not in a fragment that loads one for itself, since the others are loaded
 * elsewhere.
 */
export function modulesAreSure(project: Project): boolean {
  if (!project.modulesAreKnown || project.kind !== "fragment") return project.modulesAreKnown;
  return ![...project.files.values()].some(({ source }) => /^[\t ]*LoadModule[\t ]/im.test(source.text));
}

/** Whether Order, Allow, Deny and Satisfy are unknown to the server, as far as can be told. */
export function lacksAccessCompat(project: Project): boolean {
  if (project.release !== "2.4" || project.modules.has("access_compat_module")) return false;
  return !project.modulesAreKnown || modulesAreSure(project);
}
