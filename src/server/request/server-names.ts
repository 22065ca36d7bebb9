import type { Directive } from "../../config/model/directive.js";
import { checksClientName } from "../../config/queries/client-name-checks.js";
import { memoize } from "../../text/memoize.js";
import { compileNameWildcard } from "../../text/wildcards.js";
import { type ConfigLayer, findSetting, firstArgumentOf, keywordArgumentOf } from "../model/config-layer.js";
import { defaultPortOf, portOf, type Request } from "../model/request.js";
import { isHostForAny, type Server } from "../model/server.js";

/** Returns the directives that give a server the requested name. */
export function findNamingLines({ layer }: Server, { host }: Pick<Request, "host">): readonly Directive[] {
  const name = normalizeHostName(host);
  if (name === undefined) return [];
  return layer.directives.filter(({ key, arguments: words }) => {
    if (key === "servername") return words[0] !== undefined && stripServerName(words[0].value) === name;
    return key === "serveralias" && words.some(({ value }) => matchesAlias(value.toLowerCase(), name));
  });
}

function matchesAlias(alias: string, name: string): boolean {
  return /[*?]/.test(alias) ? compileServerAlias(alias)(name) : alias === name;
}

/**
 * Compiles a ServerAlias, in which only `*` and `?` are special, and both match a dot (server/util.c
 * `ap_strcasecmp_match`).
 */
export function compileServerAlias(alias: string): (name: string) => boolean {
  return compileNameWildcard(alias.replace(/[[\\]/g, "\\$&"));
}

/** Returns `name` for `https://name:443`. */
export function stripServerName(written: string): string {
  return written
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, "")
    .replace(/:\d+$/, "");
}

/**
 * Returns the name of a Host header for comparison with hosts: of an IPv6 address, the text in its brackets, as on 2.4
 * (test/server/vhost-lookup.test.ts).
 */
export function normalizeHostName(header: string | undefined): string | undefined {
  const name = stripHostPort(header);
  return name?.startsWith("[") ? name.slice(1, -1) : name;
}

/** Returns the name in a Host header: without port and final dot, in lower case. */
function stripHostPort(header: string | undefined): string | undefined {
  if (header === undefined || header === "") return undefined;
  const lower = header.toLowerCase();
  return /[:.][^a-z]*$/.test(lower) ? lower.replace(/:\d+$/, "").replace(/\.$/, "") : lower;
}

/** Returns the ServerName of a server, without scheme and port. */
export function configuredNameOf({ layer }: Server): string | undefined {
  const written = firstArgumentOf(layer.setting("servername"));
  return written?.replace(/^[^:]*:\/\//, "").replace(/:\d*$/, "");
}

/** The configured names of a server. */
export interface NamingConfig {
  /** UseCanonicalName. */
  readonly canonical: string;
  /** UseCanonicalPhysicalPort. */
  readonly isPhysical: boolean;
  readonly name: string | undefined;
  readonly port: number;
  /** Whether its ServerName begins with `https://`. */
  readonly isHttps: boolean;
  /** Whether HostnameLookups resolves the client's name. */
  readonly looksUpNames: boolean;
  /** Whether a check of the client's name may resolve it. */
  readonly checksClientName: boolean;
}

/** The names of a server in its response to a request, and whether it resolves the names of clients. */
export interface ServerNames {
  /** Undefined if only the resolver knows. */
  readonly serverName: string | undefined;
  readonly serverPort: number;
  readonly scheme: "http" | "https";
  readonly looksUpNames: boolean;
  readonly checksClientName: boolean;
}

/**
 * Returns an absolute URL of the server; only the path if the name of the server is not known (server/core.c
 * `ap_construct_url`).
 */
export function constructUrl(path: string, { scheme, serverName, serverPort }: ServerNames): string {
  if (serverName === undefined) return path;
  return `${scheme}://${serverName}${serverPort === defaultPortOf(scheme) ? "" : `:${serverPort}`}${path}`;
}

export function serverNamesOf(naming: NamingConfig, request: Request): ServerNames {
  return {
    serverName: serverNameOf(naming, request),
    serverPort: serverPortOf(naming, request),
    scheme: schemeOf(naming, request),
    looksUpNames: naming.looksUpNames,
    checksClientName: naming.checksClientName,
  };
}

/** @param layers those that apply to the request */
export function nameSettingsOf(server: Server, layers: readonly ConfigLayer[]): NamingConfig {
  return {
    canonical: keywordArgumentOf(findSetting(layers, "usecanonicalname")) ?? "off",
    isPhysical: keywordArgumentOf(findSetting(layers, "usecanonicalphysicalport")) === "on",
    name: writtenName(server),
    port: writtenPort(server),
    looksUpNames: looksUpNames(layers),
    checksClientName: layers.some(hasNameCheck),
    isHttps: /^https:\/\//i.test(firstArgumentOf(server.layer.setting("servername")) ?? ""),
  };
}

/** Reports whether a layer checks the name of the client. */
export const hasNameCheck = memoize(({ directives }: ConfigLayer) => directives.some(checksClientName));

/**
 * Reports whether the server resolves the names of its clients, even without a rule that needs them. @param layers
 * those that apply
 */
export function looksUpNames(layers: readonly ConfigLayer[]): boolean {
  return (keywordArgumentOf(findSetting(layers, "hostnamelookups")) ?? "off") !== "off";
}

function writtenName(server: Server): string | undefined {
  const named = configuredNameOf(server);
  if (named !== undefined || server.main === undefined) return named;
  return server.addresses.some(isHostForAny) ? configuredNameOf(server.main) : undefined;
}

/**
 * Returns a server's name (server/core.c `ap_get_server_name`): the name in the request, unless UseCanonicalName is on.
 * Undefined if only the resolver knows.
 */
function serverNameOf({ canonical, name }: NamingConfig, { host }: Request): string | undefined {
  if (canonical === "dns") return undefined;
  return canonical === "off" ? (stripHostPort(host) ?? name) : name;
}

/**
 * Reports whether an absolute URL with a host and port refers to a server (server/vhost.c `ap_matches_request_vhost`).
 */
export function matchesHost(server: Server, host: string, port: number): boolean {
  const { addresses } = server;
  const name = host.toLowerCase();
  // The main server has an address without a name.
  if (server.main === undefined && name === "") return true;
  if (addresses.some((each) => (each.port === 0 || each.port === port) && each.text.toLowerCase() === name))
    return true;
  if (port !== writtenPort(server)) return false;
  const own = configuredNameOf(server) ?? (server.main && configuredNameOf(server.main));
  return own?.toLowerCase() === name || findNamingLines(server, { host: name }).length > 0;
}

/** Reports whether a path is in a ServerPath (server/vhost.c `check_serverpath`). */
export function isWithinServerPath(path: string, prefix: string): boolean {
  const after = path.slice(prefix.length);
  return path.startsWith(prefix) && (prefix.endsWith("/") || after === "" || after.startsWith("/"));
}

/**
 * Returns `https` with TLS, and without it if the ServerName has that scheme (modules/http/http_core.c `http_scheme`;
 * test/live/virtual-hosts.live.test.ts).
 */
function schemeOf({ isHttps }: NamingConfig, { scheme }: Request): "http" | "https" {
  return isHttps || scheme === "https" ? "https" : "http";
}

/** Returns the port that a server assumes for itself (server/core.c `ap_get_server_port`). */
function serverPortOf(naming: NamingConfig, request: Request): number {
  const { canonical, isPhysical, port: own } = naming;
  const isCanonical = canonical === "on";
  // A subrequest does not have a port of its own.
  const usesHostHeader = !isCanonical && request.outer === undefined;
  const requestedPort = usesHostHeader ? Number(/:(\d+)$/.exec(request.host ?? "")?.[1] ?? 0) : 0;
  const physical = isPhysical ? portOf(request) : 0;
  const named = isCanonical ? own || physical : requestedPort || physical || own;
  return named || defaultPortOf(schemeOf(naming, request));
}

/** Returns the configured port; a ServerName resets the port of a VirtualHost line. */
function writtenPort({ layer, addresses: [first], main }: Server): number {
  const named = firstArgumentOf(layer.setting("servername"));
  if (named !== undefined) return Number(/:(\d+)$/.exec(named)?.[1] ?? 0);
  return first?.port || (main ? writtenPort(main) : 0);
}
