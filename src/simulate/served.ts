import type { AccessState } from "../access/state.js";
import { type Layer, settingIn } from "../scope/layer.js";
import type { Mapping } from "../scope/mapping.js";
import type { DirectoryWalk } from "../scope/walk.js";

/** Methods that httpd has numbers for beside those that files are served by (include/httpd.h). */
const otherMethods = new Set([
  ...["PUT", "DELETE", "CONNECT", "TRACE", "PATCH", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK"],
  ...["UNLOCK", "VERSION-CONTROL", "CHECKOUT", "UNCHECKOUT", "CHECKIN", "UPDATE", "LABEL", "REPORT", "MKWORKSPACE"],
  ...["MKACTIVITY", "BASELINE-CONTROL", "MERGE"],
]);

/** Handlers that answer GET alone; other methods fall to the handler of files. */
const pages = new Set(["server-status", "server-info", "balancer-manager", "ldap-status"]);

/**
 * What a request gets that access control lets pass, as far as files tell (server/core.c `default_handler`). A program, a
 * backend or a script may answer anything: they count as 200.
 */
export function servedStatus(state: AccessState, mapping: Mapping, walked: DirectoryWalk | undefined): number {
  const { method } = state.request;
  if (walked === undefined || mapping.kind !== "file" || isProgram(state, mapping, walked)) return 200;
  if (method === "OPTIONS") return 200;
  if (method !== "GET" && method !== "HEAD" && method !== "POST") return otherMethods.has(method) ? 405 : 501;
  const hasMore = walked.kind === "file" && walked.filename !== mapping.filename && !takesMore(state);
  return walked.kind === "missing" || hasMore ? 404 : 200;
}

/** Whether a file takes a path behind its name, which by default only programs do. */
function takesMore({ layers }: AccessState): boolean {
  return settingIn(layers, "acceptpathinfo")?.arguments[0]?.value.toLowerCase() === "on";
}

/** Whether something else than the file answers: a handler by SetHandler or AddHandler, or a CGI program. */
export function isProgram(
  { layers, request }: AccessState,
  mapping: Mapping,
  { filename, kind }: DirectoryWalk,
): boolean {
  if (mapping.kind === "file" && mapping.by?.key.startsWith("scriptalias")) return true;
  if (kind === "file" && layers.some((layer) => handlesExtension(layer, filename))) return true;
  const handler = settingIn(layers, "sethandler")?.arguments[0]?.value.toLowerCase();
  if (handler === undefined || handler === "none" || handler === "default-handler") return false;
  return !pages.has(handler) || request.method === "GET" || request.method === "HEAD";
}

/** An extension anywhere in a name counts (mod_mime). */
function handlesExtension(layer: Layer, filename: string): boolean {
  if (!layer.has("addhandler")) return false;
  const extensions = filename
    .slice(filename.lastIndexOf("/") + 1)
    .toLowerCase()
    .split(".")
    .slice(1);
  return layer.directives.some(
    ({ key, arguments: [, ...words] }) =>
      key === "addhandler" && words.some(({ value }) => extensions.includes(value.toLowerCase().replace(/^\./, ""))),
  );
}
