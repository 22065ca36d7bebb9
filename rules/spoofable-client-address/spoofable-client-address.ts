import {
  type DefiniteAnswer,
  describeAnswer,
  formatLineTitle,
  isPrivateAddress,
  sampleAddressIn,
  unlistedClientIps,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Directive, virtualHostAround } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  spoofable: (header: Directive, line: Directive, { denied, granted }: Answers, isPart: boolean) => ({
    message: `${formatLineTitle(header)} takes the header of every client`,
    notes: [
      `${formatLineTitle(line)} depends on the address in the header`,
      describeAnswer(granted),
      `without the header, ${describeAnswer(denied)}`,
      ...(isPart ? ["this holds if no other file lists the proxies"] : []),
    ],
    help: ["add `RemoteIPInternalProxy` or `RemoteIPTrustedProxy` with the addresses of your proxies"],
  }),
};

const labels = { line: "depends on the address" };

export const spoofableClientAddress = defineRule({
  id: "spoofable-client-address",
  title: "Client address from an unverified header",
  group: "exposure",
  severity: "error",
  description: "RemoteIPHeader without a list of proxies: clients choose the address that access depends on.",
  help: "Without RemoteIPInternalProxy or RemoteIPTrustedProxy, mod_remoteip takes the address from the header of any client, unless it is a private one. List the addresses of your proxies.",
  securitySeverity: 7.5,
  references: { cwe: [290, 348] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    exposure: {
      onFragments: true,
      holding: ["require", "allow"],
      *check({ line, scope, server, context }, client) {
        const addresses = listPublicAddresses(line);
        const header = addresses.length === 0 ? undefined : client.findUnverifiedAddressHeader(server);
        const name = header?.arguments[0]?.value;
        const path = name && client.findPathInto(scope, server);
        if (header === undefined || !name || !path) return;
        const isPart = context.project.kind === "fragment";
        // The header may be for a file of its own, whose proxies another one lists.
        const host = virtualHostAround(line);
        if (isPart && (host === undefined || virtualHostAround(header) !== host)) return;
        const denied = unlistedClientIps[4]
          .map((clientIp) => client.ask(server, { path, clientIp }))
          .find((answer) => answer?.status === 401 || answer?.status === 403);
        if (denied === undefined) return;
        for (const clientIp of addresses) {
          const granted = client.ask(server, { path, clientIp, headers: { [name]: clientIp } });
          if (granted?.status !== 200 || !granted.decidedBy.includes(line)) continue;
          yield {
            ...(isPart ? { severity: "warning" as const } : {}),
            message: messages.spoofable(header, line, { denied, granted }, isPart),
            span: header.span,
            related: [{ message: labels.line, span: line.span }],
            witness: witnessOf(granted),
            cause: { key: header.span.file.path + header.span.start, also: labels.line },
          };
          return;
        }
      },
    },
  }),
});

interface Answers {
  readonly denied: DefiniteAnswer;
  readonly granted: DefiniteAnswer;
}

/** Returns an address of each network that a line allows, unless it is private: a client cannot have a private one. */
function listPublicAddresses({ key, arguments: words }: Directive): readonly string[] {
  const [first = "", ...rest] = words.map(({ value }) => value);
  if (first.toLowerCase() !== (key === "require" ? "ip" : "from")) return [];
  return rest.flatMap((word) => {
    const address = sampleAddressIn(word)?.clientIp;
    return address === undefined || isPrivateAddress(address) ? [] : [address];
  });
}
