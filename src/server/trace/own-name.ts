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
export function explainOwnName(pass: Pass, location: string | undefined, by: Directive | undefined): readonly Cause[] {
  const [, name = "", port] = /^https?:\/\/([^/:?#]+)(?::(\d+))?/i.exec(location ?? "") ?? [];
  const requested = normalizeHostName(pass.request.host);
  const written = by === undefined ? "" : argumentValuesOf(by).join(" ").toLowerCase();
  if (requested === name.toLowerCase()) return explainPort(pass, name, port, written);
  return requested === undefined ? [] : explainName(pass, name, requested, written);
}

/** @param written the arguments of the line that redirects, in lower case */
function explainName(
  { server, state, walk }: Pass,
  name: string,
  requested: string,
  written: string,
): readonly Cause[] {
  const layers = state?.layers ?? walk.serverLayers;
  const { canonical, name: own } = nameSettingsOf(server, layers);
  const line = findSetting(layers, "usecanonicalname");
  const isOwn = canonical === "on" && own?.toLowerCase() === name.toLowerCase();
  if (line === undefined || !isOwn || written.includes(name.toLowerCase())) return [];
  const text = `httpd redirects to its own name \`${name}\` in place of \`${requested}\`, because ${quoteLine(line)} applies`;
  const where = server.section ? " in this virtual host" : "";
  return [{ text, line, help: [`use \`UseCanonicalName Off\`, or \`ServerName ${requested}\`${where}`] }];
}

/** @param written the arguments of the line that redirects, in lower case */
function explainPort(
  { server, request, state, walk }: Pass,
  name: string,
  port: string | undefined,
  written: string,
): readonly Cause[] {
  if (port === undefined || /:\d*$/.test(request.host ?? "") || /:\d|%\{server_port\}/.test(written)) return [];
  const settings = nameSettingsOf(server, state?.layers ?? walk.serverLayers);
  if (settings.canonical !== "off" || settings.isPhysical || String(settings.port) !== port) return [];
  const named = server.layer.setting("servername");
  const line = named ?? server.section;
  if (line === undefined) return [];
  const own = `ServerName ${(firstArgumentOf(named) ?? name).replace(/:\d+$/, "")}`;
  const text = named
    ? `httpd adds port ${port} to the URL, because ${quoteLine(named)} has it and the \`Host\` header names none`
    : `httpd adds port ${port} of this virtual host to the URL, because it has no \`ServerName\` and the \`Host\` header names no port`;
  return [{ text, line, help: [named ? `use ${quoteText(own)}` : `add ${quoteText(own)} to it`] }];
}
