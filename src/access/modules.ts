import type { Project } from "../project/project.js";

/** Whether Order, Allow, Deny and Satisfy are unknown to the server. Where nobody says what is loaded, they are known. */
export function lacksAccessCompat(project: Project): boolean {
  return project.release === "2.4" && !project.modules.has("access_compat_module");
}

/** Whether the server has no Require at all: its lines are unknown to it, and say nothing. */
export function lacksRequire({ release, modules, modulesAreKnown }: Project): boolean {
  return release === "2.4" && modulesAreKnown && !modules.has("authz_core_module");
}

/** Names of modules from elsewhere that know users by other means than AuthType, or let scripts tell them. */
const ownWays = /auth|perl|python|shib|gridsite|netcgi|lisp|rivet/;

/** Whether a loaded module that does not come with httpd may find out who the user is in a way of its own. */
export function mayFindUserElsewhere({ modules }: Project): boolean {
  return modules.unknown.length > 0 || modules.foreign().some((identifier) => ownWays.test(identifier));
}
