import {
  type Directive,
  isHostForAny,
  isSince,
  isWholeServer,
  type ListenAddress,
  type Project,
  readListenAddress,
  readListenLine,
} from "../../src/lint/api/configuration.js";
import { defineVariant, getOrCreate, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  unreached: (specific: string, wildcard: string) => ({
    message: `requests to ${quoteText(specific)} never reach the virtual hosts of ${quoteText(wildcard)}`,
    notes: ["httpd compares names only among the virtual hosts of the most specific address"],
    help: [`use ${quoteText(wildcard)} here as well, or the address in all virtual hosts that it should reach`],
  }),
  unused: (wildcard: string) => ({
    message: `the virtual hosts of ${quoteText(wildcard)} never respond`,
    notes: [
      "other virtual hosts name each port that the server listens on",
      "httpd compares names only among the virtual hosts of the most specific address",
    ],
    help: ["use the same address and port in all of them, such as `*:80`"],
  }),
};

const labels = { wildcard: "this virtual host, among others", port: "responds instead" };

export const mixedVirtualHostAddresses = defineVariant({
  id: "mixed-virtual-host-addresses",
  severity: "info",
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4") || project.kind === "htaccess") return {};
    return {
      end() {
        const places = listHosts(project).flatMap(listPlaces);
        const wildcards = new Map<number, HostPlace[]>();
        for (const place of places)
          if (isHostForAny(place.address)) getOrCreate(wildcards, place.address.port, () => []).push(place);
        const reported = new Set<string>();
        const unused = isWholeServer(project) ? findUnusedHost(project, wildcards) : undefined;
        if (unused)
          report({
            severity: "warning",
            message: messages.unused(unused.host.text),
            span: unused.host.host.span,
            related: unused.others.map(({ host }) => ({ message: labels.port, span: host.span })),
          });
        for (const { host, text, address } of places) {
          if (isHostForAny(address) || reported.has(text) || isForOwnMachine(host, address)) continue;
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

/** Finds a virtual host without a port, if there is a virtual host for each port that the server listens on. */
function findUnusedHost(
  { directives }: Project,
  wildcards: ReadonlyMap<number, readonly HostPlace[]>,
): { readonly host: HostPlace; readonly others: readonly HostPlace[] } | undefined {
  const host = wildcards.get(0)?.find(({ host: { arguments: words } }) => words.length === 1);
  const ports = new Set(directives.filter(({ key }) => key === "listen").map((line) => readListenLine(line).port));
  const others = [...ports].map((port) => wildcards.get(port)?.find((each) => each.host !== host?.host));
  const found = others.filter((other) => other !== undefined);
  return host && found.length > 0 && found.length === ports.size ? { host, others: found } : undefined;
}

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
