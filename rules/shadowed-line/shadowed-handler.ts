import {
  type AccessAnswer,
  describeRequest,
  findWitness,
  formatLineTitle,
  type HandlerPage,
  type Inspector,
  listRequireLines,
  manualNameOf,
  type ProbeContext,
  probePages,
  type Request,
  type Responder,
  unlistedClientIps,
} from "../../src/lint/api/access.js";
import { type Directive, indexDirectives, type Project, virtualHostAround } from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText, type Report, type RuleContext } from "../../src/lint/api/rule.js";

type Taken = Exclude<Responder, { readonly kind: "page" }>;

const messages = {
  taken: ({ line }: HandlerPage, { request }: AccessAnswer, { kind, by, target }: Taken) => ({
    message: `${formatLineTitle(line)} never responds: a \`${manualNameOf(by)}\` takes its requests`,
    notes: [`${describeRequest(request)} is sent to ${quoteText(target)}`],
    changesRelated: true as const,
    help: [
      kind === "rewritten"
        ? `add \`RewriteCond %{REQUEST_URI} !=${request.path}\` before ${formatLineTitle(by)}`
        : `add \`ProxyPass ${request.path} !\` before ${formatLineTitle(by)}`,
      ...(isAnyone(request) ? ["first restrict the page with `Require local`: its section allows every client"] : []),
    ],
  }),
};

/** Reports whether a request is from a client that no access rule names. */
const isAnyone = ({ clientIp, user, env }: Request) =>
  [...unlistedClientIps[4], ...unlistedClientIps[6]].includes(clientIp) && user === undefined && env === undefined;

const labels = { by: "takes the requests for this page" };

export const shadowedHandler = defineVariant({
  id: "shadowed-handler",
  messages,
  check: () => ({ probe: probePages(findRewrittenPage) }),
});

function findRewrittenPage(
  page: HandlerPage,
  situation: ProbeContext,
  inspector: Inspector,
  { project, files }: RuleContext,
): Report | undefined {
  // The rules of a directory apply to allowed requests only.
  const lines = [...(situation.compat?.rules.directives ?? []), ...listRequireLines(situation)];
  const allowed = findWitness(inspector, situation, lines, ({ isAuthorized }) => isAuthorized, ["GET"]);
  const responder = allowed && inspector.findResponder(page.line, situation, allowed.request, files);
  if (allowed === undefined || responder === undefined || responder.kind === "page") return undefined;
  // Another virtual host may have the page.
  if (responder.kind === "proxied" && !isOnlyHost(responder.by, page.line, project)) return undefined;
  return {
    message: messages.taken(page, allowed, responder),
    span: page.line.span,
    related: [{ message: labels.by, span: responder.by.span }],
    witness: inspector.witness(allowed),
  };
}

/** Reports whether a line applies wherever another one does: they are in one virtual host, or there is only one. */
function isOnlyHost(line: Directive, other: Directive, project: Project): boolean {
  const host = virtualHostAround(line);
  return (
    host === virtualHostAround(other) ||
    (host !== undefined && indexDirectives(project).named("<virtualhost").length === 1)
  );
}
