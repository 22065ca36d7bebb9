import type { Directive, NameFacts } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { listInactiveDirectiveNames } from "../../config/queries/inactive-lines.js";
import { type ServerDirectives, serverDirectivesOf } from "../../config/queries/server-directives.js";
import { isWholeServer, mayHaveMoreLines } from "../../config/queries/whole-server.js";
import { memoize } from "../../text/memoize.js";
import { addressKeysOf, addressReaderOf } from "../model/server.js";
import { decideTlsEngine, type TlsEngine } from "../request/tls-engine.js";
import { type CipherSelection, expandCipherString } from "./cipher-strings.js";
import { defaultProtocols, parseProtocols, type TlsProtocol } from "./protocols.js";

/** The settings of mod_ssl for the main server or a virtual host, merged with those of the main server. */
export interface TlsServer {
  readonly directives: ServerDirectives;
  readonly engine: TlsEngine;
  /** The SSLProtocol line that applies; undefined for the default. */
  readonly protocolLine: Directive | undefined;
  /** Undefined if the line is not valid, or if OpenSSL commands may change the protocols. */
  readonly protocols: ReadonlySet<TlsProtocol> | undefined;
  /** The SSLCipherSuite line for TLS 1.2 and older that applies; undefined for the default. */
  readonly cipherLine: Directive | undefined;
  /** Undefined for the default, for a string with unknown parts, or if OpenSSL commands may change the ciphers. */
  readonly ciphers: CipherSelection | undefined;
}

/** Returns the servers of a configuration with their settings of mod_ssl, the main server first. */
export const tlsServersOf: (project: Project) => readonly TlsServer[] = memoize((project) => {
  const listen = project.directives.filter(({ key }) => key === "listen");
  return serverDirectivesOf(project).map((directives) => readServer(directives, listen, project));
});

/** Creates a visitor of each server that answers TLS, as far as its own directives decide it. */
export function createTlsVisitor(project: Project, visit: (server: TlsServer) => void) {
  let isUsed = false;
  return {
    directives({ key }: NameFacts): undefined {
      isUsed ||= key === "sslengine" || key === "sslcertificatefile";
    },
    end(): void {
      if (isUsed) tlsServersOf(project).filter(answersTls).forEach(visit);
    },
  };
}

function answersTls({ engine: { state } }: TlsServer): boolean {
  return state !== "off";
}

/** Merges as mod_ssl does: the last line of a virtual host, else that of the main server (`ssl_config_server_merge`). */
function readServer(directives: ServerDirectives, listen: readonly Directive[], project: Project): TlsServer {
  const protocolLine = directives.effective("sslprotocol").at(-1);
  const cipherLine = directives.effective("sslciphersuite").findLast(isForOlderTls);
  const commands = directives.effective("sslopensslconfcmd").map(({ arguments: [word] }) => word?.value ?? "");
  const isDecidedBy = (names: RegExp) => commands.some((command) => names.test(command));
  const parsed = protocolLine && parseLine(protocolLine)?.protocols;
  return {
    directives,
    engine: findEngine(directives, listen, project),
    protocolLine,
    protocols: isDecidedBy(/protocol|options/i) ? undefined : protocolLine ? parsed : defaultProtocols,
    cipherLine,
    ciphers: cipherLine && !isDecidedBy(/^cipherstring$/i) ? readCiphers(cipherLine) : undefined,
  };
}

/** In a part of a configuration, Listen lines may be missing: a certificate may turn on TLS. */
function findEngine(directives: ServerDirectives, listen: readonly Directive[], project: Project): TlsEngine {
  const [engine, protocol, certificate] = ["sslengine", "protocol", "sslcertificatefile"].map((key) =>
    directives.effective(key).at(-1),
  );
  const { section } = directives;
  const host = section && {
    addresses: addressReaderOf(project.directives)(section),
    directives: section.children ?? [],
  };
  const found = decideTlsEngine({ engine, protocol, certificate, listen }, host, project.release);
  const isPart = found.line === undefined && certificate !== undefined && !isWholeServer(project);
  return isPart ? { state: "unknown", line: undefined } : found;
}

/** `SSLCipherSuite TLSv1.3 …` is a setting of its own. */
function isForOlderTls({ arguments: words }: Directive): boolean {
  return words.length === 1 || words[0]?.value === "SSL";
}

/** Expands the string of a line, with the exclusions that mod_ssl always adds (`ssl_cmd_SSLCipherSuite`). */
const readCiphers = memoize(({ arguments: words }: Directive): CipherSelection | undefined => {
  const text = words.at(-1)?.value ?? "";
  return text.includes("${") ? undefined : expandCipherString(`${text}:!aNULL:!eNULL:!EXP`);
});

/** Thousands of virtual hosts inherit one line. */
const parseLine = memoize(parseProtocols);

/** Directives of other modules that turn on TLS. */
const otherEngines = ["gnutlsenable", "nssengine", "tlsengine"];

/**
 * Reports whether mod_ssl alone decides which servers have TLS. `Listen 443 http` states that a program before httpd
 * removes TLS.
 */
export function isTlsDecided(project: Project): boolean {
  const { directives, modules } = project;
  const inactive = listInactiveDirectiveNames(project);
  return (
    isWholeServer(project) &&
    modules.has("ssl_module") &&
    !["sslengine", ...otherEngines].some((key) => inactive.has(key)) &&
    !directives.some(({ key }) => otherEngines.includes(key)) &&
    !directives.some((line) => line.key === "listen" && line.arguments[1]?.value.toLowerCase() === "http")
  );
}

/** Reports whether a server certainly answers without TLS. */
export function isTlsOff({ engine, directives }: TlsServer): boolean {
  if (otherEngines.some((key) => directives.effective(key).length > 0)) return false;
  return engine.state === "off";
}

/**
 * Reports whether a virtual host of a part has a certificate, and no line of the part turns TLS on or off. Another file may: with
 * SSLEngine for all virtual hosts, or with an https `Listen` line of the same address.
 */
export function hasUnusedCertificate({ directives }: TlsServer, project: Project): boolean {
  const inactive = listInactiveDirectiveNames(project);
  return (
    !isWholeServer(project) &&
    !mayHaveMoreLines(project) &&
    directives.own("sslcertificatefile").length > 0 &&
    ["sslengine", "protocol", ...otherEngines].every(
      (key) => directives.effective(key).length === 0 && !inactive.has(key),
    )
  );
}

/**
 * Returns for each virtual host whether its connections have TLS, without those for which that is not certain. The first
 * virtual host of an address decides: names are not compared before the handshake.
 */
export const listConnectionTls: (project: Project) => ReadonlyMap<Directive, boolean> = memoize((project) => {
  const result = new Map<Directive, boolean>();
  if (!isTlsDecided(project)) return result;
  const firsts = new Map<string, boolean | undefined>();
  for (const server of tlsServersOf(project)) {
    const { section } = server.directives;
    if (section === undefined) continue;
    const own = server.engine.state === "on" ? true : isTlsOff(server) ? false : undefined;
    const keys = addressKeysOf(section, project);
    for (const [index, { name }] of addressReaderOf(project.directives)(section).entries()) {
      const key = keys[index] ?? "";
      // The address of a name is not known without DNS.
      if (!firsts.has(key)) firsts.set(key, name === undefined ? own : undefined);
    }
    const [tls, ...others] = new Set(keys.map((key) => firsts.get(key)));
    if (tls !== undefined && others.length === 0) result.set(section, tls);
  }
  return result;
});
