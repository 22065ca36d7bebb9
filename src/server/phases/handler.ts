import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";
import { quoteText } from "../../text/words.js";
import type { AccessState } from "../access/access-state.js";
import type { ProxyMapping } from "../mapping/proxies.js";
import type { UrlMapping } from "../mapping/url-mapping.js";
import { argumentValuesOf, type ConfigLayer, findSetting, keywordArgumentOf } from "../model/config-layer.js";
import type { MethodTest } from "../model/dependency-tracker.js";
import { fileOf, type Pass } from "../model/pass.js";
import { isMethod, type Request } from "../model/request.js";
import type { PassResult } from "../model/request-outcome.js";
import { unknownFact } from "../model/unknown-facts.js";
import { collectRegisteredMethods } from "../request/method-registry.js";
import { mergeOptions } from "../sections/options.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import {
  type BackendFault,
  checkBackendModule,
  findExtendedHost,
  lookupFault,
  usesRemoteProxy,
} from "./backend-modules.js";
import { checkBackendTls } from "./backend-tls.js";
import { isRefererUnknown, refererMessagesOf } from "./balancer-manager.js";
import { answerByDav } from "./dav.js";
import {
  addedHandlerOf,
  aliasHandlerOf,
  backendUrlOf,
  findHandlerLine,
  handlerOf,
  isPageMethod,
  isPhpHandler,
  mayHaveHandler,
  type ProgramHandler,
  phpSettings,
  refusesMethod,
  virtualPageHandlers,
} from "./handler-lookup.js";
import { findInterpreterFault } from "./interpreter.js";
import { checkBlockedHost } from "./proxy-block.js";
import { messageCodesOf } from "./translate-name.js";

/**
 * Returns the response once access is granted.
 *
 * @param request the request with the method to answer, even by an index file
 * @param served the pass over the path to serve
 */
export function invokeHandler(request: Request, checked: PassResult, served: Pass): PassResult {
  const { mapping, walked } = served;
  if (served.state === undefined) return checked;
  if (isServedByBackend(served)) return invokeBackend(request, checked, served);
  const state = served.state.request === request ? served.state : { ...served.state, request };
  const dav = answerByDav(served);
  if (dav) {
    const logged = addMessages(checked, dav.errorMessages);
    const pass = { ...logged.pass, ...(dav.isLogUnknown ? { hasUnknownLog: true } : {}) };
    return { ...logged, status: dav.status, pass, served };
  }
  if (mayBeNegotiated(served) && isMethod(request, ...readMethods) && isNegotiated(served))
    return { ...checked, served };
  // For an index file, the setting of the directory stays (modules/http/http_request.c `ap_internal_fast_redirect`).
  const pathInfo = pathInfoSetting(checked.pass.state ?? state);
  const fault = findProgramFault(state, mapping, walked, pathInfo);
  if (fault) {
    const { status, by = checked.by } = fault;
    const logged =
      fault.handler === "cgi-script"
        ? addMessages(checked, messagesOfFault(fault, served))
        : { ...checked, reason: { code: cgidCodes[isExecutionFault(fault.fault) ? "execution" : fault.fault] } };
    // A message about the missing headers follows, which has no number.
    const pass = isExecutionFault(fault.fault) ? { ...logged.pass, hasUnknownLog: true } : logged.pass;
    const reason = fault.fault === "noCommand" ? { code: undefined, isOfProgram: true } : logged.reason;
    return { ...logged, pass, status, by, served, reason };
  }
  const answeredBy = walked && isProgram(state, mapping, walked) ? "program" : undefined;
  const failed = answeredBy && walked ? findHandlerFault({ ...served, state }, walked) : undefined;
  if (failed) return { ...refuseBackend(checked, failed.fault, failed.by), served };
  const status = servedStatus(state, mapping, walked, pathInfo);
  const handler = answeredBy && walked && handlerOf(state, mapping, walked);
  if (handler !== undefined && refusesMethod(handler, request, state.project))
    return { ...checked, status: 405, served };
  if (handler === "balancer-manager") {
    const logged = isRefererUnknown(state) ? { ...checked, pass: { ...checked.pass, hasUnknownLog: true } } : checked;
    return { ...addMessages(logged, refererMessagesOf(state)), answeredBy, served };
  }
  // The name of a redirect is not that of a file that can be opened.
  if (served.isRedirectReplaced) {
    request.tracker?.recordFileExistence();
    // Also recorded if another method is not allowed.
    const isRead = isMethod(request, ...readMethods);
    if (isRead && status === 200 && answeredBy === undefined) return { ...checked, status: 403, served };
  }
  // If no error occurs, a status set by rewrite rules stays.
  return { ...checked, status: status === 200 ? checked.status : status, answeredBy, served };
}

const readMethods = ["GET", "HEAD", "POST"];

/**
 * Whether the handler of files answers a method (server/core.c `default_handler`). The simulator does not record it as a
 * test: it matters only where another handler answers on another server.
 */
export const fileMethodTest: MethodTest = {
  key: "handler of files",
  resultFor: (method) => String(method === "OPTIONS" || readMethods.includes(method)),
};

/**
 * Returns whether mod_negotiation may find files for a missing name by Options MultiViews (`handle_multi`), for a
 * symbolic request: the neighbouring files are unknown. Access to each is that of a request for its own path.
 */
export function isNegotiated(pass: Pass): boolean {
  const { state, walked } = pass;
  if (!state?.request.tracker || !walked || !mayBeNegotiated(pass)) return false;
  return state.oracle.ask(unknownFact("multiviews-file", walked.filename));
}

function mayBeNegotiated(pass: Pass): boolean {
  const { state, walked } = pass;
  if (!state || isServedByBackend(pass) || !state.project.modules.has("negotiation_module")) return false;
  if (!mergeOptions(state.layers, state.project).has("multiviews")) return false;
  state.request.tracker?.recordFileExistence();
  return walked?.kind === "missing";
}

function invokeBackend(request: Request, checked: PassResult, served: Pass): PassResult {
  const { project } = served.state ?? {};
  const backend = backendOf(served);
  const fault =
    project &&
    backend &&
    (checkBackendModule(backend, served.path, request, project) ??
      lookUpHost(backend, served) ??
      checkConnection(backend, served));
  const off = isMethod(request, "TRACE") ? findTraceOff(served.walk.serverLayers) : undefined;
  if (off && fault?.status !== 400)
    return {
      ...addMessages(checked, ["AH01139: TRACE forbidden by server configuration"]),
      status: 405,
      by: [off],
      served,
    };
  if (backend && fault) return { ...refuseBackend(checked, fault, backend.by), served };
  return { ...checked, status: 200, answeredBy: "backend", served };
}

/** Returns the error that comes before a request is sent to the host of a backend. */
function checkConnection(backend: ProxyMapping, served: Pass): BackendFault | undefined {
  return checkBlockedHost(backend, served) ?? checkBackendTls(backend, served);
}

/** Returns the backend that the handler of a file names by SetHandler. */
export function handlerBackendOf({ state, mapping, walked }: Pass): ProxyMapping | undefined {
  const by = state?.config.setting("sethandler");
  const url = state && walked && backendUrlOf(handlerOf(state, mapping, walked) ?? "");
  if (by === undefined || url === undefined || url.includes("%{")) return undefined;
  return { kind: "proxy", target: `proxy:${url}`, isRaw: false, by };
}

/** Returns the error if a path extends the host of a backend, and no server has that name. */
function lookUpHost(backend: ProxyMapping, { state, path }: Pass): BackendFault | undefined {
  const host = state && !state.request.tracker ? findExtendedHost(backend) : undefined;
  if (state === undefined || host === undefined) return undefined;
  const [scheme = ""] = backend.target.slice("proxy:".length).split(":");
  if (usesRemoteProxy(state.project)) return undefined;
  // No host has a colon in its name: a path directly after a port (mod_proxy's `ap_proxy_determine_connection`).
  const mayExist = scheme !== "balancer" && !host.includes(":");
  const isFound = mayExist && state.oracle.ask(unknownFact("backend-host", quoteText(host)));
  return isFound ? undefined : lookupFault(scheme.toLowerCase(), host, path);
}

/** Returns the response for a request that is not passed on. @param by the line that names the backend */
export function refuseBackend(checked: PassResult, fault: BackendFault, by: Directive): PassResult {
  const { status, errorMessages = [], isLogUnknown } = fault;
  const logged = addMessages(checked, errorMessages);
  return { ...logged, status, by: [fault.by ?? by], ...(isLogUnknown ? { hasUnknownLog: true } : {}) };
}

/** Adds messages of a handler to a pass. Those of 2.2 have no numbers. */
export function addMessages(checked: PassResult, messages: readonly string[]): PassResult {
  const { pass, log } = checked;
  if (messages.length === 0) return checked;
  if (pass.state && !isSince(pass.state.project.release, "2.4"))
    return { ...checked, reason: { code: messageCodesOf(messages).at(-1) } };
  const errorMessages = [...(pass.errorMessages ?? []), ...messages];
  return { ...checked, log: [...log, ...messageCodesOf(messages)], pass: { ...pass, errorMessages } };
}

/** Returns the line that disables TRACE, if any. @param layers per-directory configurations of the server */
export function findTraceOff(layers: readonly ConfigLayer[]): Directive | undefined {
  const line = findSetting(layers, "traceenable");
  return keywordArgumentOf(line) === "off" ? line : undefined;
}

/** Returns whether a backend handles the request. */
export function isServedByBackend(pass: Pass): boolean {
  return backendOf(pass) !== undefined;
}

/**
 * Returns the backend that handles the request: by the URL, or by the rules of a section, which may also divert it from
 * one.
 */
export function backendOf({ mapping, rewriting }: Pick<Pass, "mapping" | "rewriting">): ProxyMapping | undefined {
  const to = rewriting.sections?.to;
  if (to?.kind === "mapped") return to.mapping.kind === "proxy" ? to.mapping : undefined;
  return mapping.kind === "proxy" && to?.kind !== "redirected" ? mapping : undefined;
}

/**
 * Returns the status of an allowed request as far as files determine it (server/core.c `default_handler`). A program, a
 * backend or a script may return anything: they count as 200.
 */
function servedStatus(
  state: AccessState,
  mapping: UrlMapping,
  walked: DirectoryWalk | undefined,
  pathInfo: string | undefined,
): number {
  const { method } = state.request;
  if (walked === undefined || mapping.kind !== "file") return 200;
  if (isProgram(state, mapping, walked)) return 200;
  if (method === "OPTIONS") return 200;
  if (!readMethods.includes(method)) return collectRegisteredMethods(state.project).has(method) ? 405 : 501;
  // By default only programs accept it.
  const hasMore = hasPathInfo(mapping, walked) && pathInfo !== "on";
  return walked.kind !== "file" || hasMore ? 404 : 200;
}

function pathInfoSetting(state: AccessState): string | undefined {
  return keywordArgumentOf(state.config.setting("acceptpathinfo"));
}

/** Returns whether the path continues after the name of a file. */
function hasPathInfo(mapping: UrlMapping, walked: DirectoryWalk): boolean {
  return mapping.kind === "file" && walked.kind === "file" && walked.filename !== mapping.filename;
}

/** Returns whether a handler responds instead of the file: by SetHandler, by AddHandler, or as a CGI program. */
function isProgram(state: AccessState, mapping: UrlMapping, walked: DirectoryWalk): boolean {
  const handler = handlerOf(state, mapping, walked);
  if (handler === undefined || handler === "none" || handler === "default-handler") return false;
  if (isProgramHandler(handler) && !runsScripts(state.project, handler)) return false;
  if (isPhpOff(state, handler)) return false;
  if (!mayHaveHandler(handler, state.project)) return false;
  return !virtualPageHandlers.has(handler) || isPageMethod(handler, state.request, state.project);
}

/** Returns the error of the backend that SetHandler names. */
function findHandlerFault(
  served: Pass,
  walked: DirectoryWalk,
): { readonly fault: BackendFault; readonly by: Directive } | undefined {
  const { state } = served;
  const backend = handlerBackendOf({ ...served, walked });
  if (state === undefined || backend === undefined) return undefined;
  const { by } = backend;
  const fault =
    checkBackendModule(backend, state.path, state.request, state.project) ?? checkConnection(backend, served);
  return fault && { fault, by };
}

/** Returns whether a handler is set, which disables mod_autoindex. */
export function hasHandler(pass: Pass): boolean {
  const { state, mapping, walked } = pass;
  if (state === undefined || walked === undefined || isServedByBackend(pass)) return true;
  const handler = handlerOf(state, mapping, walked);
  return handler !== undefined && handler !== "none";
}

/** Returns whether a handler is set, including handlers of AddHandler for a missing file. */
export function hasAnyHandler(pass: Pass): boolean {
  const { state, walked } = pass;
  return (
    hasHandler(pass) ||
    (state !== undefined && walked !== undefined && addedHandlerOf(state, walked.filename) !== undefined)
  );
}

/** Reports whether a handler runs a file as a program, if Options ExecCGI allows it. */
export function isProgramHandler(handler: string): handler is ProgramHandler {
  return Object.hasOwn(programModules, handler);
}

const programModules: Readonly<Record<ProgramHandler, readonly string[]>> = {
  "cgi-script": ["cgi_module", "cgid_module"],
  "fcgid-script": ["fcgid_module"],
  "wsgi-script": ["wsgi_module"],
};

const phpModules = ["php_module", "php7_module", "php5_module"];

/** Returns whether a module that may be loaded runs files with a handler, as programs or as PHP scripts. */
function runsScripts({ modules, modulesAreKnown }: Project, handler: string): boolean {
  const able = isProgramHandler(handler) ? programModules[handler] : isPhpHandler(handler) ? phpModules : [];
  return able.length > 0 && (!modulesAreKnown || able.some((module) => modules.has(module)));
}

/** Reports whether `php_flag engine off` leaves the scripts of a handler to httpd, which sends them (`php_handler`). */
function isPhpOff({ layers }: AccessState, handler: string): boolean {
  if (!isPhpHandler(handler)) return false;
  const lines = layers.flatMap((layer) => layer.pick(phpSettings)).map(argumentValuesOf);
  const [, value] = lines.findLast(([name]) => name?.toLowerCase() === "engine") ?? [];
  return value !== undefined && /^(?:off|0|no|false|none)$/i.test(value);
}

type ProgramFault = "off" | "missing" | "directory" | "pathInfo" | ExecutionFault;

/** Why the process that is to become a program ends. */
type ExecutionFault = "noExecution" | "noInterpreter" | "noFormat" | "noCommand";

/** The errors of the kernel; `noCommand` is one that `/usr/bin/env` reports. */
const executionErrors: Readonly<Record<ExecutionFault, string>> = {
  noExecution: "(13)Permission denied",
  noInterpreter: "(2)No such file or directory",
  noFormat: "(8)Exec format error",
  noCommand: "(2)No such file or directory",
};

function isExecutionFault(fault: ProgramFault): fault is ExecutionFault {
  return Object.hasOwn(executionErrors, fault);
}

const programMessages: Readonly<Record<Exclude<ProgramFault, ExecutionFault>, string>> = {
  off: "Options ExecCGI is off in this directory",
  missing: "script not found or unable to stat",
  directory: "attempt to invoke directory as script",
  pathInfo: "AcceptPathInfo off disallows user's path",
};

/** Message numbers for a program that does not run. */
type ProgramCodes = Readonly<Record<keyof typeof programMessages | "execution", string>>;

const cgiCodes: ProgramCodes = {
  off: "AH02809",
  missing: "AH02811",
  directory: "AH02812",
  pathInfo: "AH02813",
  execution: "AH01215",
};
const cgidCodes: ProgramCodes = {
  off: "AH01262",
  missing: "AH01264",
  directory: "AH01265",
  pathInfo: "AH01266",
  execution: "AH01241",
};

/** Returns the messages of mod_cgi or mod_cgid: the module loaded first handles the request. Those of others have no numbers. */
function messagesOfFault({ fault }: FoundFault, served: Pass): readonly string[] {
  const loaded = served.state?.project.modules.listIdentifiers() ?? [];
  const first = loaded.find((module) => module === "cgi_module" || module === "cgid_module");
  const codes = first === "cgid_module" ? cgidCodes : cgiCodes;
  const file = fileOf(served);
  if (!isExecutionFault(fault)) return [`${codes[fault]}: stderr from ${file}: ${programMessages[fault]}`];
  if (fault === "noCommand") return [];
  const failed = `exec of '${file}' failed`;
  const isOfDaemon = first === "cgid_module";
  return [`${codes.execution}: ${isOfDaemon ? failed : `stderr from ${file}: ${executionErrors[fault]}: ${failed}`}`];
}

interface FoundFault {
  readonly status: number;
  readonly fault: ProgramFault;
  readonly handler: string;
  /** The line because of which a directory is taken for a program. */
  readonly by?: readonly Directive[];
}

/**
 * Returns why no program or PHP script runs (mod_cgi.c `cgi_handler`, mod_wsgi.c `wsgi_hook_handler`, mod_fcgid.c `fcgid_handler`,
 * sapi/apache2handler/sapi_apache2.c `php_handler`).
 */
function findProgramFault(
  state: AccessState,
  mapping: UrlMapping,
  walked: DirectoryWalk | undefined,
  pathInfo: string | undefined,
): FoundFault | undefined {
  const handler = walked && handlerOf(state, mapping, walked);
  if (!walked || !handler || !runsScripts(state.project, handler) || isPhpOff(state, handler)) return undefined;
  state.request.tracker?.recordFileExistence();
  const isOfAlias = aliasHandlerOf(mapping) === (handler === "fcgid-script" ? "cgi-script" : handler);
  if (isProgramHandler(handler) && !isOfAlias && !mergeOptions(state.layers, state.project).has("execcgi"))
    return { status: 403, fault: "off", handler };
  if (handler === "fcgid-script" && hasVirtualWrapper(state, walked)) return undefined;
  if (walked.kind === "missing") return { status: 404, fault: "missing", handler };
  if (walked.kind === "directory") {
    const line = isOfAlias ? mapping.by : findHandlerLine(state, handler);
    return { status: 403, fault: "directory", handler, ...(line ? { by: [line] } : {}) };
  }
  const isRejected = pathInfo === "off" && hasPathInfo(mapping, walked);
  if (isRejected) return { status: 404, fault: "pathInfo", handler };
  const failed = handler === "cgi-script" ? findExecutionFault(state, walked) : undefined;
  return failed && { status: 500, fault: failed, handler };
}

/**
 * Returns why the process that is to become a program ends without an answer: no user may execute it, or its first line names no
 * interpreter (mod_cgi.c `cgi_handler`). The answer of a program that sends its own headers is then empty.
 */
function findExecutionFault(
  { files, request }: AccessState,
  { filename, kind }: DirectoryWalk,
): ExecutionFault | undefined {
  if (kind !== "file" || /\/nph-[^/]*$/.test(filename)) return undefined;
  if (files.isExecutable?.(filename) === false) return "noExecution";
  // Proofs do not read programs.
  const fault = request.tracker ? undefined : findInterpreterFault(filename, files);
  if (fault === undefined) return undefined;
  if (fault.kind === "late") return "noFormat";
  return fault.kind === "return" && fault.isArgument ? "noCommand" : "noInterpreter";
}

/** Reports whether mod_fcgid passes requests for a file that does not exist to a program (`FcgidWrapper COMMAND .EXT virtual`). */
function hasVirtualWrapper({ layers }: AccessState, { filename }: DirectoryWalk): boolean {
  const wrappers = layers
    .flatMap((layer) => layer.directives.filter(({ key }) => key === "fcgidwrapper"))
    .map((line) => argumentValuesOf(line).slice(1));
  const suffixOf = (options: readonly string[]) => options.find((word) => word.startsWith("."));
  const forSuffix = wrappers.filter((options) => filename.endsWith(suffixOf(options) ?? "\0"));
  const last = forSuffix.at(-1) ?? wrappers.findLast((options) => suffixOf(options) === undefined);
  return last?.at(-1)?.toLowerCase() === "virtual";
}
