import type { Directive } from "../../config/model/directive.js";
import { quoteText } from "../../text/words.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf, firstArgumentOf } from "../model/config-layer.js";
import type { Pass } from "../model/pass.js";
import { nameSettingsOf, normalizeHostName } from "../request/server-names.js";
import { quoteLine } from "./step.js";

/**
 * Returns why httpd adds a port to the URL of a redirect although the request names none: without one in the Host header, it
 * takes that of ServerName, or without a ServerName that of the VirtualHost line (server/core.c `ap_get_server_port`). A client
 * that reaches the server through another port, as of a container or a proxy, cannot follow it.
 *
 * @param by the line that redirects
 */
export function explainOwnPort(
  { server, request, state, walk }: Pass,
  location: string | undefined,
  by: Directive | undefined,
): readonly Cause[] {
  const [, name = "", port] = /^https?:\/\/([^/:?#]+):(\d+)/i.exec(location ?? "") ?? [];
  const requested = normalizeHostName(request.host);
  if (port === undefined || requested !== name.toLowerCase() || /:\d*$/.test(request.host ?? "")) return [];
  const isWritten = by !== undefined && /:\d|%\{SERVER_PORT\}/i.test(argumentValuesOf(by).join(" "));
  const settings = nameSettingsOf(server, state?.layers ?? walk.serverLayers);
  if (isWritten || settings.canonical === "dns" || settings.isPhysical || String(settings.port) !== port) return [];
  const named = server.layer.setting("servername");
  const line = named ?? server.section;
  if (line === undefined) return [];
  const written = `ServerName ${(firstArgumentOf(named) ?? name).replace(/:\d+$/, "")}`;
  const text = named
    ? `httpd adds port ${port} to the URL, because ${quoteLine(named)} has it and the \`Host\` header names none`
    : `httpd adds port ${port} of this virtual host to the URL, because it has no \`ServerName\` and the \`Host\` header names no port`;
  return [{ text, line, help: [`${named ? "use" : "add"} ${quoteText(written)}${named ? "" : " to it"}`] }];
}
