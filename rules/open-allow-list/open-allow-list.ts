import {
  convertNamedClients,
  defineProbeRule,
  describeProbe,
  describeRequireTree,
  formatLineTitle,
  ownRulesOf,
  type ProbeAnswer,
  unlistedClientIps,
} from "../../src/rule-api/access.js";
import type { Directive, Release } from "../../src/rule-api/configuration.js";

const messages = {
  open: (line: Directive, order: Directive | undefined, answer: ProbeAnswer, remedy: string) => ({
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

const remedies: Readonly<Record<Release, (required: string) => string>> = {
  "2.2": () => "to allow only these clients, add `Order deny,allow` and `Deny from all`",
  "2.4": (required) => `to allow only these clients, replace the lines with ${required}`,
};

const labels = { further: "does not restrict access either" };

export const openAllowList = defineProbeRule({
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
  releases: ["2.2", "2.4"],
  holding: ["allow"],
  // A file of lines for a section is included beside its Order.
  applies: ({ directives, place }) => place !== "unknown" && directives.every(({ key }) => key !== "deny"),
  messages,
  check(situation, inspector, _, { release }) {
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
      message: messages.open(first, order?.directive, answer, remedies[release](describeRequireTree(lists))),
      span: first.span,
      related: further.map(({ span }) => ({ message: labels.further, span })),
      witness: inspector.witness(answer),
    };
  },
});
