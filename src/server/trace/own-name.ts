import type { Directive } from "../../config/model/directive.js";
import { quoteText } from "../../text/words.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf, findSetting, firstArgumentOf } from "../model/config-layer.js";
import type { Pass } from "../model/pass.js";
import { nameSettingsOf, normalizeHostName } from "../request/server-names.js";
import { quoteLine } from "./step.js";

/**
 * Returns why the URL of a redirect has another name or port than the request. With UseCanonicalName, the name is that of
 * ServerName (server/core.c `ap_get_server_name`). Without a port in the Host header, httpd adds that of ServerName, or without a
 * ServerName that of the VirtualHost line (`ap_get_server_port`): a client that reaches the server through another port, as of
 * a container or a proxy, cannot follow it.
 *
 * @param by the line that redirects
 */
export function explainOwnName(
  { server, request, state, walk }: Pass,
  location: string | undefined,
  by: Directive | undefined,
): readonly Cause[] {
  const [, name = "", port] = /^https?:\/\/([^/:?#]+)(?::(\d+))?/i.exec(location ?? "") ?? [];
  const requested = normalizeHostName(request.host);
  const layers = state?.layers ?? walk.serverLayers;
  const settings = nameSettingsOf(server, layers);
  const written = by === undefined ? "" : argumentValuesOf(by).join(" ").toLowerCase();
  if (requested !== name.toLowerCase()) {
    const line = findSetting(layers, "usecanonicalname");
    const isOwn = settings.canonical === "on" && settings.name?.toLowerCase() === name.toLowerCase();
    if (requested === undefined || line === undefined || !isOwn || written.includes(name.toLowerCase())) return [];
    const text = `httpd redirects to its own name \`${name}\` in place of \`${requested}\`, because ${quoteLine(line)} applies`;
    return [
      {
        text,
        line,
        help: [
          `use \`UseCanonicalName Off\`, or \`ServerName ${requested}\`${server.section ? " in this virtual host" : ""}`,
        ],
      },
    ];
  }
  if (port === undefined || /:\d*$/.test(request.host ?? "") || /:\d|%\{server_port\}/.test(written)) return [];
  if (settings.canonical !== "off" || settings.isPhysical || String(settings.port) !== port) return [];
  const named = server.layer.setting("servername");
  const line = named ?? server.section;
  if (line === undefined) return [];
  const own = `ServerName ${(firstArgumentOf(named) ?? name).replace(/:\d+$/, "")}`;
  const text = named
    ? `httpd adds port ${port} to the URL, because ${quoteLine(named)} has it and the \`Host\` header names none`
    : `httpd adds port ${port} of this virtual host to the URL, because it has no \`ServerName\` and the \`Host\` header names no port`;
  return [{ text, line, help: [`${named ? "use" : "add"} ${quoteText(own)}${named ? "" : " to it"}`] }];
}
