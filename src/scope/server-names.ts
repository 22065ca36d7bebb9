import type { Directive } from "../project/directive.js";
import { type Layer, settingIn } from "./layer.js";
import { isAny, readListenAddress } from "./listen-address.js";
import { anyName } from "./names.js";
import { portOf, type Request, usualPort } from "./request.js";
import type { Server } from "./server.js";
import { keywordOf, wordOf } from "./words.js";

/** The lines by which a server goes by the name that a request asks for. */
export function namingLines({ layer }: Server, { host }: Pick<Request, "host">): readonly Directive[] {
  const name = comparedName(host);
  if (name === undefined) return [];
  return layer.directives.filter(({ key, arguments: words }) => {
    if (key === "servername") return words[0] !== undefined && bareServerName(words[0].value) === name;
    return key === "serveralias" && words.some(({ value }) => fitsAlias(value.toLowerCase(), name));
  });
}

function fitsAlias(alias: string, name: string): boolean {
  return /[*?]/.test(alias) ? aliasPattern(alias)(name) : alias === name;
}

/** In a ServerAlias only `*` and `?` are more than letters, and both fit a dot (server/util.c `ap_strcasecmp_match`). */
export function aliasPattern(alias: string): (name: string) => boolean {
  return anyName(alias.replace(/[[\\]/g, "\\$&"));
}

/** `https://name:443` is `name`. */
export function bareServerName(written: string): string {
  return written
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, "")
    .replace(/:\d+$/, "");
}

/**
 * What hosts are compared with: the name in a Host header, and of an IPv6 address what stands in its brackets, as 2.4
 * answered when it was asked by hand (test/scope/servers.test.ts).
 */
export function comparedName(header: string | undefined): string | undefined {
  const name = hostName(header);
  return name?.startsWith("[") ? name.slice(1, -1) : name;
}

/** The name in a Host header: no port, no dot at its end, in lower case. */
function hostName(header: string | undefined): string | undefined {
  if (header === undefined || header === "") return undefined;
  const lower = header.toLowerCase();
  return /[:.][^a-z]*$/.test(lower) ? lower.replace(/:\d*$/, "").replace(/\.$/, "") : lower;
}

/** The ServerName of a server, without scheme and port. */
export function serverNameIn({ layer }: Server): string | undefined {
  const written = wordOf(layer.setting("servername"));
  return written?.replace(/^[^:]*:\/\//, "").replace(/:\d*$/, "");
}

/** What the configuration says of how a server calls itself. */
export interface Naming {
  /** UseCanonicalName. */
  readonly canonical: string;
  /** UseCanonicalPhysicalPort. */
  readonly isPhysical: boolean;
  readonly name: string | undefined;
  readonly port: number;
  /** Whether its ServerName begins with `https://`. */
  readonly isHttps: boolean;
  /** Whether HostnameLookups asks for the client's name. */
  readonly looksUpNames: boolean;
}

/** What a server calls itself in its answer to a request, and whether it looks up what clients are called. */
export interface ServerNames {
  /** Undefined where only the resolver knows. */
  readonly serverName: string | undefined;
  readonly serverPort: number;
  readonly scheme: "http" | "https";
  readonly looksUpNames: boolean;
}

export function serverNamesOf(naming: Naming, request: Request): ServerNames {
  return {
    serverName: serverNameOf(naming, request),
    serverPort: serverPortOf(naming, request),
    scheme: schemeOf(naming, request),
    looksUpNames: naming.looksUpNames,
  };
}

/** @param layers those in force for the request */
export function namingOf(server: Server, layers: readonly Layer[]): Naming {
  return {
    canonical: keywordOf(settingIn(layers, "usecanonicalname")) ?? "off",
    isPhysical: keywordOf(settingIn(layers, "usecanonicalphysicalport")) === "on",
    name: writtenName(server),
    port: writtenPort(server),
    looksUpNames: looksUpNames(layers),
    isHttps: /^https:\/\//i.test(wordOf(server.layer.setting("servername")) ?? ""),
  };
}

/** Whether the server looks up the names of its clients, be it for a rule or not. @param layers those in force */
export function looksUpNames(layers: readonly Layer[]): boolean {
  return (keywordOf(settingIn(layers, "hostnamelookups")) ?? "off") !== "off";
}

function writtenName(server: Server): string | undefined {
  const named = serverNameIn(server);
  if (named !== undefined || server.main === undefined) return named;
  const isForAny = server.section?.arguments.some((word) => isAny(readListenAddress(word.value)));
  return isForAny ? serverNameIn(server.main) : undefined;
}

/**
 * What a server calls itself (server/core.c `ap_get_server_name`): as the request calls it, unless UseCanonicalName is on.
 * Undefined where only the resolver knows.
 */
function serverNameOf({ canonical, name }: Naming, { host }: Request): string | undefined {
  if (canonical === "dns") return undefined;
  return canonical === "off" ? (hostName(host) ?? name) : name;
}

/** Whether an absolute URL with some host and port leads to a server (server/vhost.c `ap_matches_request_vhost`). */
export function isAtHost(server: Server, host: string, port: number): boolean {
  const addresses = server.section?.arguments.map((word) => readListenAddress(word.value)) ?? [];
  const name = host.toLowerCase();
  // The main server has an address without a name.
  if (server.main === undefined && name === "") return true;
  if (addresses.some((each) => (each.port === 0 || each.port === port) && each.text.toLowerCase() === name))
    return true;
  if (port !== writtenPort(server)) return false;
  const own = serverNameIn(server) ?? (server.main && serverNameIn(server.main));
  return own?.toLowerCase() === name || namingLines(server, { host: name }).length > 0;
}

/**
 * `https` behind TLS, and without it where the ServerName says so (modules/http/http_core.c `http_scheme`;
 * test/live/servers.live.test.ts).
 */
function schemeOf({ isHttps }: Naming, { scheme }: Request): "http" | "https" {
  return isHttps || scheme === "https" ? "https" : "http";
}

/** The port that a server takes itself to be at (server/core.c `ap_get_server_port`). */
function serverPortOf(naming: Naming, request: Request): number {
  const { canonical, isPhysical, port: own } = naming;
  const isCanonical = canonical === "on";
  // A request that the server makes itself has no port of its own.
  const isAsked = !isCanonical && request.outer === undefined;
  const asked = isAsked ? Number(/:(\d+)$/.exec(request.host ?? "")?.[1] ?? 0) : 0;
  const physical = isPhysical ? portOf(request) : 0;
  const named = isCanonical ? own || physical : asked || physical || own;
  return named || usualPort(schemeOf(naming, request));
}

/** A ServerName resets the port that a VirtualHost line gives. */
function writtenPort({ layer, section, main }: Server): number {
  const named = wordOf(layer.setting("servername"));
  if (named !== undefined) return Number(/:(\d+)$/.exec(named)?.[1] ?? 0);
  const first = wordOf(section);
  return (first !== undefined && readListenAddress(first).port) || (main ? writtenPort(main) : 0);
}
