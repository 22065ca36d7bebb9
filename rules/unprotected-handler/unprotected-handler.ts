import {
  type AccessAnswer,
  compatDirectiveNames,
  describeRequest,
  dropLines,
  findRestriction,
  formatLineTitle,
  type HandlerPage,
  type Inspector,
  isCompatDirective,
  isInherited,
  isPubliclyReachable,
  mergeLast,
  ownEffectiveRulesOf,
  type ProbeContext,
  parseAddress,
  probePages,
  type RulesTransform,
  unlistedClientIps,
} from "../../src/lint/api/access.js";
import { type Directive, scopeKindOf } from "../../src/lint/api/configuration.js";
import { defineRule, formatWordList, type Report, type RuleContext } from "../../src/lint/api/rule.js";

/** The lines that close a page: of mod_access_compat if `isByCompat`, otherwise of Require. */
const closingLines = (isByCompat: boolean) =>
  isByCompat
    ? "`Order deny,allow`, `Deny from all` and `Allow from` with the addresses that need the page"
    : "`Require local`, or `Require ip` with the addresses that need the page";

const remedies = {
  add: (isByCompat: boolean) => `add ${closingLines(isByCompat)}`,
  addAfter: (isByCompat: boolean, line: Directive) =>
    `${remedies.add(isByCompat)}, in a section that is merged after the one of ${formatLineTitle(line)}`,
  replace: (lines: readonly Directive[], isByCompat: boolean) =>
    `replace ${formatWordList(lines.map(formatLineTitle))} with ${isByCompat ? "" : "`Require local`, or with "}${
      isByCompat ? closingLines(true) : "`Require ip` and the addresses that need the page"
    }`,
  /** Another section decides although this one denies access. */
  satisfyAll: "add `Satisfy all` to this section",
  unmerged: "delete `AuthMerging Or` from this section",
  delete: (line: Directive) => `delete ${formatLineTitle(line)}`,
  move: "move this section to where it is merged last",
};

const messages = {
  openPage: ({ line, does }: HandlerPage, answer: AccessAnswer, remedy: string) => ({
    message: `the page of ${formatLineTitle(line)} is open to every client`,
    notes: [`the page ${does}`, `${describeRequest(answer.request)} is allowed`],
    help: [remedy],
  }),
  /** The section restricts access, but a line that is merged after it decides. */
  overridden: ({ line, does }: HandlerPage, answer: AccessAnswer, own: Directive, by: Directive, remedy: string) => ({
    message: `the page of ${formatLineTitle(line)} is open to every client`,
    notes: [
      `the page ${does}`,
      `${describeRequest(answer.request)} is allowed`,
      `${formatLineTitle(by)} overrides ${formatLineTitle(own)}`,
    ],
    help: [remedy],
  }),
};

const labels = { by: "overrides the access rules of this section" };

export const unprotectedHandler = defineRule({
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
  messages,
  check: () => ({ probe: probePages(findOpenPage) }),
});

function findOpenPage(
  page: HandlerPage,
  situation: ProbeContext,
  inspector: Inspector,
  { files }: RuleContext,
): Report | undefined {
  if (!isPubliclyReachable(situation)) return undefined;
  const answer = findAllowedClient(4, situation, inspector) ?? findAllowedClient(6, situation, inspector);
  if (!answer || inspector.findResponder(page.line, situation, answer.request, files)?.kind !== "page")
    return undefined;
  const { directives } = situation.scope;
  const own = directives.find(({ key }) => accessDirectives.has(key));
  const isOwnDenial =
    own && inspector.probe(situation, answer.request, () => ownEffectiveRulesOf(situation))?.isAuthorized === false;
  const by = isOwnDenial ? answer.decidedBy.find((line) => !directives.includes(line)) : undefined;
  const references = { cis: page.cis === undefined ? [] : [page.cis] };
  const witness = inspector.witness(answer);
  if (own && by)
    return {
      // Another section allows a client that this one denies.
      severity: "error",
      message: messages.overridden(page, answer, own, by, findRemedyAgainst(by, situation, answer, inspector)),
      span: (situation.scope.section ?? page.line).span,
      references,
      related: [{ message: labels.by, span: by.span }],
      witness,
    };
  const message = messages.openPage(page, answer, findRemedy(situation, answer, inspector));
  return { message, span: page.line.span, references, related: [], witness };
}

/** Returns the change that closes the page: to the lines of its section that open it, if there are any. */
function findRemedy(situation: ProbeContext, answer: AccessAnswer, inspector: Inspector): string {
  const { isByCompat, isTooEarly } = findRestriction(situation);
  const [by] = answer.decidedBy.filter((line) => !situation.scope.directives.includes(line));
  if (isTooEarly && by) return remedies.addAfter(isByCompat, by);
  const compat = situation.scope.directives.filter(isCompatDirective);
  const opening = isByCompat ? compat : [...compat, ...listGrantingLines(situation, answer, inspector)];
  return opening.length > 0 ? remedies.replace(opening, isByCompat) : remedies.add(isByCompat);
}

/** Returns the Require lines of the section that allow a request, each of them on its own. */
function listGrantingLines(situation: ProbeContext, answer: AccessAnswer, inspector: Inspector): readonly Directive[] {
  const found: Directive[] = [];
  for (let each: AccessAnswer | undefined = answer; each?.isAuthorized; ) {
    const granting = each.decidedBy.filter(
      (line) => line.key === "require" && situation.scope.directives.includes(line),
    );
    if (granting.every((line) => found.includes(line))) break;
    found.push(...granting);
    each = inspector.probe(situation, answer.request, dropLines(situation, found));
  }
  return found;
}

/** Returns the change that closes a page whose section denies access, which a line of another section allows. */
function findRemedyAgainst(by: Directive, situation: ProbeContext, answer: AccessAnswer, inspector: Inspector): string {
  const { layer: own, scope, state } = situation;
  const layer = state.layers.find(({ directives }) => directives.includes(by));
  if (layer && isInherited(situation, layer)) return by.key === "require" ? remedies.unmerged : remedies.satisfyAll;
  const isClosedBy = (read: RulesTransform) => inspector.probe(situation, answer.request, read)?.isAuthorized === false;
  const isMovable =
    own.section !== undefined && layer?.section !== undefined && scopeKindOf(layer.section) === scope.place;
  const ways = [
    ...(isClosedBy(dropLines(situation, [by])) ? [remedies.delete(by)] : []),
    ...(isMovable && isClosedBy(mergeLast(situation)) ? [remedies.move] : []),
  ];
  return ways.length > 0 ? ways.join(", or ") : remedies.addAfter(findRestriction(situation).isByCompat, by);
}

const accessDirectives: ReadonlySet<string> = new Set(["require", ...compatDirectiveNames]);

/** Returns the first anonymous client of a family without a user, if all of them are allowed. */
function findAllowedClient(family: 4 | 6, situation: ProbeContext, inspector: Inspector): AccessAnswer | undefined {
  const { request } = situation;
  const server = parseAddress(request.serverIp ?? "");
  if (server && server.family !== family) return undefined;
  const answer = unlistedClientIps[family].map((clientIp) =>
    inspector.probe(situation, { ...request, method: "GET", clientIp }),
  );
  return answer.every((each) => each?.isAuthorized) ? answer[0] : undefined;
}
