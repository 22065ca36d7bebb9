import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";

/** The function of a handler, and its module. */
interface Handler {
  readonly module: string;
  readonly does: string;
  /** The recommendation of the CIS benchmark about the module, if there is one. */
  readonly cis?: string;
}

const handlers: ReadonlyMap<string, Handler> = new Map([
  ["server-status", { module: "status_module", does: "shows which clients request what", cis: "2.4" }],
  ["server-info", { module: "info_module", does: "shows the configuration", cis: "2.8" }],
  ["balancer-manager", { module: "proxy_balancer_module", does: "turns backends on and off" }],
  ["ldap-status", { module: "ldap_module", does: "shows the users in the LDAP cache" }],
]);

/** A page of a handler, with the line that sets it. */
export interface HandlerPage extends Handler {
  readonly line: Directive;
}

/** Returns the page that a scope sets; undefined if its module is not loaded. */
export function findHandlerPage({ directives }: Scope, { modules, modulesAreKnown }: Project): HandlerPage | undefined {
  const line = directives.findLast(({ key }) => key === "sethandler");
  const handler = line && handlers.get(line.arguments[0]?.value.toLowerCase() ?? "");
  if (!handler || (modulesAreKnown && !modules.has(handler.module))) return undefined;
  return { ...handler, line };
}
