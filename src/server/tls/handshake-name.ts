import { resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { isSince, nameRelease } from "../../facts/release.js";
import { toReadable } from "../../text/source.js";
import { quoteText } from "../../text/words.js";
import { argumentValuesOf, type ConfigLayer, findSetting, keywordArgumentOf } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import type { Request } from "../model/request.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { Server } from "../model/server.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import { unknownFact } from "../model/unknown-facts.js";
import { configuredNameOf } from "../request/server-names.js";
import type { ServerLookup } from "../request/vhost-lookup.js";
import { defaultProtocols, parseProtocols } from "./protocols.js";

/**
 * Returns the response to a request over TLS if the name in the handshake (SNI) selects another virtual host than the Host
 * header, with other TLS settings, or if there is none and SSLStrictSNIVHostCheck is on (modules/ssl/ssl_engine_kernel.c
 * `ssl_hook_ReadReq`; test/live/handshake-names.live.test.ts). Undefined if the request continues, or if the name is not known.
 *
 * @param server the server that the Host header selects
 */
export function checkHandshakeName(
  { servers, project }: SimulationSetup,
  request: Request,
  server: Server,
  oracle: Oracle,
): RequestOutcome | undefined {
  const name = request.tls?.serverName;
  const { modules, release, serverRoot } = project;
  if (name === undefined || request.scheme !== "https" || !modules.has("ssl_module")) return undefined;
  const handshake = handshakeServerOf(servers, request, name, oracle);
  if (servers.tlsEngineOf(handshake).state === "off") return undefined;
  const reject = (status: number, by: Directive | undefined, message: string): RequestOutcome => {
    const [code = ""] = message.split(":");
    const lines = by ? [by] : [];
    const log = isSince(release, "2.4") ? [code] : [];
    return { status, log, by: lines, layers: server.layers, errorMessages: log.length > 0 ? [message] : [], handshake };
  };
  if (name === "") {
    const strict = [server, handshake].flatMap(({ layers }) => findSetting(layers, "sslstrictsnivhostcheck") ?? []);
    const line = strict.find((each) => keywordArgumentOf(each) === "on");
    if (line !== undefined && servers.hasNamesAt(request, oracle))
      return reject(403, line, "AH02033: No hostname was provided via SNI for a name based virtual host");
  } else if (request.host === undefined)
    return reject(
      400,
      undefined,
      `AH02031: Hostname ${name} provided via SNI, but no hostname provided in HTTP request`,
    );
  const policyLine = findSetting(servers.main.layers, "sslvhostsnipolicy");
  const policy = keywordArgumentOf(policyLine) ?? "secure";
  const difference = handshake === server ? undefined : findDifference(handshake, server, policy, serverRoot);
  if (difference === undefined) return undefined;
  // Before, httpd compared less, and nothing without a name.
  if (!isSince(release, "2.4.66")) {
    oracle.markUndecidable(unknownFact("host-name-in-handshake", quoteText(nameRelease(release))));
    return undefined;
  }
  const given =
    name === ""
      ? `${configuredNameOf(handshake) ?? ""} (default host as no SNI was provided)`
      : `${toReadable(name)} provided via SNI`;
  const line = difference ?? policyLine;
  return reject(
    421,
    line,
    `AH02032: Hostname ${given} and hostname ${request.host ?? ""} provided via HTTP have no compatible SSL setup for policy '${policy}'`,
  );
}

/**
 * Returns the end of a TLS handshake without a certificate that SSLVerifyClient requires outside of sections; it counts as
 * 403. The virtual host of the handshake decides, before any request is read (modules/ssl/ssl_engine_init.c
 * `ssl_init_ctx_verify`; test/live/client-certificates.live.test.ts). Undefined if the request continues: a client that is
 * not described has a certificate that the server accepts. If the name in the handshake is not described, it is the requested
 * host.
 */
export function checkHandshakeCertificate(
  { servers, project }: SimulationSetup,
  request: Request,
  oracle: Oracle,
): RequestOutcome | undefined {
  const { scheme, tls, tracker } = request;
  if (scheme !== "https" || tls?.certificate !== "none" || tracker || !project.modules.has("ssl_module"))
    return undefined;
  const server = handshakeServerOf(servers, request, tls.serverName ?? request.host ?? "", oracle);
  const line = findSetting(server.layers, "sslverifyclient");
  if (line === undefined || keywordArgumentOf(line) !== "require") return undefined;
  if (servers.tlsEngineOf(server).state === "off") return undefined;
  return { status: 403, log: [], by: [line], layers: server.layers, isRejectedEarly: true };
}

/** Returns the server that the name in the handshake selects: the first one at the address without a name. */
function handshakeServerOf(servers: ServerLookup, request: Request, name: string, oracle: Oracle): Server {
  return name === "" ? servers.defaultServerOf(request, oracle) : servers.serverOf({ ...request, host: name }, oracle);
}

/** The settings of a server that must be equal, by the policy that compares them; each returns a text that is equal for equal ones. */
const comparedSettings: readonly {
  readonly keys: readonly string[];
  readonly policies: readonly string[];
  readonly textOf: (lines: readonly Directive[], root: string) => string;
}[] = [
  { keys: ["sslverifyclient"], policies: ["secure", "authonly"], textOf: lastWord("none") },
  { keys: ["sslverifydepth"], policies: ["secure", "authonly"], textOf: lastWord("1") },
  { keys: ["sslocspenable"], policies: ["secure", "authonly"], textOf: lastWord("off") },
  ...["sslcacertificatefile", "sslcacertificatepath", "sslcadnrequestfile", "sslcadnrequestpath"].map((key) => ({
    keys: [key],
    policies: ["secure", "authonly"],
    textOf: listPaths,
  })),
  { keys: ["sslprotocol"], policies: ["secure"], textOf: listProtocols },
  { keys: ["sslciphersuite"], policies: ["secure"], textOf: listCiphers },
  { keys: ["sslcertificatefile"], policies: ["secure"], textOf: listPaths },
  { keys: ["sslcertificatekeyfile"], policies: ["secure"], textOf: listPaths },
];

/**
 * Returns the line with a setting in which two servers differ (`ssl_server_compatible`); null if they need not differ in a
 * setting, and undefined if they are compatible.
 */
function findDifference(one: Server, other: Server, policy: string, root: string): Directive | null | undefined {
  if (policy === "strict") return null;
  for (const { keys, policies, textOf } of comparedSettings) {
    if (!policies.includes(policy)) continue;
    const [ofOne, ofOther] = [one, other].map((server) => linesOf(server, new Set(keys)));
    if (textOf(ofOne ?? [], root) !== textOf(ofOther ?? [], root)) return ofOther?.at(-1) ?? ofOne?.at(-1) ?? null;
  }
  return undefined;
}

/** Returns the lines that apply to a server: its own, or those of the main server. */
function linesOf({ layers }: Server, keys: ReadonlySet<string>): readonly Directive[] {
  const found = layers.findLast((layer: ConfigLayer) => layer.pick(keys).length > 0);
  return found?.pick(keys) ?? [];
}

function lastWord(fallback: string): (lines: readonly Directive[]) => string {
  return (lines) => keywordArgumentOf(lines.at(-1)) ?? fallback;
}

function listPaths(lines: readonly Directive[], root: string): string {
  return lines.map((line) => resolvePath(root, toReadable(argumentValuesOf(line)[0] ?? ""))).join("\n");
}

function listProtocols(lines: readonly Directive[]): string {
  const line = lines.at(-1);
  const parsed = line && parseProtocols(line);
  if (line && parsed === undefined) return line.argumentText.toLowerCase();
  return [...(parsed?.protocols ?? defaultProtocols)].sort().join(" ");
}

/** A line may be for TLS 1.3 only. */
function listCiphers(lines: readonly Directive[]): string {
  const of = (isNew: boolean) =>
    lines.findLast((line) => (keywordArgumentOf(line) === "tlsv1.3") === isNew)?.argumentText ?? "";
  return `${of(false)}\n${of(true)}`;
}
