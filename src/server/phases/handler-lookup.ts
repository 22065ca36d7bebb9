import { parseStringExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { findBackendModules } from "../../facts/backend-modules.js";
import { behaves } from "../../facts/behaviours.js";
import { isSince } from "../../facts/release.js";
import type { AccessState } from "../access/access-state.js";
import { evaluateString } from "../expression/evaluate.js";
import type { UrlMapping } from "../mapping/url-mapping.js";
import { argumentValuesOf, type ConfigLayer, firstArgumentOf, keywordArgumentOf } from "../model/config-layer.js";
import { isMethod, type Request } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import { hasTypeInFile, isInTypesFile } from "./types-file.js";

/** Handlers that answer GET and HEAD even if no file exists. For most other methods, the default handler responds. */
export const virtualPageHandlers: ReadonlySet<string> = new Set([
  ...["server-status", "server-info", "balancer-manager", "ldap-status"],
]);

/**
 * Reports whether a handler of virtual pages answers a method. The balancer manager of 2.4 takes its forms by POST
 * (mod_proxy_balancer.c `balancer_handler`).
 */
export function isPageMethod(handler: string, request: Request, { release }: Project): boolean {
  const takesPost = handler === "balancer-manager" && isSince(release, "2.4");
  return isMethod(request, "GET", "HEAD", ...(takesPost ? ["POST"] : []));
}

/** The handlers of httpd's own modules. */
const handlerModules: Readonly<Record<string, readonly string[]>> = {
  "server-status": ["status_module"],
  "server-info": ["info_module"],
  "balancer-manager": ["proxy_balancer_module"],
  "ldap-status": ["ldap_module"],
  "type-map": ["negotiation_module"],
  "imap-file": ["imagemap_module"],
  "send-as-is": ["asis_module"],
  "lua-script": ["lua_module"],
  "isapi-handler": ["isapi_module"],
  "form-login-handler": ["auth_form_module"],
  "form-logout-handler": ["auth_form_module"],
  "form-redirect-handler": ["auth_form_module"],
  "dav-handler": ["dav_module"],
  heartbeat: ["heartmonitor_module"],
  "http2-status": ["http2_module"],
  "md-status": ["md_module"],
  reflector: ["reflector_module"],
};

/** Returns the modules of httpd with a handler; none for the handlers of other modules. */
export function modulesOfHandler(handler: string): readonly string[] {
  return (Object.hasOwn(handlerModules, handler) ? handlerModules[handler] : undefined) ?? [];
}

/** Reports whether a module of httpd provides a handler, or mod_proxy passes its requests on. */
export function isHandlerOfHttpd(handler: string): boolean {
  const isProgram = handler === "cgi-script";
  return isProgram || handler.startsWith("proxy:") || Object.hasOwn(handlerModules, handler);
}

/** Handlers that answer other methods with 405 (mod_auth_form.c `authenticate_form_login_handler` and others). */
const acceptedMethods: Readonly<Record<string, readonly string[]>> = {
  // Where Dav is off, it has no files (mod_dav.c `dav_get_resource`).
  "dav-handler": [],
  "form-login-handler": ["POST"],
  heartbeat: ["POST"],
  reflector: ["OPTIONS", "POST"],
};

/** Reports whether a handler of a loaded module refuses a method. */
export function refusesMethod(handler: string, request: Request, { modules }: Project): boolean {
  const accepted = Object.hasOwn(acceptedMethods, handler) ? acceptedMethods[handler] : undefined;
  const isLoaded = handlerModules[handler]?.some((each) => modules.has(each)) === true;
  return accepted !== undefined && isLoaded && !isMethod(request, ...accepted);
}

/**
 * Returns whether a module may provide a handler. If none does, the file is served as if it had no handler
 * (server/config.c `ap_invoke_handler`), unless an Action that applies to the request names it.
 */
export function mayHaveHandler(handler: string, project: Project): boolean {
  const { modules, modulesAreKnown, release } = project;
  // Without `proxy:`, no module of mod_proxy takes a URL (mod_proxy.c `proxy_handler`).
  const [, scheme = ""] = /^(?:unix:[^|]+\|)?([a-z\d]+):\/\//.exec(handler) ?? [];
  if (findBackendModules(scheme) !== undefined) return false;
  if (!modulesAreKnown || modules.unknown.length > 0) return true;
  if (modules.listThirdParty().some((each) => mayProvide(each, handler, project))) return true;
  if (canonicalHandler(handler) === "cgi-script") return true;
  // The argument of SetHandler is evaluated.
  if (handler.includes("%{") && behaves(release, "handler-expressions") === true) return true;
  const backend = backendUrlOf(handler);
  // Without the module of the scheme, mod_proxy declines (mod_proxy.c `proxy_fixup`).
  if (backend !== undefined) {
    const [, scheme = ""] = /^([^:]*):/.exec(backend) ?? [];
    // A socket needs the URL after it: no module takes `unix:` as a scheme.
    return (
      modules.has("proxy_module") &&
      scheme !== "unix" &&
      findBackendModules(scheme)?.some((each) => modules.has(each)) === true
    );
  }
  return modulesOfHandler(handler).some((each) => modules.has(each));
}

/**
 * The handlers of modules that are not part of httpd, by the identifier of the module: those of PHP
 * (sapi/apache2handler/mod_php.c), mod_wsgi (`wsgi_hook_handler`), mod_fcgid, mod_fastcgi and mod_perl, and modules that have
 * none.
 */
const thirdPartyHandlers: readonly (readonly [module: RegExp, handlers: RegExp])[] = [
  [/^php5_module$/, /^(?:application\/x-httpd-php(?:-source)?|php5-script)$/],
  [/^php7_module$/, /^(?:application\/x-httpd-php(?:-source)?|php7-script)$/],
  [/^php_module$/, /^(?:application\/x-httpd-php(?:-source)?|php-script)$/],
  [/^wsgi_module$/, /^(?:wsgi-|application\/x-httpd-wsgi)/],
  [/^fcgid_module$/, /^fcgid-script$/],
  [/^fastcgi_module$/, /^(?:fastcgi-script|application\/x-httpd-fcgi)$/],
  [/^perl_module$/, /^(?:perl-script|modperl)/],
  [/^(?:security2|evasive\d*|dosevasive\d*|xsendfile|rpaf|cloudflare|maxminddb|geoip|mpm_itk|ruid2|qos)_module$/, /^$/],
  [/^auth(?:n|nz|z)?_\w+_module$/, /^$/],
];

/** Reports whether a module that is not part of httpd may provide a handler. WSGIHandlerScript names further ones. */
function mayProvide(module: string, handler: string, project: Project): boolean {
  const [, handlers] = thirdPartyHandlers.find(([pattern]) => pattern.test(module)) ?? [];
  const namesOthers = module === "wsgi_module" && indexDirectives(project).named("wsgihandlerscript").length > 0;
  return handlers === undefined || namesOthers || handlers.test(handler);
}

/** Returns the URL of the backend that SetHandler names, without a socket; undefined for another handler. */
export function backendUrlOf(handler: string): string | undefined {
  return handler.startsWith("proxy:") ? handler.slice("proxy:".length).replace(/^unix:[^|]*\|/, "") : undefined;
}

/**
 * Returns whether a handler of a loaded module answers with one page, whatever the path: mod_status.c `status_handler`,
 * mod_info.c `display_info`, mod_proxy_balancer.c `balancer_handler` and util_ldap.c `util_ldap_handler` do not read the
 * name of the file. For the methods that they decline, the default handler returns the file.
 */
export function answersWithOnePage(handler: string, { modules }: Project): boolean {
  return virtualPageHandlers.has(handler) && handlerModules[handler]?.some((each) => modules.has(each)) === true;
}

/** Returns the handler, in lower case, that a rewrite rule, SetHandler, AddHandler, ScriptAlias or the file's type names. */
export function handlerOf(state: AccessState, mapping: UrlMapping, walked: DirectoryWalk): string | undefined {
  // Rules of sections set it after SetHandler and AddHandler; those of the server, too (mod_rewrite.c `hook_mimetype`).
  if (state.forcedHandler !== undefined) return canonicalHandler(state.forcedHandler);
  const handler = handlerOfLines(state, mapping, walked);
  const isOpen = handler === undefined || handler === "none";
  return (isOpen && walked.kind !== "directory" ? handlerByType(state, walked) : undefined) ?? handler;
}

/** Returns the handler of a request before rewrite rules set theirs, and before the type is looked up. */
export function handlerOfLines(state: AccessState, mapping: UrlMapping, walked: DirectoryWalk): string | undefined {
  const set = canonicalHandler(setHandlerOf(state));
  if (set !== undefined && set !== "none") return set;
  const added = walked.kind === "directory" ? undefined : canonicalHandler(addedHandlerOf(state, walked.filename));
  if (added !== undefined) state.request.tracker?.recordFileExistence();
  if (added !== undefined && (walked.kind === "file" || isForMissing(added))) return added;
  // It replaces that of ScriptAlias in any case.
  const program = added === undefined ? aliasHandlerOf(mapping) : undefined;
  return program ?? set;
}

/** Returns one name for the two by which programs are known (mod_cgi.c `cgi_handler`). */
export function canonicalHandler<Name extends string | undefined>(name: Name): Name | "cgi-script" {
  return name === CGI_TYPE ? "cgi-script" : name;
}

/** Reports whether a handler decides about a missing file. That of others is theirs. mod_proxy does not look for the file. */
function isForMissing(handler: string): boolean {
  const isScript = isPhpHandler(handler) || handler === "fcgid-script" || handler === "cgi-script";
  return isScript || virtualPageHandlers.has(handler) || backendUrlOf(handler) !== undefined;
}

/** Settings of mod_php, which it reads with each request. */
export const phpSettings: ReadonlySet<string> = new Set(["php_flag", "php_admin_flag", "php_value", "php_admin_value"]);

/** Reports whether mod_php takes a handler (sapi/apache2handler/sapi_apache2.c `php_handler`). */
export function isPhpHandler(handler: string): boolean {
  return /^(?:application\/x-httpd-php(?:-source)?|php[57]?-script)$/.test(handler);
}

const handlerLines: ReadonlySet<string> = new Set(["addhandler", "sethandler"]);

/** Returns the last line that applies to a request and names a handler. @param handler in lower case */
export function findHandlerLine({ layers }: Pick<AccessState, "layers">, handler: string): Directive | undefined {
  for (const layer of layers.toReversed()) {
    const line = layer.pick(handlerLines).findLast((each) => keywordArgumentOf(each) === handler);
    if (line) return line;
  }
  return undefined;
}

/**
 * Returns the argument of SetHandler, which 2.4.19 evaluates for each request (server/core.c `core_override_type`). Proofs do
 * not analyze its value.
 */
function setHandlerOf(state: AccessState): string | undefined {
  const { config, oracle, project, request } = state;
  const line = config.setting("sethandler");
  const written = firstArgumentOf(line);
  const isExpression = written?.includes("%{") && behaves(project.release, "handler-expressions") === true;
  if (written === undefined || !isExpression || request.tracker) return keywordArgumentOf(line);
  const parsed = parseStringExpression(written);
  const value = parsed.ok ? evaluateString(parsed.value.expression, { ...state, user: request.user }) : written;
  if (value === undefined) oracle.markUndecidable(unknownFact("value-of-request", `SetHandler ${written}`));
  return value?.toLowerCase();
}

/**
 * Returns the handler that a file's type names: without a handler, the type is looked up instead (server/config.c
 * `ap_invoke_handler`).
 */
function handlerByType(state: AccessState, { filename, kind }: DirectoryWalk): string | undefined {
  const named = typeByLine(state, filename);
  const type = named ?? (hasDefaultHandler(state) ? defaultTypeOf(state, filename) : undefined);
  const handler = type === undefined ? undefined : handlerOfType(type);
  if (type === undefined || handler === undefined) return undefined;
  if (named !== undefined && !hasMediaType(state, filename, type)) return undefined;
  if (isForMissing(handler)) return handler;
  state.request.tracker?.recordFileExistence();
  return kind === "file" ? handler : undefined;
}

/**
 * Returns the handler that a type names, if it is in no types file: one of a module of httpd, or one with the prefix of such types.
 *
 * @param type in lower case
 */
export function handlerOfType(type: string): string | undefined {
  if (type === CGI_TYPE) return "cgi-script";
  const isNamed = type === "cgi-script" || Object.hasOwn(handlerModules, type) || type.startsWith(HANDLER_TYPE_PREFIX);
  return isNamed ? type : undefined;
}

/** Returns whether the DefaultType names a handler. */
function hasDefaultHandler({ config }: AccessState): boolean {
  return handlerOfType(keywordArgumentOf(config.setting("defaulttype")) ?? "") !== undefined;
}

/**
 * Returns the DefaultType of 2.2 for a file without another type, which names a handler or an Action (server/config.c
 * `ap_invoke_handler`). Proofs do not analyze which files have no type: it is a question.
 */
export function defaultTypeOf(
  { config, project, request, ...rest }: AccessState,
  filename: string,
): string | undefined {
  const type = !isSince(project.release, "2.4") ? keywordArgumentOf(config.setting("defaulttype")) : undefined;
  if (type === undefined) return undefined;
  if (request.tracker) return rest.oracle.ask(unknownFact("file-type", filename, type)) ? type : undefined;
  const state = { config, project, request, ...rest };
  return extensionsFor(state, filename).some((each) => isInTypesFile(state, each)) ? undefined : type;
}

/** Returns the type that a rewrite rule, ForceType, or AddType for one of the extensions gives a file. */
export function typeByLine(state: AccessState, filename: string): string | undefined {
  if (state.forcedType !== undefined) return state.forcedType;
  const forced = keywordArgumentOf(state.config.setting("forcetype"));
  if (forced !== undefined && forced !== "none") return forced;
  return extensionsFor(state, filename)
    .map((each) => findTypeSetting(state, each))
    .findLast((each) => each !== undefined && each !== NO_TYPE);
}

/** Returns the handler that ScriptAlias or a similar directive sets with the mapping. */
export function aliasHandlerOf(mapping: UrlMapping): ProgramHandler | undefined {
  if (mapping.kind !== "file") return undefined;
  const key = mapping.by?.key ?? "";
  if (key.startsWith("wsgiscriptalias")) return "wsgi-script";
  return /^(?:virtual)?scriptalias/.test(key) ? "cgi-script" : undefined;
}

/** The handlers that run a file as a program, and need Options ExecCGI without an alias of their own. */
export type ProgramHandler = "cgi-script" | "fcgid-script" | "wsgi-script";

/**
 * Returns the handler that AddHandler sets for a file, even a missing one. The last extension with a handler counts
 * (mod_mime.c `find_ct`).
 */
export function addedHandlerOf(state: AccessState, filename: string): string | undefined {
  if (!state.config.has("addhandler")) return undefined;
  const named = extensionsFor(state, filename).map((each) =>
    findMimeSetting(state, each, "addhandler", "removehandler"),
  );
  return named.findLast((each) => each !== undefined);
}

/** Type that makes mod_cgi run a file as a program. */
const CGI_TYPE = "application/x-httpd-cgi";

/** Prefix of types that name handlers; they are not in any types file. */
export const HANDLER_TYPE_PREFIX = "application/x-httpd-";

/** Returns whether a rewrite rule, ForceType and AddType give a file a type. The type is in lower case. */
export function hasMediaType(state: AccessState, filename: string, type: string): boolean {
  if (state.forcedType !== undefined) return state.forcedType === type;
  const forced = keywordArgumentOf(state.config.setting("forcetype"));
  if (forced !== undefined && forced !== "none") return forced === type;
  if (!state.project.modules.has("mime_module")) return false;
  const extensions = extensionsFor(state, filename);
  const types = extensions.map((each) => findTypeSetting(state, each));
  const at = types.findLastIndex((each) => each !== undefined && each !== NO_TYPE);
  const later = extensions.filter((_, index) => index > at && types[index] !== NO_TYPE);
  if (at >= 0 && types[at] === type) return !later.some((each) => isInTypesFile(state, each));
  if ((at >= 0 && later.length === 0) || type.startsWith(HANDLER_TYPE_PREFIX)) return false;
  return hasTypeInFile(state, filename, later, type);
}

const mimeNames: ReadonlySet<string> = new Set([
  ...["addcharset", "addencoding", "addhandler", "addinputfilter", "addlanguage", "addoutputfilter", "addtype"],
  ...["defaultlanguage", "modmimeusepathinfo", "multiviewsmatch", "removecharset", "removeencoding", "removehandler"],
  ...["removeinputfilter", "removelanguage", "removeoutputfilter", "removetype"],
]);

/**
 * Returns the value that directives such as AddHandler set for an extension once all sections are merged
 * (`merge_mime_dir_configs`).
 */
export function findMimeSetting(
  { groups }: AccessState,
  extension: string,
  adding: string,
  removing: string,
): string | undefined {
  let value: string | undefined;
  for (const { kind, layers } of groups) {
    const own = layers.filter((layer, index) => (kind === "server" && index === 0) || layer.pick(mimeNames).length > 0);
    const removes = (layer: ConfigLayer) => linesFor(layer, removing, extension, 0).length > 0;
    let inGroup: string | undefined;
    for (const [index, layer] of own.entries()) {
      inGroup = keywordArgumentOf(linesFor(layer, adding, extension, 1).at(-1)) ?? inGroup;
      // A removal in the first section is lost when the next one is merged.
      if (index > 0 && removes(layer)) inGroup = undefined;
    }
    const [only, ...more] = own;
    const isRemoved = kind !== "server" && only !== undefined && more.length === 0 && removes(only);
    value = isRemoved ? undefined : (inGroup ?? value);
  }
  return value;
}

/** Stands for the type of an extension that RemoveType names: no line and no types file gives it one. */
export const NO_TYPE = "";

/**
 * Returns the type that lines give an extension, in lower case. Since 2.3.3, RemoveType is an AddType without a type, so that the
 * last line counts, and the types file does not (mod_mime.c `remove_extension_type`).
 */
export function findTypeSetting(state: AccessState, extension: string): string | undefined {
  if (!isSince(state.project.release, "2.4")) return findMimeSetting(state, extension, "addtype", "removetype");
  for (const layer of state.layers.toReversed()) {
    if (!layer.has("addtype") && !layer.has("removetype")) continue;
    const line = layer.directives.findLast((each) => namesExtension(each, extension));
    if (line) return line.key === "removetype" ? NO_TYPE : keywordArgumentOf(line);
  }
  return undefined;
}

function namesExtension(line: Directive, extension: string): boolean {
  if (line.key !== "addtype" && line.key !== "removetype") return false;
  return isAmong(extension, argumentValuesOf(line).slice(line.key === "addtype" ? 1 : 0));
}

function isAmong(extension: string, words: readonly string[]): boolean {
  return words.some((word) => word.toLowerCase().replace(/^\./, "") === extension);
}

/** @param from number of arguments before the extensions */
function linesFor(layer: ConfigLayer, key: string, extension: string, from: number) {
  if (!layer.has(key)) return [];
  return layer.directives.filter((line) => line.key === key && isAmong(extension, argumentValuesOf(line).slice(from)));
}

/** Returns the extensions of a file, with ModMimeUsePathInfo those of the path after it (mod_mime.c `find_ct`). */
function extensionsFor(
  { config, target }: Pick<AccessState, "config" | "target">,
  filename: string,
): readonly string[] {
  return extensionsOf(
    keywordArgumentOf(config.setting("modmimeusepathinfo")) === "on" ? filename + target.pathInfo : filename,
  );
}

/** Returns the extensions of a file name, in lower case; leading dots are part of the name. */
export function extensionsOf(filename: string): readonly string[] {
  const name = filename.slice(filename.lastIndexOf("/") + 1).replace(/^\.+/, "");
  return name.toLowerCase().split(".").slice(1);
}
