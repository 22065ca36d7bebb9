import {
  addressReaderOf,
  isAnyAddress,
  isHostForAny,
  isSameAddress,
  isSince,
  isWholeServer,
  type ListenAddress,
  listInactiveLines,
  readListenAddress,
  readListenLine,
  readListenWord,
} from "../../src/lint/api/configuration.js";
import { defineVariant, formatWordList, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  unheard: (addresses: readonly string[], impliedPort: number | undefined) => ({
    message: `no \`Listen\` line for the virtual host ${formatWordList(addresses.map(quoteText))}`,
    notes: [
      ...(impliedPort === undefined
        ? []
        : [`an address without a port has that of the \`ServerName\` before it: ${impliedPort}`]),
      "httpd starts without a warning",
      "no request reaches this virtual host",
    ],
    help: ["add a `Listen` line for the address, or correct the address"],
  }),
};

export const virtualHostWithoutListen = defineVariant({
  id: "virtual-host-without-listen",
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4") || !isWholeServer(project)) return {};
    const active = project.directives.filter(({ key }) => key === "listen").map(readListenLine);
    // A start with `-D` may read further lines, such as those of SUSE for `-D SSL`.
    const possible = listInactiveLines(project).filter(
      ({ key, guard }) => key === "listen" && guard.kind === "<ifdefine" && !guard.negated,
    );
    const listeners = [...active, ...possible.map(({ argument }) => readListenWord(argument))];
    const isIncluded = (host: ListenAddress) => listeners.some((listener) => mayAccept(listener, host));
    const addressesIn = addressReaderOf(project.directives);
    return {
      byWords({ key }, { section }) {
        if (key !== "<virtualhost" || section !== undefined) return undefined;
        return (directive) => {
          const addresses = addressesIn(directive);
          if (addresses.length === 0 || addresses.some(isIncluded)) return;
          const words = directive.arguments.map(({ value }) => value);
          const implied = addresses.find(
            ({ port }, i) => port !== 0 && words[i] && readListenAddress(words[i]).port === 0,
          );
          report({ message: messages.unheard(words, implied?.port), span: directive.span });
        };
      },
    };
  },
});

/** Returns whether a listener may accept connections to an address: only the resolver knows the address of a name. */
function mayAccept(listener: ListenAddress, host: ListenAddress): boolean {
  if (host.port !== 0 && host.port !== listener.port) return false;
  const { address } = host;
  if (listener.name !== undefined || host.name !== undefined || isAnyAddress(listener)) return true;
  if (address === undefined || isHostForAny(host)) return true;
  return isUnspecified(listener, address.family) || isSameAddress(listener.address, address);
}

/** Returns whether a listener is for all addresses of a family. An IPv6 socket may accept IPv4 connections as well. */
function isUnspecified({ address }: ListenAddress, family: 4 | 6): boolean {
  return address?.bits === 0n && (address.family === 6 || family === 4);
}
