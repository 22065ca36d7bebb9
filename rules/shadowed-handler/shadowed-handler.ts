import {
  type AccessAnswer,
  describeRequest,
  findWitness,
  formatLineTitle,
  type HandlerPage,
  type Inspector,
  listRequireLines,
  type ProbeContext,
  probePages,
  type Request,
  type Responder,
  unlistedClientIps,
} from "../../src/lint/api/access.js";
import { defineRule, quoteText, type Report, type RuleContext } from "../../src/lint/api/rule.js";

type Rewritten = Responder & { readonly kind: "rewritten" };

const messages = {
  rewritten: ({ line }: HandlerPage, { request }: AccessAnswer, { by, target }: Rewritten) => ({
    message: `${formatLineTitle(line)} never responds: a \`RewriteRule\` takes its requests`,
    notes: [`${describeRequest(request)} is sent to ${quoteText(target)}`],
    help: [
      `add \`RewriteCond %{REQUEST_URI} !=${request.path}\` before ${formatLineTitle(by)}`,
      ...(isAnyone(request) ? ["first restrict the page with `Require local`: its section allows every client"] : []),
    ],
  }),
};

/** Reports whether a request is from a client that no access rule names. */
const isAnyone = ({ clientIp, user, env }: Request) =>
  [...unlistedClientIps[4], ...unlistedClientIps[6]].includes(clientIp) && user === undefined && env === undefined;

const labels = { by: "takes the requests for this page" };

export const shadowedHandler = defineRule({
  id: "shadowed-handler",
  title: "Rewrite rule takes the page of a handler",
  group: "correctness",
  severity: "warning",
  description:
    "SetHandler with server-status, server-info, balancer-manager or ldap-status for a URL that a rule in a directory rewrites.",
  help: "A rule in a directory or a .htaccess file is applied before the handler runs. A front controller rewrites each path without a file, and the page of a handler has no file. Exclude the URL of the page with a RewriteCond.",
  tags: ["correctness"],
  messages,
  check: () => ({ probe: probePages(findRewrittenPage) }),
});

function findRewrittenPage(
  page: HandlerPage,
  situation: ProbeContext,
  inspector: Inspector,
  files: RuleContext["files"],
): Report | undefined {
  // The rules of a directory apply to allowed requests only.
  const lines = [...(situation.compat?.rules.directives ?? []), ...listRequireLines(situation)];
  const allowed = findWitness(inspector, situation, lines, ({ isAuthorized }) => isAuthorized, ["GET"]);
  const responder = allowed && inspector.findResponder(page.line, situation, allowed.request, files);
  if (allowed === undefined || responder?.kind !== "rewritten") return undefined;
  return {
    message: messages.rewritten(page, allowed, responder),
    span: page.line.span,
    related: [{ message: labels.by, span: responder.by.span }],
    witness: inspector.witness(allowed),
  };
}
