import type { Project } from "../project/project.js";

/** Whether Order, Allow, Deny and Satisfy are unknown to the server. Where nobody says what is loaded, they are known. */
export function lacksAccessCompat(project: Project): boolean {
  return project.release === "2.4" && !project.modules.has("access_compat_module");
}
