import { type AccessState, inForce } from "../access/state.js";
import type { Directive } from "../project/directive.js";
import { knownMethods } from "../refusals/methods.js";
import { type Layer, settingIn } from "../scope/layer.js";
import type { Mapping } from "../scope/mapping.js";
import { optionsIn } from "../scope/options.js";
import type { ProxyMapping } from "../scope/proxies.js";
import { isMethod, type Request } from "../scope/request.js";
import type { DirectoryWalk } from "../scope/walk.js";
import { keywordOf } from "../scope/words.js";
import { type BackendFault, unaskedBackend } from "./backend-url.js";
import { addedHandler, handlerOf, isScriptAliased, pages } from "./handlers.js";
import type { Checked, Pass } from "./pass.js";
import { codesOf } from "./rewriting.js";

/** What gives an answer in place of a file: what it says, and what comes into the error log with that, is not known. */
export type Answerer = "backend" | "program" | "listing";

/**
 * What comes of it once access is granted.
 *
 * @param request whose method is answered, be it by an index file
 * @param served the pass over the path that leads to what is served
 */
export function serve(request: Request, checked: Checked, served: Pass): Checked {
  const { mapping, walked } = served;
  if (served.state === undefined) return checked;
  if (isHandedOn(served)) return handedOn(request, checked, served);
  const state = served.state.request === request ? served.state : { ...served.state, request };
  if (mayBeNegotiated(served) && isMethod(request, ...read) && isNegotiated(served)) return { ...checked, served };
  const fault = cgiFault(state, mapping, walked);
  if (fault) return { ...checked, status: fault.status, log: [...checked.log, fault.code], served };
  const answeredBy = walked && isProgram(state, mapping, walked) ? "program" : undefined;
  const status = mayBeMisspelt(served) ? 301 : servedStatus(state, mapping, walked);
  // Where all goes well, what rules of rewriting left of a status stays.
  return { ...checked, status: status === 200 ? checked.status : status, answeredBy, served };
}

const read = ["GET", "HEAD", "POST"];

/** Whether mod_speling finds a file by nearly the name of one that is not there, and leads to it. */
function mayBeMisspelt({ state, walked }: Pass): boolean {
  if (!state?.project.modules.has("speling_module") || walked?.kind !== "missing") return false;
  if (keywordOf(inForce(state, "checkspelling")) !== "on" || !isMethod(state.request, "GET", "HEAD")) return false;
  return !state.request.outer && state.questions.ask(`whether CheckSpelling finds a file for \`${walked.filename}\``);
}

/**
 * Whether mod_negotiation finds files for a name that is not there, by Options MultiViews (`handle_multi`): which files lie
 * beside it is not known.
 */
export function isNegotiated(pass: Pass): boolean {
  const { state, walked } = pass;
  if (!state || !walked || !mayBeNegotiated(pass)) return false;
  return state.questions.ask(`whether MultiViews finds a file for \`${walked.filename}\``);
}

function mayBeNegotiated(pass: Pass): boolean {
  const { state, walked } = pass;
  if (!state || isHandedOn(pass) || !state.project.modules.has("negotiation_module")) return false;
  if (!optionsIn(state.layers).has("multiviews")) return false;
  state.request.looks?.atPlace();
  return walked?.kind === "missing";
}

function handedOn(request: Request, checked: Checked, served: Pass): Checked {
  const { project } = served.state ?? {};
  const backend = backendOf(served);
  const fault = project && backend && unaskedBackend(backend.target, served.path, project);
  const off = isMethod(request, "TRACE") ? traceOff(served.walk.ofServer) : undefined;
  if (off && fault?.status !== 400)
    return { ...checked, status: 405, log: [...checked.log, "AH01139"], by: [off], served };
  if (backend && fault) return { ...refusedBackend(checked, fault, backend.by), served };
  return { ...checked, status: 200, answeredBy: "backend", served };
}

/** A request that is not handed on. @param by the line that names the backend */
export function refusedBackend(checked: Checked, { status, complaint }: BackendFault, by: Directive): Checked {
  const { pass, log } = checked;
  const complaints = complaint === undefined ? [] : [complaint];
  return { ...checked, status, log: [...log, ...codesOf(complaints)], by: [by], pass: { ...pass, complaints } };
}

/** The line that switches TRACE off, if one does. @param layers those of the server */
export function traceOff(layers: readonly Layer[]): Directive | undefined {
  const line = settingIn(layers, "traceenable");
  return keywordOf(line) === "off" ? line : undefined;
}

/** Whether a backend answers. */
export function isHandedOn(pass: Pass): boolean {
  return backendOf(pass) !== undefined;
}

/** The backend's URL where one answers: by the URL, or by the rules of a section, which may also lead away from one. */
export function backendOf({ mapping, rewriting }: Pick<Pass, "mapping" | "rewriting">): ProxyMapping | undefined {
  const to = rewriting.sections?.to;
  if (to?.kind === "mapped") return to.mapping.kind === "proxy" ? to.mapping : undefined;
  return mapping.kind === "proxy" && to?.kind !== "redirected" ? mapping : undefined;
}

/**
 * What a request gets that access control lets pass, as far as files tell (server/core.c `default_handler`). A program, a
 * backend or a script may answer anything: they count as 200.
 */
function servedStatus(state: AccessState, mapping: Mapping, walked: DirectoryWalk | undefined): number {
  const { method } = state.request;
  if (walked === undefined || mapping.kind !== "file") return 200;
  if (isProgram(state, mapping, walked)) return 200;
  if (method === "OPTIONS") return 200;
  if (!read.includes(method)) return knownMethods(state.project).has(method) ? 405 : 501;
  const hasMore = walked.kind === "file" && walked.filename !== mapping.filename && !takesMore(state);
  return walked.kind !== "file" || hasMore ? 404 : 200;
}

/** Whether a file takes a path behind its name, which by default only programs do. */
function takesMore(state: AccessState): boolean {
  return keywordOf(inForce(state, "acceptpathinfo")) === "on";
}

/** Whether something else than the file answers: a handler by SetHandler or AddHandler, or a CGI program. */
function isProgram(state: AccessState, mapping: Mapping, walked: DirectoryWalk): boolean {
  const handler = handlerOf(state, mapping, walked);
  if (handler === undefined || handler === "none" || handler === "default-handler") return false;
  if (handler === "cgi-script" && !runsPrograms(state)) return false;
  const { method } = state.request;
  return !pages.has(handler) || method === "GET" || method === "HEAD";
}

/** Whether a handler is named, which keeps mod_autoindex away. */
export function hasHandler(pass: Pass): boolean {
  const { state, mapping, walked } = pass;
  if (state === undefined || walked === undefined || isHandedOn(pass)) return true;
  const handler = handlerOf(state, mapping, walked);
  return handler !== undefined && handler !== "none";
}

/** The same, with handlers that AddHandler names for what is not there. */
export function isHandled(pass: Pass): boolean {
  const { state, walked } = pass;
  return (
    hasHandler(pass) ||
    (state !== undefined && walked !== undefined && addedHandler(state, walked.filename) !== undefined)
  );
}

function runsPrograms({ project: { modules, modulesAreKnown } }: AccessState): boolean {
  return !modulesAreKnown || modules.has("cgi_module") || modules.has("cgid_module");
}

/** The numbers of what is said where no program is run. */
const ofCgi = { off: "AH02809", missing: "AH02811", directory: "AH02812" };
const ofCgid = { off: "AH01262", missing: "AH01264", directory: "AH01265" };

/** Those of mod_cgi or mod_cgid: of two handlers of a name the one that was loaded first answers. */
function programMessages({ project: { modules } }: AccessState): typeof ofCgi {
  const first = modules.inOrder().find((module) => module === "cgi_module" || module === "cgid_module");
  return first === "cgid_module" ? ofCgid : ofCgi;
}

/** Why no program is run: what mod_cgi and mod_cgid say where there is none (`cgi_handler`). */
function cgiFault(
  state: AccessState,
  mapping: Mapping,
  walked: DirectoryWalk | undefined,
): { readonly status: number; readonly code: string } | undefined {
  const isCgi = walked && handlerOf(state, mapping, walked) === "cgi-script" && runsPrograms(state);
  if (!isCgi) return undefined;
  state.request.looks?.atPlace();
  const { off, missing, directory } = programMessages(state);
  if (!isScriptAliased(mapping) && !optionsIn(state.layers).has("execcgi")) return { status: 403, code: off };
  if (walked.kind === "missing") return { status: 404, code: missing };
  return walked.kind === "directory" ? { status: 403, code: directory } : undefined;
}
