import {
  addressReaderOf,
  type Directive,
  findPlaceholder,
  isHostForAny,
  isSince,
  isWholeServer,
  type ListenAddress,
  type Project,
  readListenAddress,
  readListenLine,
  stripServerName,
} from "../../src/lint/api/configuration.js";
import { defineVariant, getOrCreate, quoteShort, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  unreached: (specific: string, wildcard: string) => ({
    message: `requests to ${quoteText(specific)} never reach the virtual hosts of ${quoteText(wildcard)}`,
    notes: ["httpd compares names only among the virtual hosts of the most specific address"],
    help: [`use ${quoteText(wildcard)} here as well, or the address in all virtual hosts that it should reach`],
  }),
  byName: (name: string, port: string, wildcard: string | undefined) => ({
    message: `${quoteShort(name, 30)} is a name, and \`<VirtualHost>\` selects by address`,
    notes: [
      "httpd looks the name up at start; if that fails, it ignores the virtual host (AH00547)",
      wildcard === undefined
        ? "otherwise, it answers connections to this address only"
        : `otherwise, requests to this address never reach the virtual hosts of ${quoteText(wildcard)}`,
    ],
    help: [
      `use ${quoteText(`<VirtualHost *${port}>`)}, and the name in ${name.includes("*") ? "`ServerAlias`" : "`ServerName`"}`,
    ],
  }),
  unreadable: (text: string, correct: string | undefined) => ({
    message: `httpd ignores ${quoteShort(text, 30)}: it is not an address`,
    notes: [
      "httpd looks for a host with this name at start, and finds none (AH00547)",
      "other virtual hosts or the main server answer the requests",
    ],
    help: [correct === undefined ? "use an address and a port, such as `*:80`" : `use ${quoteText(correct)}`],
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

const labels = {
  wildcard: "this virtual host, among others",
  port: "responds instead",
  alsoName: "also has a name",
  alsoUnreadable: "also has no address",
};

export const mixedVirtualHostAddresses = defineVariant({
  id: "mixed-virtual-host-addresses",
  severity: "info",
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4") || project.kind === "htaccess") return {};
    return {
      end() {
        const addressesIn = addressReaderOf(project.directives);
        const places = listHosts(project).flatMap((host) => listPlaces(host, addressesIn(host)));
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
          const isName = isHostName(address) && correctAddress(text) === undefined;
          if (!isName && isUnreadable(address, text)) {
            reported.add(text);
            report({
              severity: "warning",
              message: messages.unreadable(text, correctAddress(text)),
              span: host.span,
              cause: { key: "unreadable hosts", also: labels.alsoUnreadable },
            });
            continue;
          }
          if (isName || isWildcardDomain(address)) {
            reported.add(text);
            const port = address.port === 0 ? (/:\*$/.exec(text)?.[0] ?? "") : `:${address.port}`;
            report({
              severity: wildcard || !isName || isOwnName(host, address) ? "warning" : "info",
              message: messages.byName(address.text, port, wildcard?.text),
              span: host.span,
              related: wildcard ? [{ message: labels.wildcard, span: wildcard.host.span }] : [],
              cause: { key: "hosts by name", also: labels.alsoName },
            });
            continue;
          }
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
  const counts = new Map<readonly ListenAddress[], number>();
  return directives.filter((host) => {
    if (host.key !== "<virtualhost") return false;
    const addresses = addressReaderOf(directives)(host);
    const count = counts.get(addresses) ?? 0;
    counts.set(addresses, count + 1);
    return count < 2;
  });
}

/** Returns whether a virtual host is for requests to `localhost` from the machine itself. */
function isForOwnMachine(host: Directive, { text }: ListenAddress): boolean {
  const name = host.children?.findLast(({ key }) => key === "servername")?.arguments[0]?.value;
  return /^(?:localhost$|127\.|\[::1\]$)/i.test(text) && /^localhost(?:$|[.:])/i.test(name ?? "");
}

/** Returns whether an address is a name that DNS may know; that of the machine itself is known. */
function isHostName({ name = "" }: ListenAddress): boolean {
  return /^[a-z_](?:[\w-]*\w)?(?:\.[\w-]+)*$/i.test(name) && name.toLowerCase() !== "localhost";
}

/** Returns whether an address is a name with a wildcard, as in ServerAlias: only DNS may have an address for it. */
function isWildcardDomain({ name = "" }: ListenAddress): boolean {
  return /^(?:\*\.)?(?:[\w-]+\.)*(?:[\w-]+|\*)$/.test(name) && /\*/.test(name) && /[a-z]/i.test(name);
}

/**
 * Returns whether an address is neither one nor a name that a host may have: it has a character that is not of a name, or it
 * only has numbers (live case). A text with a placeholder is not known.
 */
function isUnreadable(address: ListenAddress, text: string): boolean {
  const { name } = address;
  if (name === undefined || isWildcardDomain(address) || findPlaceholder(text) !== undefined) return false;
  // A word after the colon may be a placeholder of a template.
  if (/:(?!https?$)[a-z_]/i.test(text.replace(/^https?:/, ""))) return false;
  return (
    /^[\w.*;,:/-]+$/.test(name) &&
    (correctAddress(text) !== undefined || /[*;,:/]/.test(name) || /^\d+(?:\.\d+){3,}$/.test(name))
  );
}

/** Returns the address that was meant if only its colon, its scheme or a surplus character is wrong. */
function correctAddress(text: string): string | undefined {
  const [, host, port] =
    /^(?:https?:\/\/)?(\*|_default_|\d+\.\d+\.\d+\.\d+(?=[.,;:]))[.,;:/]*(\d{1,5})[.,;:/]*$/i.exec(text) ?? [];
  const isAddress = host !== undefined && readListenAddress(host).name === undefined;
  return isAddress && Number(port) <= 65_535 ? `${host}:${port}` : undefined;
}

/** Returns whether a virtual host also has a name as such, or none at all: its address was meant to be its name. */
function isOwnName({ children = [] }: Directive, { name = "" }: ListenAddress): boolean {
  const lines = children.filter(({ key }) => key === "servername" || key === "serveralias");
  const names = lines.flatMap(({ arguments: words }) => words.map(({ value }) => stripServerName(value)));
  return names.length === 0 || names.includes(name.toLowerCase());
}

interface HostPlace {
  readonly host: Directive;
  readonly text: string;
  readonly address: ListenAddress;
}

/** Lists the addresses of a virtual host with their texts. */
function listPlaces(host: Directive, addresses: readonly ListenAddress[]): readonly HostPlace[] {
  const words = [...new Set(host.arguments.map(({ value }) => value))];
  return addresses.map((address, i) => ({ host, text: words[i]?.toLowerCase() ?? "", address }));
}
