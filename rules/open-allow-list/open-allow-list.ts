import {
  type AccessAnswer,
  convertNamedClients,
  describeProbe,
  describeRequireTree,
  dropCompatRules,
  findRestriction,
  formatDirectiveNames,
  formatLineTitle,
  type Inspector,
  isCompatDirective,
  isSatisfyAny,
  ownRulesOf,
  type ProbeContext,
  unlistedClientIps,
} from "../../src/lint/api/access.js";
import { type Directive, isSince } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  open: (line: Directive, order: Directive | undefined, answer: AccessAnswer, remedy: string) => ({
    message: `${formatLineTitle(line)} does not restrict access: no \`Deny\` applies`,
    notes: [
      order
        ? `${formatLineTitle(order)} allows each client that no \`Deny\` matches`
        : "the default `Order deny,allow` allows each client that no `Deny` matches",
      describeProbe(answer),
    ],
    help: [remedy],
  }),
};

const remedies = {
  deny: "to allow only these clients, add `Order deny,allow` and `Deny from all`",
  /** `Satisfy any` makes the list an alternative to Require. */
  denyOrLogin: "to allow only these clients and those with a login, add `Order deny,allow` and `Deny from all`",
  denyAlways: "to allow only these clients, replace `Satisfy any` with `Order deny,allow` and `Deny from all`",
  require: (replaced: readonly Directive[], required: string) =>
    `to allow only these clients, replace ${formatDirectiveNames(replaced)} of this section with ${required}`,
};

const labels = { alike: "does not restrict access either" };

export const openAllowList = defineRule({
  id: "open-allow-list",
  title: "Allow list that restricts nobody",
  group: "access",
  severity: "warning",
  description: "A section with `Allow from` for some clients, but without `Order allow,deny` or `Deny from all`.",
  help: "`Order deny,allow` is the default: it allows each client that no `Deny` matches. A list of `Allow` lines without `Deny` restricts nobody. Use `Require` with the clients of the list, or add `Deny from all`.",
  securitySeverity: 6,
  references: { cwe: [863] },
  tags: ["access-control", "security"],
  supersedes: ["shadowed-rule"],
  messages,
  check: () => ({
    probe: {
      releases: ["2.2", "2.4"],
      holding: ["allow"],
      // A list on its own may be included in a section with a Deny.
      applies: ({ directives, place }) => place !== "unknown" && directives.every(({ key }) => key !== "deny"),
      check(situation, inspector) {
        const { compat, layer, request } = situation;
        const own = ownRulesOf(situation).compat;
        const lists = own && convertNamedClients(own);
        const [first, ...others] = own?.hosts.map(({ directive }) => directive) ?? [];
        if (compat?.layer !== layer || !own || !lists || !first) return undefined;
        const isForAll = own.hosts.some(({ match }) => match.kind === "all");
        const order = own.orders.at(-1);
        if (isForAll || (order !== undefined && order.ordering !== "deny,allow")) return undefined;
        // Lists that name this client are not open to every client.
        const answers = unlistedClientIps[4].map((clientIp) => inspector.probe(situation, { ...request, clientIp }));
        const [answer] = answers;
        if (answer === undefined || !answers.every((each) => each?.isAuthorized)) return undefined;
        const further = [...new Set(others)].filter((line) => line !== first);
        return {
          message: messages.open(
            first,
            order?.directive,
            answer,
            findRemedy(situation, answer, inspector, describeRequireTree(lists)),
          ),
          span: first.span,
          related: further.map(({ span }) => ({ message: labels.alike, span })),
          witness: inspector.witness(answer),
        };
      },
    },
  }),
});

/** Returns the change after which the lists decide: by Require, unless lines of other sections would then decide. */
function findRemedy(
  situation: ProbeContext,
  { request }: AccessAnswer,
  inspector: Inspector,
  required: string,
): string {
  const { layer, state } = situation;
  const { isByCompat, isTooEarly } = findRestriction(situation);
  if (layer.directives.some(isSatisfyAny)) {
    if (!isSince(state.project.release, "2.4")) return remedies.denyOrLogin;
    const isOpenToAll = inspector.probe(situation, request, dropCompatRules)?.isAuthorized !== false;
    return isOpenToAll ? remedies.denyAlways : remedies.denyOrLogin;
  }
  const isMerged = layer.directives.some(({ key }) => key === "authmerging");
  if (isByCompat || isTooEarly || isMerged) return remedies.deny;
  const replaced = layer.directives.filter((line) => isCompatDirective(line) || line.key === "require");
  return remedies.require(replaced, required);
}
