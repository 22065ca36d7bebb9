import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { isSince } from "../../facts/release.js";
import {
  type Address,
  formatAddress,
  isInSubnet,
  isPrivateAddress,
  parseAddress,
  readSubnet,
  type Subnet,
} from "../../text/addresses.js";
import { memoize } from "../../text/memoize.js";
import { argumentValuesOf, firstArgumentOf, keywordArgumentOf } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { headerOf, type Request } from "../model/request.js";
import { isSameAddress, type Server } from "../model/server.js";
import { unknownFact } from "../model/unknown-facts.js";

/**
 * Returns a request as mod_remoteip leaves it, whose client is already the one that it determines: the addresses that it
 * takes from its header are no longer in the header, and the address of the connection is unknown
 * (modules/metadata/mod_remoteip.c `remoteip_modify_request`).
 */
export function applyRemoteIp(request: Request, server: Server, project: Project, oracle: Oracle): Request {
  if (!isSince(project.release, "2.4") || !project.modules.has("remoteip_module")) return request;
  const layers = [server.layer, ...(server.main ? [server.main.layer] : [])];
  const protocol = layers.map((layer) => layer.setting("remoteipproxyprotocol")).find((line) => line !== undefined);
  const line = layers.map((layer) => layer.setting("remoteipheader")).find((found) => found !== undefined);
  const name = firstArgumentOf(line);
  if (keywordArgumentOf(protocol) === "on") return { ...request, hasProxy: true };
  if (line === undefined || name === undefined) return request;
  const value = headerOf(request, name);
  if (value === undefined || request.peerIp === request.clientIp) return { ...request, hasProxy: true };
  const lists = layers.map((layer) => layer.pick(proxyLists)).find((lines) => lines.length > 0) ?? [];
  const left = remainingHeader(value, request.clientIp, lists);
  if (left === "unchanged") return request;
  const isNamed = namesHeader(project, name);
  if (left === "unknown") {
    if (isNamed) oracle.markUndecidable(unknownFact("proxied-addresses", name), line);
    return { ...request, hasProxy: true };
  }
  const others = Object.entries(request.headers ?? {}).filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  const headers = Object.fromEntries(left === undefined ? others : [...others, [name, left]]);
  return { ...request, headers, hasProxy: true };
}

/** Returns the usual header of a request in which a proxy names the client. */
export function findForwardedHeader(request: Request): string | undefined {
  return ["X-Forwarded-For", "X-Real-IP"].find((name) => headerOf(request, name) !== undefined);
}

/**
 * Returns the address of the client of a request whose connecting address is known, as mod_remoteip determines it
 * (modules/metadata/mod_remoteip.c `remoteip_modify_request`); undefined if it is not known.
 */
export function findClientOf(request: Request, peerIp: string, server: Server, project: Project): string | undefined {
  if (!isSince(project.release, "2.4") || !project.modules.has("remoteip_module")) return peerIp;
  const layers = [server.layer, ...(server.main ? [server.main.layer] : [])];
  const protocol = layers.map((layer) => layer.setting("remoteipproxyprotocol")).find((line) => line !== undefined);
  if (keywordArgumentOf(protocol) === "on") return undefined;
  const name = firstArgumentOf(
    layers.map((layer) => layer.setting("remoteipheader")).find((found) => found !== undefined),
  );
  const lists = layers.map((layer) => layer.pick(proxyLists)).find((lines) => lines.length > 0) ?? [];
  const proxies = readProxies(lists);
  const value = name === undefined ? undefined : headerOf(request, name);
  if (value === undefined) return peerIp;
  let client = parseAddress(peerIp);
  for (const word of value.split(",").toReversed()) {
    if (proxies === undefined) return undefined;
    const from = client;
    const proxy = from && proxies.find(({ network }) => isInSubnet(from, network));
    const text = word.replace(/^ +| +$/g, "");
    if ((proxies.length > 0 && proxy === undefined) || text === "") break;
    const address = parseAddress(text);
    // A name may have an address.
    if (address === undefined) return undefined;
    if (proxy?.isInternal !== true && isPrivateAddress(text)) break;
    client = address;
  }
  return client && formatAddress(client);
}

interface KnownProxy {
  readonly network: Subnet;
  readonly isInternal: boolean;
  readonly line: Directive;
}

/** Returns the line of a server that lists the address of a proxy, if it is one for proxies outside of the own network. */
export function findTrustedProxy(peerIp: string, server: Server): Directive | undefined {
  const layers = [server.layer, ...(server.main ? [server.main.layer] : [])];
  const lists = layers.map((layer) => layer.pick(proxyLists)).find((lines) => lines.length > 0) ?? [];
  const peer = parseAddress(peerIp);
  const found = peer && readProxies(lists)?.find(({ network }) => isInSubnet(peer, network));
  return found?.isInternal === false ? found.line : undefined;
}

/**
 * Reports whether the lines of a server list an address as that of a proxy; undefined if names or files list some. Without such lines,
 * any address is.
 */
export function listsProxy(address: string, server: Server): boolean | undefined {
  const layers = [server.layer, ...(server.main ? [server.main.layer] : [])];
  const lists = layers.map((layer) => layer.pick(proxyLists)).find((lines) => lines.length > 0) ?? [];
  const [parsed, proxies] = [parseAddress(address), readProxies(lists)];
  return lists.length === 0 ? true : parsed && proxies?.some(({ network }) => isInSubnet(parsed, network));
}

/** Returns the proxies of the lines; undefined if names or files list some. */
function readProxies(lines: readonly Directive[]): readonly KnownProxy[] | undefined {
  const proxies: KnownProxy[] = [];
  for (const line of lines) {
    if (line.key.endsWith("list")) return undefined;
    for (const text of argumentValuesOf(line)) {
      const read = readSubnet(text);
      if (!read.ok) return undefined;
      proxies.push({ network: read.value, isInternal: line.key.startsWith("remoteipinternal"), line });
    }
  }
  return proxies;
}

/**
 * Returns the RemoteIPHeader line of a server that takes the header of any client: one without a list of proxies
 * (`remoteip_modify_request`).
 */
export function findUnverifiedAddressHeader(server: Server, { modules }: Project): Directive | undefined {
  if (!modules.has("remoteip_module")) return undefined;
  const lines = [server.layer, ...(server.main ? [server.main.layer] : [])];
  if (lines.some((layer) => layer.has("remoteipproxyprotocol") || layer.pick(proxyLists).length > 0)) return undefined;
  return lines.map((layer) => layer.setting("remoteipheader")).find((line) => line !== undefined);
}

const proxyLists: ReadonlySet<string> = new Set([
  ...["remoteipinternalproxy", "remoteiptrustedproxy", "remoteipinternalproxylist", "remoteiptrustedproxylist"],
]);

/**
 * Returns what remains of the header if its addresses lead to the client; undefined if nothing does. It is unchanged if
 * they do not lead to the client, because the client itself connects.
 */
function remainingHeader(
  value: string,
  clientIp: string,
  lists: readonly Directive[],
): string | undefined | "unchanged" | "unknown" {
  const kinds = new Set(lists.map(({ key }) => key.startsWith("remoteipinternal")));
  // Which list the connecting proxy is in is unknown, and so are names and the content of files.
  if (kinds.size > 1 || lists.some(({ key }) => key.endsWith("list"))) return "unknown";
  const words = lists.flatMap(argumentValuesOf);
  const networks = words.flatMap((text) => {
    const read = readSubnet(text);
    return read.ok ? [read.value] : [];
  });
  if (networks.length < words.length) return "unknown";
  const isInternal = kinds.has(true);
  let rest: string | undefined = value;
  let current: Address | undefined;
  while (rest !== undefined) {
    const from: Address | undefined = current;
    const isTrusted = from === undefined || networks.some((network) => isInSubnet(from, network));
    if (networks.length > 0 && !isTrusted) break;
    const comma: number = rest.lastIndexOf(",");
    const word = rest.slice(comma + 1).replace(/^ +| +$/g, "");
    if (word === "") break;
    const address = parseAddress(word);
    if (address === undefined) return "unknown";
    if (!isInternal && isPrivateAddress(word)) break;
    current = address;
    rest = comma < 0 ? undefined : rest.slice(0, comma);
  }
  return current !== undefined && isSameAddress(current, parseAddress(clientIp)) ? rest : "unchanged";
}

/** The arguments of all lines that may read a header. */
const readingText = memoize((project: Project) => {
  let text = "";
  for (const { key, argumentText } of iterateDirectives(project))
    if (!key.startsWith("remoteip")) text += `${argumentText.toLowerCase().replaceAll("_", "-")}\n`;
  return text;
});

function namesHeader(project: Project, name: string): boolean {
  const text = readingText(project);
  return text.includes(name.toLowerCase().replaceAll("_", "-")) || /\b(?:req|req-novary|http)\s*\(/.test(text);
}
