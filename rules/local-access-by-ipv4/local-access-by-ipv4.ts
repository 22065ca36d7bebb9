import {
  type AccessAnswer,
  describeProbe,
  formatLineTitle,
  type Inspector,
  isReachableAtIpv6Loopback,
  type ProbeContext,
  parseCompatRules,
  parseRequireLine,
  readSubnet,
  requireArgumentsOf,
} from "../../src/lint/api/access.js";
import type { Argument, Directive, Scope } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const helpFor: Readonly<Record<string, readonly string[]>> = {
  allow: ["add `::1` to the line", "in sections with `Require`, use `Require local`"],
  require: ["use `Require local`, which allows both addresses"],
};

const messages = {
  onlyIpv4: (line: Directive, denial: AccessAnswer, listens: boolean) => ({
    message: `${formatLineTitle(line)} does not allow local programs with the address \`::1\``,
    notes: [
      "a program on this machine that connects to `localhost` may have the address `::1`",
      ...(listens ? ["`Listen` does not restrict the server to IPv4"] : []),
      describeProbe(denial),
    ],
    help: helpFor[line.key] ?? [],
  }),
};

export const localAccessByIpv4 = defineRule({
  id: "local-access-by-ipv4",
  title: "Local access only by IPv4",
  group: "access",
  severity: "info",
  description: "Allow or Require ip with 127.0.0.1 as the only address, on a server that also listens on IPv6.",
  help: "127.0.0.1 and ::1 are both addresses of the machine itself. Programs that connect to `localhost` often try ::1 first. If only 127.0.0.1 is allowed, the server returns 403 to them. `Require local` allows both.",
  tags: ["access-control"],
  messages,
  check: () => ({
    probe: {
      applies: (scope) => findLocalAddress(scope) !== undefined,
      check(situation, inspector, _, { project }) {
        const found = findLocalAddress(situation.scope);
        const denial = found && isReachableAtIpv6Loopback(situation) && findDenial(situation, inspector);
        if (!found || !denial) return undefined;
        const { line, argument } = found;
        return {
          message: messages.onlyIpv4(line, denial, project.directives.some(isListen)),
          span: line.spanOf(argument),
          witness: inspector.witness(denial),
        };
      },
    },
  }),
});

const isListen = ({ key }: Directive) => key === "listen";

interface WrittenAddress {
  readonly line: Directive;
  readonly argument: Argument;
}

/** Providers that do not let other clients in: they ask for a user, or deny. */
const otherProviders: ReadonlySet<string> = new Set(["valid-user", "user", "group", "dbm-group"]);

/** Returns the first address of a section if all its clients are on the machine itself, by IPv4. */
function findLocalAddress({ directives }: Scope): WrittenAddress | undefined {
  const found: WrittenAddress[] = [];
  for (const { list, match, directive: line, argument } of parseCompatRules(directives)?.hosts ?? []) {
    if (list === "deny") continue;
    if (match.kind !== "ip" || !isLoopback(argument)) return undefined;
    found.push({ line, argument });
  }
  for (const line of directives.filter(({ key }) => key === "require")) {
    const parsed = parseRequireLine(line);
    if (parsed.negated || otherProviders.has(parsed.provider)) continue;
    if (parsed.provider === "all" && parsed.rest.toLowerCase() === "denied") continue;
    const words = requireArgumentsOf(parsed);
    if (parsed.provider !== "ip" || !words.every(isLoopback)) return undefined;
    found.push(...words.map((argument) => ({ line, argument })));
  }
  return found[0];
}

/** Reports whether an address or network is in 127.0.0.0/8. */
function isLoopback({ value }: Argument): boolean {
  const read = readSubnet(value);
  if (!read.ok || read.value.family !== 4) return false;
  const { network, mask } = read.value;
  return network >> 24n === 127n && mask >> 24n === 255n;
}

/** Returns the answer that denies ::1 where 127.0.0.1 is allowed, with or without a login. */
function findDenial(situation: ProbeContext, inspector: Inspector): AccessAnswer | undefined {
  for (const user of [undefined, "somebody"]) {
    const { request } = situation;
    const sent = user === undefined ? request : { ...request, user };
    const allowed = inspector.probe(situation, { ...sent, clientIp: "127.0.0.1", clientHost: "localhost" });
    if (!allowed?.isAuthorized) continue;
    const other = inspector.probe(situation, { ...sent, clientIp: "::1" });
    return other?.class === "403" ? other : undefined;
  }
  return undefined;
}
