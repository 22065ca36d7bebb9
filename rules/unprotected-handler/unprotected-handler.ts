import {
  defineProbeRule,
  describeRequest,
  formatLineTitle,
  type Inspector,
  isPubliclyReachable,
  type ProbeAnswer,
  type ProbeContext,
  parseAddress,
  unlistedClientIps,
} from "../../src/rule-api/access.js";
import type { Directive, Project, Release, Scope } from "../../src/rule-api/configuration.js";
import type { Report } from "../../src/rule-api/rule.js";

const remedies: Readonly<Record<Release, string>> = {
  "2.2": "write `Order deny,allow`, `Deny from all` and `Allow from` with the addresses that may see it",
  "2.4": "write `Require local`, or `Require ip` with the addresses that may see it",
};

const messages = {
  openPage: ({ line, does }: Page, seen: ProbeAnswer, release: Release) =>
    `${formatLineTitle(line)} ${does}, and everybody gets the page: ${describeRequest(seen.request)} is let in; ${remedies[release]}`,
};

export const unprotectedHandler = defineProbeRule({
  id: "unprotected-handler",
  title: "A status or administration page for everybody",
  severity: "warning",
  description:
    "SetHandler with server-status, server-info, balancer-manager or ldap-status in a section that lets everybody in.",
  help: "These pages are for whoever runs the server: they show who asks for what, the configuration or the LDAP cache, and balancer-manager changes what backends are asked. Where no rule is in force for their section, everybody gets them. Write `Require local` or `Require ip` beside SetHandler; on 2.2 Order, Deny and Allow.",
  securitySeverity: 6,
  tags: ["access-control", "security"],
  releases: ["2.2", "2.4"],
  holding: ["sethandler"],
  applies: (scope, _, { project }) => pageIn(scope, project) !== undefined,
  messages,
  check(situation, inspector, _, { project }) {
    const page = pageIn(situation.scope, project);
    return page && findOpenPage(page, situation, inspector);
  },
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

function findOpenPage(page: Page, situation: ProbeContext, inspector: Inspector): Report | undefined {
  if (!isPubliclyReachable(situation)) return undefined;
  const seen = letInFrom(4, situation, inspector) ?? letInFrom(6, situation, inspector);
  if (!seen || !inspector.isServedBy(page.line, seen.request)) return undefined;
  return {
    message: messages.openPage(page, seen, situation.state.project.release),
    span: page.line.span,
    witness: inspector.witness(seen),
  };
}

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
