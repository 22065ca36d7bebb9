import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import type { Report } from "../finding.js";
import type { RuleContext } from "../rule.js";
import type { Inspector, ProbeContext } from "./inspector.js";
import type { ScopeProbe } from "./scope-probes.js";

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

/**
 * Returns the probe of a rule about the pages of handlers, of both releases.
 *
 * @param check returns the finding about a page, if any
 */
export function probePages(
  check: (page: HandlerPage, situation: ProbeContext, inspector: Inspector, context: RuleContext) => Report | undefined,
): ScopeProbe {
  return {
    releases: ["2.2", "2.4"],
    holding: ["sethandler"],
    applies: (scope, _, { project }) => findHandlerPage(scope, project) !== undefined,
    check(situation, inspector, _, context) {
      const page = findHandlerPage(situation.scope, context.project);
      return page && check(page, situation, inspector, context);
    },
  };
}

/** Returns the page that a scope sets; undefined if its module is not loaded. */
function findHandlerPage({ directives }: Scope, { modules, modulesAreKnown }: Project): HandlerPage | undefined {
  const line = directives.findLast(({ key }) => key === "sethandler");
  const handler = line && handlers.get(line.arguments[0]?.value.toLowerCase() ?? "");
  if (!handler || (modulesAreKnown && !modules.has(handler.module))) return undefined;
  return { ...handler, line };
}
