import type { Directive } from "../../config/model/directive.js";
import { findDirectiveFacts } from "../../facts/directives.js";
import { isSince, type Release } from "../../facts/release.js";
import { keywordArgumentOf } from "../model/config-layer.js";
import { isAnyAddress, isSameAddress, isUnspecified, type ListenAddress, readListenLine } from "../model/server.js";

/** The lines that decide whether a server answers TLS, as they apply to it. */
export interface TlsLines {
  readonly engine: Directive | undefined;
  readonly protocol: Directive | undefined;
  readonly certificate: Directive | undefined;
  /** The Listen lines of the configuration. */
  readonly listen: readonly Directive[];
}

/** A virtual host, as far as its protocol depends on it. */
export interface ListeningHost {
  readonly addresses: readonly ListenAddress[];
  readonly directives: readonly Directive[];
}

/** Whether mod_ssl is on for a server: `unknown` if that depends on the addresses of the machine. */
export interface TlsEngine {
  readonly state: "on" | "off" | "optional" | "unknown";
  /** The line that decides; undefined if TLS is off by default. */
  readonly line: Directive | undefined;
}

/**
 * Decides whether mod_ssl is on for a server (modules/ssl/ssl_engine_init.c `ssl_init_Module`). Without SSLEngine, 2.4
 * turns it on for the protocol `https` if there is a certificate. 2.2 turns it on for that protocol in any case.
 *
 * @param host undefined for the main server, which has the address of no Listen line
 */
export function decideTlsEngine(lines: TlsLines, host: ListeningHost | undefined, release: Release): TlsEngine {
  const { engine, certificate } = lines;
  const written = readEngine(engine);
  const asWritten = written ?? { state: "off", line: undefined };
  if (isSince(release, "2.4") && (written || certificate === undefined)) return asWritten;
  const protocol = findProtocol(lines, host && hasCoreDirective(host, release) ? host.addresses : []);
  if (protocol.word === "https") return { state: "on", line: protocol.line };
  if (protocol.word !== undefined) return asWritten;
  return written?.state === "on" ? written : { state: "unknown", line: protocol.line };
}

function readEngine(line: Directive | undefined): TlsEngine | undefined {
  const state = keywordArgumentOf(line);
  return state === "on" || state === "off" || state === "optional" ? { state, line } : undefined;
}

interface ServerProtocol {
  /** In lower case; undefined if it depends on the addresses of the machine. */
  readonly word: string | undefined;
  readonly line: Directive | undefined;
}

/**
 * Finds the protocol of a server: that of its Protocol line, else that of the Listen line with the first of its
 * addresses that has one (server/listen.c `ap_setup_listeners`).
 */
function findProtocol({ protocol, listen }: TlsLines, addresses: readonly ListenAddress[]): ServerProtocol {
  if (protocol) return { word: keywordArgumentOf(protocol) ?? "http", line: protocol };
  const listeners = listen.map((line) => ({ line, address: readListenLine(line) }));
  const words = new Set<string>();
  let first: Directive | undefined;
  for (const host of addresses) {
    let isFound = false;
    for (const { line, address } of listeners) {
      const isEqual = isListenerOf(address, host);
      if (isEqual === false) continue;
      isFound ||= isEqual === true;
      words.add(protocolOf(line, address));
      first ??= line;
    }
    if (isFound) return { word: onlyOf(words), line: first };
  }
  words.add("http");
  return { word: onlyOf(words), line: first };
}

/** Returns the element of a set with one element. */
function onlyOf(words: ReadonlySet<string>): string | undefined {
  return words.size === 1 ? [...words][0] : undefined;
}

/**
 * Reports whether a virtual host has its own configuration of the core. Without one, it shares that of the main server,
 * which has the protocol `http` by then.
 */
function hasCoreDirective({ directives }: ListeningHost, release: Release): boolean {
  return directives.some(({ name }) =>
    findDirectiveFacts(release, name).some(({ module, readTime }) => module === "core" && !readTime),
  );
}

function protocolOf({ arguments: [, word] }: Directive, { port }: ListenAddress): string {
  return word?.value.toLowerCase() ?? (port === 443 ? "https" : "http");
}

/**
 * Reports whether a virtual host has the address of a Listen line; undefined if it depends on the machine. A Listen line
 * without an address has that of IPv6 where the machine has IPv6, and a virtual host for any address has both.
 */
function isListenerOf(listener: ListenAddress, host: ListenAddress): boolean | undefined {
  if (listener.port !== host.port) return false;
  if (isAnyAddress(host)) return isAnyAddress(listener) || isUnspecified(listener.address);
  if (isAnyAddress(listener)) return isUnspecified(host.address) ? undefined : false;
  if (listener.name !== undefined || host.name !== undefined) return listener.name === host.name ? true : undefined;
  return isSameAddress(listener.address, host.address);
}
