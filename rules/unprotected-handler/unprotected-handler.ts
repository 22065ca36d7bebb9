import type { Release } from "../../src/directives/directives.js";
import type { Report } from "../../src/engine/finding.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/model/directive.js";
import type { Project } from "../../src/project/model/project.js";
import type { Scope } from "../../src/project/model/scope.js";
import { parseAddress } from "../../src/text/addresses.js";
import type { Inspector, ProbeAnswer, ProbeContext } from "../../src/witness/inspector.js";
import { createProbeVisitor, describeRequest, formatLineTitle } from "../../src/witness/probe-visitor.js";
import { isPubliclyReachable } from "../../src/witness/rules-in-context.js";
import { unlistedClientIps } from "../../src/witness/sample-clients.js";

export const unprotectedHandler = defineRule({
  id: "unprotected-handler",
  title: "A status or administration page for everybody",
  severity: "warning",
  description:
    "SetHandler with server-status, server-info, balancer-manager or ldap-status in a section that lets everybody in.",
  help: "These pages are for whoever runs the server: they show who asks for what, the configuration or the LDAP cache, and balancer-manager changes what backends are asked. Where no rule is in force for their section, everybody gets them. Write `Require local` or `Require ip` beside SetHandler; on 2.2 Order, Deny and Allow.",
  securitySeverity: 6,
  tags: ["access-control", "security"],
  check: (context) =>
    createProbeVisitor(context, {
      releases: ["2.2", "2.4"],
      holding: ["sethandler"],
      applies: (scope) => pageIn(scope, context.project) !== undefined,
      check(situation, inspector) {
        const page = pageIn(situation.scope, context.project);
        return page && openPage(page, situation, inspector);
      },
    }),
});

/** The function of a handler, and its module. */
interface Handler {
  readonly module: string;
  readonly does: string;
}

const handlers: ReadonlyMap<string, Handler> = new Map([
  ["server-status", { module: "status_module", does: "shows who asks for what" }],
  ["server-info", { module: "info_module", does: "shows the configuration" }],
  ["balancer-manager", { module: "proxy_balancer_module", does: "switches backends on and off" }],
  ["ldap-status", { module: "ldap_module", does: "shows whom the LDAP cache holds" }],
]);

interface Page extends Handler {
  readonly line: Directive;
}

/** Returns the page that a scope sets; undefined if its module is not loaded. */
function pageIn({ directives }: Scope, { modules, modulesAreKnown }: Project): Page | undefined {
  const line = directives.findLast(({ key }) => key === "sethandler");
  const handler = line && handlers.get(line.arguments[0]?.value.toLowerCase() ?? "");
  if (!handler || (modulesAreKnown && !modules.has(handler.module))) return undefined;
  return { ...handler, line };
}

function openPage({ line, does }: Page, situation: ProbeContext, inspector: Inspector): Report | undefined {
  if (!isPubliclyReachable(situation)) return undefined;
  const seen = letInFrom(4, situation, inspector) ?? letInFrom(6, situation, inspector);
  if (!seen || !inspector.isServedBy(line, seen.request)) return undefined;
  return {
    message: `${formatLineTitle(line)} ${does}, and everybody gets the page: ${describeRequest(seen.request)} is let in; ${remedies[situation.state.project.release]}`,
    span: line.span,
    witness: inspector.witness(seen),
  };
}

const remedies: Readonly<Record<Release, string>> = {
  "2.2": "write `Order deny,allow`, `Deny from all` and `Allow from` with the addresses that may see it",
  "2.4": "write `Require local`, or `Require ip` with the addresses that may see it",
};

/** Returns the first anonymous client of a family without a user, if all of them are allowed. */
function letInFrom(family: 4 | 6, situation: ProbeContext, inspector: Inspector): ProbeAnswer | undefined {
  const { request } = situation;
  const server = parseAddress(request.serverIp ?? "");
  if (server && server.family !== family) return undefined;
  const seen = unlistedClientIps[family].map((clientIp) =>
    inspector.probe(situation, { ...request, method: "GET", clientIp }),
  );
  return seen.every((each) => each?.isAuthorized) ? seen[0] : undefined;
}
