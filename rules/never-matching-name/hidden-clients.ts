import {
  type AccessAnswer,
  type Inspector,
  isPrivateAddress,
  isPubliclyReachable,
  type ProbeContext,
  readSubnet,
  sampleAddressIn,
  unlistedClientIps,
} from "../../src/lint/api/access.js";
import { type Directive, serverDirectivesOf, virtualHostAround } from "../../src/lint/api/configuration.js";
import { stripTrailingSlash, toReadable } from "../../src/lint/api/rule.js";

/** A line about private addresses, which clients behind a proxy do not have for httpd. */
export interface HiddenClients {
  readonly line: Directive;
  /** The RemoteIPTrustedProxy line with the proxy. */
  readonly proxy: Directive;
  /** The answer to a client of the proxy: it has the address of the proxy. */
  readonly answer: AccessAnswer;
}

/**
 * Finds a line of a scope that decides about clients in a private network, but not if they come through a trusted proxy:
 * mod_remoteip takes no private address from its header (`remoteip_modify_request`). RemoteIPInternalProxy does.
 */
export function findHiddenClients(situation: ProbeContext, inspector: Inspector): HiddenClients | undefined {
  const { scope, request, state } = situation;
  const lines = scope.directives.filter(isAboutAddresses);
  const proxies = lines.length === 0 ? [] : listTrustedProxies(situation);
  const proxyWords = proxies.flatMap((proxy) => proxy.arguments.map(({ value }) => ({ proxy, value })));
  if (proxyWords.length === 0 || !state.project.modules.has("remoteip_module")) return undefined;
  for (const line of lines)
    for (const word of listPrivateWords(line)) {
      // The proxy itself may send requests, such as those that test whether the server responds.
      if (proxyWords.some(({ value }) => value === word && !value.includes("/"))) continue;
      const own = inspector.probe(situation, { ...request, ...sampleAddressIn(word) });
      if (own === undefined || !own.decidedBy.includes(line)) continue;
      for (const { proxy, value } of proxyWords) {
        const address = sampleAddressIn(value)?.clientIp;
        if (address === undefined || !isPrivateAddress(address)) continue;
        const answer = inspector.probe(situation, { ...request, clientIp: address });
        if (answer && answer.isAuthorized !== own.isAuthorized) return { line, proxy, answer };
      }
    }
  return undefined;
}

/** A line for a proxy, whose address httpd replaces by that of the client. */
export interface ReplacedProxy {
  readonly line: Directive;
  /** The RemoteIPInternalProxy or RemoteIPTrustedProxy line with the proxy. */
  readonly proxy: Directive;
  /** The condition on the address of the connection, for `Require expr`. */
  readonly condition: string;
  /** The answer to a client of the proxy. */
  readonly answer: AccessAnswer;
}

/**
 * Finds a line of a section for the whole site that allows only proxies, although mod_remoteip replaces their addresses
 * (`remoteip_modify_request`). For other paths, the proxy may send requests of its own.
 */
export function findReplacedProxy(situation: ProbeContext, inspector: Inspector): ReplacedProxy | undefined {
  const { scope, request } = situation;
  const lines = scope.directives.filter(({ key }) => key === "require" || key === "allow");
  const [line, ...others] = lines.filter(isAboutAddresses);
  const words = line ? listWords(line) : [];
  const server = serverOf(situation);
  if (line === undefined || others.length > 0 || words.length === 0 || server === undefined) return undefined;
  if (
    server.effective("remoteipheader").length === 0 ||
    !isForWholeSite(scope.section, server.effective("documentroot"))
  )
    return undefined;
  const lists = listKeys.flatMap((key) => server.effective(key));
  const proxy = lists.find(({ arguments: [word] }) => word?.value === words[0]);
  const proxies = new Set(lists.flatMap((each) => each.arguments.map(({ value }) => value)));
  if (proxy === undefined || !words.every((word) => proxies.has(word))) return undefined;
  const sample = sampleAddressIn(words[0] ?? "");
  const own = sample && inspector.probe(situation, { ...request, ...sample });
  if (!own?.isAuthorized || !own.decidedBy.includes(line)) return undefined;
  // The network of the proxy may contain one of these.
  const answers = unlistedClientIps[4].map((clientIp) => inspector.probe(situation, { ...request, clientIp }));
  const answer = answers.find((each) => each?.class === "403");
  if (answer === undefined) return undefined;
  return { line, proxy, condition: toReadable(words.map(conditionOn).join(" || ")), answer };
}

/** Returns a condition of `Require expr` on the address of the connection, which mod_remoteip does not replace. */
function conditionOn(word: string): string {
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(word);
  return `%{CONN_REMOTE_ADDR} ${isAddress ? "==" : "-ipmatch"} '${word}'`;
}

/** Reports whether a section is for each path of a site: its root, or the directory of its pages. */
function isForWholeSite(section: Directive | undefined, roots: readonly Directive[]): boolean {
  const path = section?.arguments[0]?.value;
  if (section?.key === "<location") return path === "/";
  const isRoot = ({ arguments: [root] }: Directive) =>
    stripTrailingSlash(root?.value ?? "") === stripTrailingSlash(path ?? "");
  return section?.key === "<directory" && roots.some(isRoot);
}

/** A line about addresses of clients, on a server that only programs of the machine itself connect to. */
export interface RemoteClients {
  readonly line: Directive;
  readonly word: string;
  readonly isDenial: boolean;
  /** The answer to a client that connects: it has a loopback address. */
  readonly answer: AccessAnswer;
}

/**
 * Finds a line of a scope about clients elsewhere, while the server listens only on a loopback address, and no module reads
 * the address of the client from a proxy on the machine.
 */
export function findRemoteClients(situation: ProbeContext, inspector: Inspector): RemoteClients | undefined {
  const { scope, request, state } = situation;
  const lines = scope.directives.filter(isAboutAddresses);
  if (lines.length === 0 || isPubliclyReachable(situation) || request.scheme === "https") return undefined;
  const { modules } = state.project;
  if (modules.unknown.length > 0 || modules.hasAnyThirdParty() || readsClientAddress(situation)) return undefined;
  const local = inspector.probe(situation, { ...request, clientIp: "127.0.0.1", clientHost: "localhost" });
  if (local === undefined) return undefined;
  for (const line of lines)
    for (const word of listWords(line)) {
      const client = isLoopback(word) ? undefined : sampleAddressIn(word);
      const other = client && inspector.probe(situation, { ...request, ...client });
      if (!other?.decidedBy.includes(line) || other.isAuthorized === local.isAuthorized) continue;
      return { line, word, isDenial: !other.isAuthorized, answer: local };
    }
  return undefined;
}

/** Reports whether a line makes httpd take the address of the client from a proxy. */
function readsClientAddress(situation: ProbeContext): boolean {
  const server = serverOf(situation);
  return (
    server === undefined || ["remoteipheader", "remoteipproxyprotocol"].some((key) => server.effective(key).length > 0)
  );
}

function isAboutAddresses({ key }: Directive): boolean {
  return key === "require" || key === "allow" || key === "deny";
}

/** Returns the private networks that a line names, without the own machine. */
function listPrivateWords(line: Directive): readonly string[] {
  return listWords(line).filter(isPrivate);
}

/** Returns the addresses and networks that a line names. */
function listWords({ key, arguments: words }: Directive): readonly string[] {
  const values = words.map(({ value }) => value);
  const [first = "", second = ""] = values.map((value) => value.toLowerCase());
  const provider = key === "require" ? (first === "not" ? second : first) : "ip";
  return provider === "ip" ? values.filter((value) => readSubnet(value).ok) : [];
}

function isPrivate(word: string): boolean {
  const address = sampleAddressIn(word)?.clientIp;
  return address !== undefined && isPrivateAddress(address) && !isLoopback(word);
}

function isLoopback(word: string): boolean {
  return /^127\.|^::1$/.test(sampleAddressIn(word)?.clientIp ?? "");
}

/** Returns the RemoteIPTrustedProxy lines that apply; none if other lists apply as well, or no header is read. */
function listTrustedProxies(situation: ProbeContext): readonly Directive[] {
  const server = serverOf(situation);
  if (server === undefined || server.effective("remoteipheader").length === 0) return [];
  const layers = server.main ? [server, server.main] : [server];
  // The lists of a host replace those of the main server.
  const lists = layers.map((layer) => listKeys.flatMap((key) => layer.own(key))).find(({ length }) => length > 0) ?? [];
  return lists.every(({ key }) => key === "remoteiptrustedproxy") ? lists : [];
}

/** Returns the lines of the server or virtual host around a scope. */
function serverOf({ scope, state }: ProbeContext) {
  const host =
    scope.section && (scope.section.key === "<virtualhost" ? scope.section : virtualHostAround(scope.section));
  return serverDirectivesOf(state.project).find(({ section }) => section === host);
}

const listKeys = [
  ...["remoteiptrustedproxy", "remoteiptrustedproxylist", "remoteipinternalproxy", "remoteipinternalproxylist"],
] as const;
