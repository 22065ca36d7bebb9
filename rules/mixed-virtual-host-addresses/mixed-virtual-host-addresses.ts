import {
  type Directive,
  isAnyAddress,
  isWholeServer,
  type ListenAddress,
  type Project,
  readListenAddress,
} from "../../src/rule-api/configuration.js";
import { defineRule, getOrCreate, quoteText } from "../../src/rule-api/rule.js";

const messages = {
  unreached: (specific: string, wildcard: string) => ({
    message: `requests to ${quoteText(specific)} never reach the virtual hosts of ${quoteText(wildcard)}`,
    notes: ["httpd compares names only among the virtual hosts of the most specific address"],
    help: [`use ${quoteText(wildcard)} here as well, or the address in all virtual hosts that it should reach`],
  }),
};

const labels = { wildcard: "this virtual host, among others" };

export const mixedVirtualHostAddresses = defineRule({
  id: "mixed-virtual-host-addresses",
  title: "Virtual hosts of an address and of all addresses",
  group: "correctness",
  severity: "info",
  description: "A virtual host of one address, such as `192.0.2.1:80`, beside virtual hosts of `*:80`.",
  help: "For a request to an address that a virtual host names, httpd considers only the virtual hosts of that address. Virtual hosts with `*` never respond there, whatever name is requested. Use the same address in all of them.",
  tags: ["correctness"],
  messages,
  check: ({ project, release, report }) => {
    if (release !== "2.4" || !isWholeServer(project)) return {};
    return {
      project() {
        const places = listHosts(project).flatMap(listPlaces);
        const wildcards = new Map<number, HostPlace[]>();
        for (const place of places)
          if (isAnyAddress(place.address)) getOrCreate(wildcards, place.address.port, () => []).push(place);
        const reported = new Set<string>();
        for (const { host, text, address } of places) {
          if (isAnyAddress(address) || reported.has(text) || isForOwnMachine(host, address)) continue;
          const wildcard = wildcards.get(address.port)?.find((each) => each.host !== host);
          if (wildcard === undefined) continue;
          reported.add(text);
          report({
            message: messages.unreached(text, wildcard.text),
            span: host.span,
            related: [{ message: labels.wildcard, span: wildcard.host.span }],
          });
        }
      },
    };
  },
});

/** Lists the virtual hosts, but only the first two of those with the same addresses: further ones change nothing. */
function listHosts({ directives }: Project): readonly Directive[] {
  const counts = new Map<string, number>();
  return directives.filter((host) => {
    if (host.key !== "<virtualhost") return false;
    const text = host.argumentText;
    const count = counts.get(text) ?? 0;
    counts.set(text, count + 1);
    return count < 2;
  });
}

/** Returns whether a virtual host is for requests to `localhost` from the machine itself. */
function isForOwnMachine(host: Directive, { text }: ListenAddress): boolean {
  const name = host.children?.findLast(({ key }) => key === "servername")?.arguments[0]?.value;
  return /^(?:localhost$|127\.|\[::1\]$)/i.test(text) && /^localhost(?:$|[.:])/i.test(name ?? "");
}

interface HostPlace {
  readonly host: Directive;
  readonly text: string;
  readonly address: ListenAddress;
}

/** Lists the addresses of a virtual host. */
function listPlaces(host: Directive): readonly HostPlace[] {
  return host.arguments.map(({ value }) => ({ host, text: value.toLowerCase(), address: readListenAddress(value) }));
}
