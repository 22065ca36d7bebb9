import { isAssumed, type Project } from "../../config/model/project.js";
import { mayHaveMoreLines } from "../../config/queries/whole-server.js";
import { isSince } from "../../facts/release.js";
import type { ProxyMapping } from "../mapping/proxies.js";
import { keywordArgumentOf } from "../model/config-layer.js";
import type { Pass } from "../model/pass.js";
import { unknownFact } from "../model/unknown-facts.js";
import type { BackendFault } from "./backend-modules.js";

/** Schemes of backends with TLS. */
const tlsSchemes: ReadonlySet<string> = new Set(["https", "wss", "h2"]);

/** Modules other than mod_ssl that encrypt connections to backends, with lines of their own. */
const otherTlsModules = ["gnutls_module", "nss_module", "tls_module"];

/**
 * Returns the error for a backend with TLS if SSLProxyEngine is off: mod_ssl leaves the connection to others (mod_ssl.c
 * `ssl_hook_ssl_bind_outgoing`, proxy_util.c `proxy_connection_create`). A part with the virtual host has all of its lines, but
 * it may inherit that of the main server.
 */
export function checkBackendTls({ target }: ProxyMapping, { state, server }: Pass): BackendFault | undefined {
  const [scheme = ""] = target.slice("proxy:".length).split(":");
  if (state === undefined || !tlsSchemes.has(scheme.toLowerCase()) || isTlsOfOthers(state.project)) return undefined;
  const { project, config, oracle } = state;
  const line = config.setting("sslproxyengine");
  if (line !== undefined && keywordArgumentOf(line) !== "off") return undefined;
  if (line === undefined && project.isPart) {
    if (server.section === undefined || isAssumed(server.section.span)) return undefined;
    if (oracle.ask(unknownFact("backend-tls-elsewhere"))) return undefined;
  }
  const message = "AH01961:  failed to enable ssl support [Hint: if using mod_ssl, see SSLProxyEngine]";
  // The next message has the address of the backend.
  return { status: 500, isLogUnknown: true, ...(isSince(project.release, "2.4") ? { errorMessages: [message] } : {}) };
}

function isTlsOfOthers(project: Project): boolean {
  const { modules } = project;
  return (
    modules.unknown.length > 0 || otherTlsModules.some((module) => modules.has(module)) || mayHaveMoreLines(project)
  );
}
