import type { AccessState } from "../access/access-state.js";
import { headerOf } from "../model/request.js";

/** Reports whether only the resolver knows the name of the server, with which the balancer manager compares the Referer. */
export function isRefererUnknown({ names }: AccessState): boolean {
  return names.serverName === undefined;
}

/**
 * Returns the message of the balancer manager about a request without a Referer of its own server, whose parameters it
 * ignores (mod_proxy_balancer.c `safe_referer`).
 */
export function refererMessagesOf({ request, names }: AccessState): readonly string[] {
  const name = names.serverName;
  if (request.tracker || name === undefined) return [];
  const referer = headerOf(request, "Referer");
  if (referer !== undefined && hostInUrl(referer)?.toLowerCase() === name.toLowerCase()) return [];
  return [`AH10187: ignoring params in balancer-manager cross-site access ${referer ?? "(null)"}: ${name}`];
}

/** Returns the host in a URL; undefined if there is none (`apr_uri_parse`). */
function hostInUrl(url: string): string | undefined {
  const [, authority = ""] = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\/([^/?#]*)/.exec(url) ?? [];
  const [, bracketed, host] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(authority.slice(authority.lastIndexOf("@") + 1)) ?? [];
  return bracketed ?? (host === "" ? undefined : host);
}
