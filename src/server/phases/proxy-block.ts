import { isSince } from "../../facts/release.js";
import { parseAddress } from "../../text/addresses.js";
import type { ProxyMapping } from "../mapping/proxies.js";
import { argumentValuesOf } from "../model/config-layer.js";
import type { Pass } from "../model/pass.js";
import { unknownFact } from "../model/unknown-facts.js";
import { type BackendFault, hostOf } from "./backend-modules.js";

export const blockNames: ReadonlySet<string> = new Set(["proxyblock"]);

/**
 * Returns the error for a backend whose host contains a word of ProxyBlock, or for any with a word that begins with `*`. The case
 * of letters counts, and mod_proxy makes those of the host small. It also blocks the addresses of the words (proxy_util.c
 * `ap_proxy_checkproxyblock2`). A virtual host adds its words to those of the main server.
 */
export function checkBlockedHost(backend: ProxyMapping, { state, server, path }: Pass): BackendFault | undefined {
  const lines = server.layers.flatMap((layer) => layer.pick(blockNames));
  const host = blockableHostOf(backend.target);
  if (lines.length === 0 || host === undefined || state === undefined || state.request.method === "CONNECT")
    return undefined;
  // The host may be another one for other paths of a class.
  if (state.request.tracker && !isWritten(host, backend)) return undefined;
  for (const by of lines)
    for (const word of argumentValuesOf(by)) {
      if (!word.startsWith("*") && !host.includes(word)) continue;
      return { status: 403, by, ...messagesOf(host, word, path, isSince(state.project.release, "2.4")) };
    }
  const isAddress = (text: string) => parseAddress(text) !== undefined;
  const isDecided = isAddress(host) && lines.flatMap(argumentValuesOf).every(isAddress);
  if (isDecided || !state.oracle.ask(unknownFact("blocked-address", host))) return undefined;
  return { status: 403, ...(lines[0] ? { by: lines[0] } : {}), isLogUnknown: true };
}

/** Returns the host of a backend that ProxyBlock is compared with; undefined if a member of a balancer has it. */
export function blockableHostOf(target: string): string | undefined {
  const [, scheme, rest = ""] = /^proxy:([^:]+):([\s\S]*)$/.exec(target) ?? [];
  if (scheme === undefined || /^(?:balancer|unix)$/i.test(scheme)) return undefined;
  const host = hostOf(rest)?.toLowerCase();
  return host === "" ? undefined : host;
}

function isWritten(host: string, { by }: ProxyMapping): boolean {
  return by.arguments.some(({ value }) => blockableHostOf(`proxy:${value}`) === host);
}

function messagesOf(
  host: string,
  word: string,
  path: string,
  hasNumbers: boolean,
): Pick<BackendFault, "errorMessages"> {
  if (!hasNumbers) return {};
  return {
    errorMessages: [
      `AH00916: connect to remote machine ${host} blocked: name ${word} matched`,
      `AH00898: Connect to remote machine blocked returned by ${path}`,
    ],
  };
}
