import type { Project } from "../../config/model/project.js";
import { findSetting, keywordArgumentOf } from "../model/config-layer.js";
import { defaultPortOf, isAuthority, type Request, targetOfRequest } from "../model/request.js";
import type { Server } from "../model/server.js";
import type { ServerLookup } from "../request/vhost-lookup.js";
import type { ProxyMapping } from "./proxies.js";

/**
 * Returns the mapping of a request to a forward proxy: CONNECT, and a URL of another server in the request line
 * (modules/proxy/mod_proxy.c `proxy_detect`). Proofs are about requests for paths, except for access checks of assumed URLs.
 *
 * @param assumed the URL of another server that the request is assumed to be for
 */
export function mapToForwardProxy(
  request: Request,
  server: Server,
  servers: ServerLookup,
  { modules }: Project,
  assumed?: string,
): ProxyMapping | undefined {
  const { tracker, origin, method, path } = request;
  if ((tracker && assumed === undefined) || !modules.has("proxy_module")) return undefined;
  const by = findSetting(server.layers, "proxyrequests");
  if (by === undefined || keywordArgumentOf(by) !== "on") return undefined;
  if (assumed !== undefined) return { kind: "proxy", target: `proxy:${assumed}`, isRaw: true, by };
  const isForwarded =
    origin === undefined ? method === "CONNECT" && isAuthority(path) : !isOwnUrl(request, server, servers);
  return isForwarded ? { kind: "proxy", target: `proxy:${targetOfRequest(request)}`, isRaw: true, by } : undefined;
}

/** Reports whether the URL of a request line is one of the server that handles the request. */
function isOwnUrl({ origin = "", scheme = "http" }: Request, server: Server, servers: ServerLookup): boolean {
  const [, named = "", host = "", port] = /^([^:]*):\/\/(.*?)(?::(\d+))?$/.exec(origin) ?? [];
  if (named.toLowerCase() !== scheme) return false;
  const name = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return servers.isUrlOf(server, name, port === undefined ? defaultPortOf(scheme) : Number(port));
}
