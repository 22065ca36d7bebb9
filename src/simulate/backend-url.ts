import type { Project } from "../project/project.js";
import type { Layer } from "../scope/layer.js";
import type { ProxyMapping } from "../scope/proxies.js";
import { slashRulesIn } from "../scope/url.js";
import { fromReadable } from "../text/source.js";

/** Why a request is not handed on to a backend. */
export interface BackendFault {
  readonly status: number;
  /** In the error log. */
  readonly complaint?: string;
}

/**
 * What is wrong with the URL of a backend that mod_proxy_http is to ask: it reads it before anything is handed on
 * (`proxy_http_canon`). Rules of a section may have cut it to pieces.
 *
 * @param ofServer the layers of the server
 */
export function faultOfBackend(
  { target, isRaw, by }: ProxyMapping,
  { modules, release }: Project,
  ofServer: readonly Layer[],
): BackendFault | undefined {
  const url = target.slice("proxy:".length);
  const [, scheme, rest = ""] = /^((?:https?|wss?):)([\s\S]*)$/i.exec(url) ?? [];
  if (scheme === undefined || !modules.has("proxy_http_module")) return undefined;
  const fault = (read: string, why: string): BackendFault =>
    release === "2.4" ? { status: 400, complaint: `AH01083: error parsing URL ${read}: ${why}` } : { status: 400 };
  if (!rest.startsWith("//")) return fault(url, "Malformed URL");
  const [authority = ""] = rest.slice(2).split("/", 1);
  const at = authority.lastIndexOf("@");
  const [user = "", ...password] = authority.slice(0, Math.max(0, at)).split(":");
  // The URL is cut where it was read, and told as far as that.
  const read = `${scheme}//${at < 0 ? authority : user}`;
  if (hasBadEscape(password.join(":"))) return fault(read, "Bad %-escape in URL (password)");
  if (hasBadEscape(user)) return fault(read, "Bad %-escape in URL (username)");
  if (!isHostAndPort(authority.slice(at + 1))) return fault(read, "Invalid host/port");
  const path = rest.slice(2 + authority.length);
  if (release === "2.4" && by.key === "rewriterule" && isRaw && /[\0-\x20\x7f]/.test(path.replace(/\?[\s\S]*/, "")))
    return { status: 403, complaint: "AH10415: To be forwarded path contains control characters or spaces" };
  // Where slashes stay escaped, a percent sign that is none any more is taken for the begin of an escape.
  const isEscaped = release === "2.4" && !isRaw && slashRulesIn(ofServer).encoded === "kept";
  return isEscaped && hasBadEscape(path) ? { status: 400 } : undefined;
}

function hasBadEscape(text: string): boolean {
  return /%(?![0-9a-f]{2})/i.test(text);
}

/** Whether APR takes a host with a port (`apr_parse_addr_port`). */
function isHostAndPort(text: string): boolean {
  const [, host = text, port = "80"] = /^([\s\S]*):(\d+)$/.exec(text) ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  if (/^\d*$/.test(host) && host === text) return false;
  return isPort && host !== "" && (!host.startsWith("[") || /^\[[\da-f:.]+\]$/i.test(host));
}

/** The modules that ask a backend, by the scheme of its URL. */
const modulesFor: Readonly<Record<string, readonly string[]>> = {
  http: ["proxy_http_module"],
  https: ["proxy_http_module"],
  ws: ["proxy_http_module", "proxy_wstunnel_module"],
  wss: ["proxy_http_module", "proxy_wstunnel_module"],
  ajp: ["proxy_ajp_module"],
  fcgi: ["proxy_fcgi_module"],
  scgi: ["proxy_scgi_module"],
  uwsgi: ["proxy_uwsgi_module"],
  ftp: ["proxy_ftp_module"],
  h2: ["proxy_http2_module"],
  h2c: ["proxy_http2_module"],
  balancer: ["proxy_balancer_module"],
  unix: ["proxy_module"],
};

/** Why no module asks a backend once it comes to that (mod_proxy.c `proxy_handler`). @param path that of the URL */
export function unaskedBackend(target: string, path: string, project: Project): BackendFault | undefined {
  const [scheme, ...rest] = target.slice("proxy:".length).split(":");
  if (scheme === undefined || rest.length === 0) return { status: 400 };
  const name = scheme.toLowerCase();
  const { modules, modulesAreKnown, release } = project;
  const able = Object.hasOwn(modulesFor, name) ? (modulesFor[name] ?? []) : [];
  if (!modulesAreKnown || release === "2.2" || able.some((each) => modules.has(each))) return undefined;
  const advice =
    "If you are using a DSO version of mod_proxy, make sure the proxy submodules are included in the configuration using LoadModule.";
  const why = `No protocol handler was valid for the URL ${fromReadable(path)} (scheme '${scheme}').`;
  return { status: 500, complaint: `AH01144: ${why} ${advice}` };
}
