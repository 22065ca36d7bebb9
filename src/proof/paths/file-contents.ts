import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { argumentValuesOf, keywordArgumentOf } from "../../server/model/config-layer.js";
import { documentOf } from "../../server/phases/error-documents.js";
import { isProgramHandler } from "../../server/phases/handler.js";
import {
  canonicalHandler,
  handlerOfType,
  isHandlerOfHttpd,
  mayHaveHandler,
  phpSettings,
} from "../../server/phases/handler-lookup.js";
import { memoize } from "../../text/memoize.js";

/** A handler whose answers proofs do not analyze. */
interface OpenHandler {
  readonly module: string;
  readonly reason: "file-content" | "effect-on-answer";
}

const byContent = (module: string): OpenHandler => ({ module, reason: "file-content" });
const byMethod = (module: string): OpenHandler => ({ module, reason: "effect-on-answer" });

/**
 * The handlers, and the types that stand for one, by which the content of a file decides the answer: type maps and image
 * maps name other URLs, and a file that is sent as it is may have a status. Others refuse most methods, or all requests
 * without a login.
 */
const openHandlers: ReadonlyMap<string, OpenHandler> = new Map([
  ["type-map", byContent("negotiation_module")],
  ["application/x-type-map", byContent("negotiation_module")],
  ["imap-file", byContent("imagemap_module")],
  ["application/x-httpd-imap", byContent("imagemap_module")],
  ["send-as-is", byContent("asis_module")],
  ["httpd/send-as-is", byContent("asis_module")],
  ["form-login-handler", byMethod("auth_form_module")],
  ["form-logout-handler", byMethod("auth_form_module")],
  ["form-redirect-handler", byMethod("auth_form_module")],
  ["dav-handler", byMethod("dav_module")],
  ["heartbeat", byMethod("heartmonitor_module")],
  ["reflector", byMethod("reflector_module")],
]);

/** Returns why a handler is not analyzed that a line gives files, configures, or takes away; undefined if there is none. */
export function findOpenHandler(line: Directive, project: Project): OpenHandler["reason"] | undefined {
  const { key } = line;
  const named = handlerNamedIn(line, project);
  if (named) return named.reason;
  const [first, ...others] = linesOfHandlers(project);
  if (first === undefined) return undefined;
  if (/^(?:imap|removehandler$|removetype$|sethandler$|forcetype$)/.test(key)) return first.handler.reason;
  if (key !== "addhandler" && key !== "addtype") return undefined;
  const extensions = extensionsIn(line);
  const isForSame = ({ line: other }: HandlerLine) => extensionsIn(other).some((each) => extensions.includes(each));
  return [first, ...others].find(isForSame)?.handler.reason;
}

function handlerNamedIn(line: Directive, project: Project): Pick<OpenHandler, "reason"> | undefined {
  if (!/^(?:(?:add|set)handler|addtype|forcetype)$/.test(line.key)) return undefined;
  const { modules, modulesAreKnown } = project;
  const handler = openHandlers.get(keywordArgumentOf(line) ?? "");
  if (handler) return modules.has(handler.module) || !modulesAreKnown ? handler : undefined;
  return givesOpenExtension(line, project) ? { reason: "effect-on-answer" } : undefined;
}

/** Returns the handler that a line names, also by a type that stands for one. */
function handlerOfLine(line: Directive): string | undefined {
  const name = keywordArgumentOf(line) ?? "";
  if (/^(?:add|set)handler$/.test(line.key)) return canonicalHandler(name);
  return /^(?:addtype|forcetype)$/.test(line.key) ? handlerOfType(name) : undefined;
}

/**
 * Reports whether a line gives an extension a handler that may answer methods that files refuse, such as that of PHP, and that no
 * path class distinguishes (`usesExtensions`).
 */
function givesOpenExtension(line: Directive, project: Project): boolean {
  const handler = line.key.startsWith("add") ? handlerOfLine(line) : undefined;
  return handler !== undefined && !distinguishesExtension(handler) && mayHaveHandler(handler, project);
}

/** Reports whether path classes distinguish the extensions that have a handler: the server decides who may run its programs. */
export function distinguishesExtension(handler: string): boolean {
  return isProgramHandler(handler) || handler.startsWith("proxy:");
}

/**
 * Returns a line that names a program of another module, such as that of mod_fcgid, which may need Options ExecCGI: whether it
 * does is not analyzed. PHP does not.
 */
export const findOtherProgram = memoize((project: Project): Directive | undefined =>
  [...iterateDirectives(project)].find((line) => {
    const handler = handlerOfLine(line);
    return handler !== undefined && !isKnownProgram(handler) && mayHaveHandler(handler, project);
  }),
);

function isKnownProgram(handler: string): boolean {
  if (handler === "isapi-handler") return false;
  return distinguishesExtension(handler) || isHandlerOfHttpd(handler) || /php|^(?:none|default-handler)$/.test(handler);
}

/** Reports whether a line gives files a handler that reads their content. */
export function hasContentHandler(project: Project): boolean {
  return linesOfHandlers(project).some(({ handler }) => handler.reason === "file-content");
}

/**
 * Reports whether a handler may pass a request on to another URL of the server: one that reads the content of a file, or a program
 * whose answer has the header `Location` with a path (modules/generators/mod_cgi.c `cgi_handler`, modules/proxy/mod_proxy_scgi.c
 * `scgi_handler`, mod_fcgid and mod_wsgi; mod_proxy_fcgi sends it to the client).
 */
export const mayPassOnRequests = memoize(
  (project: Project): boolean =>
    hasContentHandler(project) || [...iterateDirectives(project)].some((line) => mayRunProgram(line, project)),
);

function mayRunProgram(line: Directive, project: Project): boolean {
  if (/^(?:wsgi)?scriptalias/.test(line.key) || maySendToScgi(line, project)) return true;
  return handlersNamedBy(line).some(
    (handler) => mayHaveHandler(handler, project) && (isProgramHandler(handler) || !isKnownProgram(handler)),
  );
}

/** Returns the handlers that a line names, also by a type, or with a flag of a rewrite rule. */
function handlersNamedBy(line: Directive): readonly string[] {
  if (line.key !== "rewriterule") return [handlerOfLine(line) ?? []].flat();
  const flags = (argumentValuesOf(line)[2] ?? "").replace(/^\[|\]$/g, "").split(",");
  return flags.flatMap((flag) => {
    const [, name = "", value = ""] = /^\s*(H|handler|T|type)=(.*)$/is.exec(flag) ?? [];
    const named = value.trim().toLowerCase();
    return named === "" ? [] : /^h/i.test(name) ? [named] : [handlerOfType(named) ?? []].flat();
  });
}

/** Reports whether a line passes requests to a backend of mod_proxy_scgi, also with a scheme that a variable has. */
function maySendToScgi({ key, argumentText }: Directive, { modules, modulesAreKnown }: Project): boolean {
  if (modulesAreKnown && !modules.has("proxy_scgi_module")) return false;
  if (/\bscgi:/i.test(argumentText)) return true;
  return /^(?:sethandler|rewriterule|proxypass)/.test(key) && /(?:proxy:|\s)"?[%$][^\s"]*:\/\//.test(argumentText);
}

/**
 * Reports whether a line decides which requests scripts or backends answer: `php_flag engine` and settings of PHP like it,
 * FcgidWrapper for files that do not exist, and a backend that is switched off.
 */
export function changesResponders(line: Directive): boolean {
  const [first, ...others] = argumentValuesOf(line);
  if (line.key === "fcgidwrapper") return others.at(-1)?.toLowerCase() === "virtual";
  if (line.key.startsWith("proxypass")) return /\b(?:status|nofailover)=/i.test(line.argumentText);
  return phpSettings.has(line.key) && /^(?:engine|xbithack|auto_(?:prepend|append)_file)$/i.test(first ?? "");
}

interface HandlerLine {
  readonly line: Directive;
  readonly handler: Pick<OpenHandler, "reason">;
}

const linesOfHandlers = memoize((project: Project): readonly HandlerLine[] =>
  [...iterateDirectives(project)].flatMap((line) => {
    const handler = handlerNamedIn(line, project);
    return handler ? [{ line, handler }] : [];
  }),
);

function extensionsIn(line: Directive): readonly string[] {
  return argumentValuesOf(line)
    .slice(1)
    .map((word) => word.toLowerCase().replace(/^\./, ""));
}

/**
 * Reports whether an ErrorDocument may replace the status of the error: a URL is a redirect, and a path may lead to a
 * program, a backend or a rule. A page or a text leaves it.
 */
export function mayReplaceStatus(line: Directive, project: Project): boolean {
  if (line.key !== "errordocument") return false;
  const document = documentOf(line);
  return document?.kind === "url" || (document?.kind === "path" && mayAnswerOtherwise(project));
}

const mayAnswerOtherwise = memoize((project: Project) =>
  [...iterateDirectives(project)].some(
    ({ key }) =>
      /^(?:proxypass|rewriterule$|action$|script|wsgiscript|fallbackresource$|luamaphandler$|jkmount|passenger)/.test(
        key,
      ) || /^(?:add|set)handler$/.test(key),
  ),
);
