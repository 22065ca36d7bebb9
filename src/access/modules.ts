import type { Project } from "../project/project.js";

/** Whether Order, Allow, Deny and Satisfy are unknown to the server. Where nobody says what is loaded, they are known. */
export function lacksAccessCompat(project: Project): boolean {
  return project.release === "2.4" && !project.modules.has("access_compat_module");
}

/** Whether the server has no Require at all: its lines are unknown to it, and say nothing. */
export function lacksRequire({ release, modules, modulesAreKnown }: Project): boolean {
  return release === "2.4" && modulesAreKnown && !modules.has("authz_core_module");
}
