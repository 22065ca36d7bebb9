import {
  compatDirectiveNames,
  defineProbeRule,
  describeRequest,
  findCompatRulesWithout,
  findHandlerPage,
  formatLineTitle,
  type HandlerPage,
  type Inspector,
  isCompatDirective,
  isPubliclyReachable,
  ownEffectiveRulesOf,
  type ProbeAnswer,
  type ProbeContext,
  parseAddress,
  unlistedClientIps,
} from "../../src/rule-api/access.js";
import type { Directive } from "../../src/rule-api/configuration.js";
import { formatWordList, type Report, type RuleContext } from "../../src/rule-api/rule.js";

const remedies = {
  "2.2": "add `Order deny,allow`, `Deny from all` and `Allow from` with the addresses that need the page",
  "2.4": "add `Require local`, or `Require ip` with the addresses that need the page",
  /** Inherited lines of mod_access_compat would apply again without those of the section. */
  compat:
    "add `Order deny,allow` and `Deny from all`, and replace `Allow from all` with the addresses that need the page",
  replace: (lines: readonly Directive[]) =>
    `replace ${formatWordList(lines.map(formatLineTitle))} with \`Require local\`, or with \`Require ip\` and the addresses that need the page`,
};

const messages = {
  openPage: ({ line, does }: HandlerPage, answer: ProbeAnswer, remedy: string) => ({
    message: `the page of ${formatLineTitle(line)} is open to every client`,
    notes: [`the page ${does}`, `${describeRequest(answer.request)} is allowed`],
    help: [remedy],
  }),
  /** The section restricts access, but a line that is merged after it decides. */
  overridden: ({ line, does }: HandlerPage, answer: ProbeAnswer, own: Directive, by: Directive) => ({
    message: `the page of ${formatLineTitle(line)} is open to every client`,
    notes: [
      `the page ${does}`,
      `${describeRequest(answer.request)} is allowed`,
      `${formatLineTitle(by)} overrides ${formatLineTitle(own)}`,
    ],
    help: [`delete ${formatLineTitle(by)}, or move this section to where it is merged last`],
  }),
};

const labels = { by: "overrides the access rules of this section" };

export const unprotectedHandler = defineProbeRule({
  id: "unprotected-handler",
  title: "Status or administration page open to everyone",
  group: "exposure",
  severity: "warning",
  description:
    "SetHandler with server-status, server-info, balancer-manager or ldap-status in a section that allows every client.",
  help: "These pages are for the server's operators. They show requests and clients, the configuration or the LDAP cache, and balancer-manager changes which backends are used. If no access rule applies to their section, every client can open them. Add `Require local` or `Require ip` to the section; on 2.2, add Order, Deny and Allow.",
  securitySeverity: 6,
  references: { cis: ["2.4", "2.8"], stig: ["V-214242"], cwe: [497] },
  tags: ["access-control", "security"],
  supersedes: ["overridden-section"],
  releases: ["2.2", "2.4"],
  holding: ["sethandler"],
  applies: (scope, _, { project }) => findHandlerPage(scope, project) !== undefined,
  messages,
  check(situation, inspector, _, { project, files }) {
    const page = findHandlerPage(situation.scope, project);
    return page && findOpenPage(page, situation, inspector, files);
  },
});

function findOpenPage(
  page: HandlerPage,
  situation: ProbeContext,
  inspector: Inspector,
  disk: RuleContext["files"],
): Report | undefined {
  if (!isPubliclyReachable(situation)) return undefined;
  const answer = findAllowedClient(4, situation, inspector) ?? findAllowedClient(6, situation, inspector);
  if (!answer || inspector.findResponder(page.line, situation, answer.request, disk)?.kind !== "page") return undefined;
  const { directives } = situation.scope;
  const own = directives.find(({ key }) => accessDirectives.has(key));
  const isOwnDenial =
    own && inspector.probe(situation, answer.request, () => ownEffectiveRulesOf(situation))?.isAuthorized === false;
  const by = isOwnDenial ? answer.by.find((line) => !directives.includes(line)) : undefined;
  const references = { cis: page.cis === undefined ? [] : [page.cis] };
  const witness = inspector.witness(answer);
  if (own && by)
    return {
      // Another section allows a client that this one denies.
      severity: "error",
      message: messages.overridden(page, answer, own, by),
      span: (situation.scope.section ?? page.line).span,
      references,
      related: [{ message: labels.by, span: by.span }],
      witness,
    };
  const message = messages.openPage(page, answer, findRemedy(situation, answer));
  return { message, span: page.line.span, references, related: [], witness };
}

/** Returns the change that closes the page: to the lines of its section that open it, if there are any. */
function findRemedy(situation: ProbeContext, { by }: ProbeAnswer): string {
  const { layer, scope, state } = situation;
  const { release } = state.project;
  const compat = scope.directives.filter(isCompatDirective);
  if (release === "2.2") return remedies[release];
  if (compat.length > 0 && findCompatRulesWithout(situation, layer)) return remedies.compat;
  const granting = by.filter((line) => line.key === "require" && scope.directives.includes(line));
  const opening = [...compat, ...granting];
  return opening.length > 0 ? remedies.replace(opening) : remedies[release];
}

const accessDirectives: ReadonlySet<string> = new Set(["require", ...compatDirectiveNames]);

/** Returns the first anonymous client of a family without a user, if all of them are allowed. */
function findAllowedClient(family: 4 | 6, situation: ProbeContext, inspector: Inspector): ProbeAnswer | undefined {
  const { request } = situation;
  const server = parseAddress(request.serverIp ?? "");
  if (server && server.family !== family) return undefined;
  const answer = unlistedClientIps[family].map((clientIp) =>
    inspector.probe(situation, { ...request, method: "GET", clientIp }),
  );
  return answer.every((each) => each?.isAuthorized) ? answer[0] : undefined;
}
