import { type AccessState, inForce } from "../access/state.js";
import type { Directive } from "../project/directive.js";
import { lookAtVariable } from "../scope/brought-environment.js";
import { lateVariables, REDIRECT_CAREFULLY } from "../scope/environment.js";
import { type Layer, settingIn } from "../scope/layer.js";
import { optionsIn } from "../scope/options.js";
import { innerRequest, isMethod, type Request } from "../scope/request.js";
import { keywordOf } from "../scope/words.js";
import { sentPath } from "../text/sent-path.js";
import { overPath } from "./over-path.js";
import type { Checked, Pass, Run } from "./pass.js";
import { type RecursionLimit, recursionLimit } from "./recursion-limit.js";
import { hasHandler, isHandedOn, isHandled, isNegotiated, serve } from "./served.js";

/**
 * What mod_dir makes of a directory: a redirect to the path with a slash, else its index file.
 *
 * @param redirects how many URLs rewriting has led to before
 */
export function answerDirectory(run: Run, checked: Checked, redirects: number): Checked {
  const { pass, onward } = checked;
  const { state, request } = pass;
  if (state === undefined) return checked;
  const hasDir = run.setup.project.modules.has("dir_module");
  const slashed = hasDir ? withSlash(checked) : checked;
  if (slashed !== checked) return slashed;
  // It steps aside for what rules of rewriting led to.
  if (onward) return checked;
  if (!hasDir || !state.path.endsWith("/")) return listing(checked, state);
  if (isLeftToHandler(pass)) return serve(request, checked, pass);
  const { checked: answered, file, isMissing } = seekIndex(run, checked, state, redirects);
  if (isMissing) return listing(answered, state);
  return file && !answered.onward ? serve(request, answered, file) : answered;
}

/** What comes of a path that is let in and is no directory: what is not there may be answered by its FallbackResource. */
export function answerFile(run: Run, checked: Checked, redirects: number): Checked {
  const { request } = checked.pass;
  const { checked: answered, file, isMissing } = seekFallback(run, checked, redirects) ?? { checked, isMissing: true };
  if (isMissing) return serve(request, answered, answered.pass);
  return file && !answered.onward ? serve(request, answered, file) : answered;
}

/** A directory asked for without a slash is redirected to the path with one. */
function withSlash(checked: Checked): Checked {
  const { walked, state, isLetIn, redirect } = checked.pass;
  if (walked?.kind !== "directory" || !state || !isLetIn || redirect || state.path.endsWith("/")) return checked;
  const slash = keywordOf(inForce(state, "directoryslash"));
  return slash === "off" || isSpared(state) ? checked : { ...checked, status: 301, onward: undefined };
}

/**
 * Clients that take redirects for nothing but GET are spared them where lines set `redirect-carefully` (mod_dir.c
 * `fixup_dir`; test/live/directory-slash.live.test.ts).
 */
function isSpared({ env, layers, request }: AccessState): boolean {
  const isSet = env.has(REDIRECT_CAREFULLY);
  const look = lookAtVariable(env, REDIRECT_CAREFULLY);
  // Nobody brings it along.
  if (look.kind === "env") return false;
  const isSetLate = lateVariables(layers).has(REDIRECT_CAREFULLY);
  if (!isSetLate) {
    if (look.kind === "constant" && !look.value) return false;
    request.looks?.at(look, isSet);
  }
  return (isSet || isSetLate) && !isMethod(request, "GET", "HEAD");
}

/** DirectoryCheckHandler: a directory with a handler is not asked for index files. */
function isLeftToHandler(pass: Pass): boolean {
  const word = pass.state && keywordOf(inForce(pass.state, "directorycheckhandler"));
  return word === "on" && hasHandler(pass);
}

/** What comes of asking for index files. */
interface Sought {
  readonly checked: Checked;
  /** The pass over the one that answers. */
  readonly file?: Pass;
  /** Whether there is none, and nothing to say of that. */
  readonly isMissing?: boolean;
}

/** A directory is answered by its index file. */
function seekIndex(run: Run, checked: Checked, { layers }: AccessState, redirects: number): Sought {
  return seek(run, checked, { ...indexNamesIn(layers), leads: indexRedirect(layers) }, redirects);
}

/**
 * FallbackResource answers what is not there and has no handler, also in place of an index file; where it is not there
 * itself, the answer is what it would be without (mod_dir.c `fixup_dflt`). Undefined where it has no say.
 */
function seekFallback(run: Run, checked: Checked, redirects: number): Sought | undefined {
  const { pass } = checked;
  const { walked, state, isLetIn, redirect } = pass;
  if (!run.setup.project.modules.has("dir_module") || !state) return undefined;
  const line = inForce(state, "fallbackresource");
  const name = line?.arguments[0]?.value.replace(/[?#].*$/, "");
  if (!line || name === undefined || name.toLowerCase() === "disabled") return undefined;
  pass.request.looks?.atPlace();
  if (walked?.kind !== "missing") return undefined;
  if (!isLetIn || redirect || checked.onward || isHandled(pass) || isNegotiated(pass)) return undefined;
  return seek(run, checked, { names: [name], lines: [line], leads: undefined }, redirects);
}

/** What the server asks itself for. */
interface Names {
  readonly names: readonly string[];
  readonly lines: readonly Directive[];
  /** The status by which what is found is led to. */
  readonly leads: number | undefined;
}

/** Asks for one name after the other, each like a request of its own. */
function seek(run: Run, checked: Checked, { names, lines, leads }: Names, redirects: number): Sought {
  const inner: Pass[] = [];
  const pass: Pass = { ...checked.pass, inner, index: lines };
  const limit = recursionLimit(run, "subrequests");
  if (depthOf(pass.request) >= limit.most) return { checked: exceeded({ ...checked, pass }, limit, 1) };
  // That of redirects holds here, too, and is told of each name.
  const ofRedirects = recursionLimit(run, "redirects");
  if (redirects >= ofRedirects.most && names.length > 0)
    return { checked: exceeded({ ...checked, pass }, ofRedirects, names.length) };
  const log = [...checked.log];
  let refused: Checked | undefined;
  for (const name of names) {
    // Once it has gone too deep the server does so for each name; one time tells enough.
    const sought = askFor(run, name, pass, log.includes(limit.code) ? limit : undefined, redirects);
    const { checked: asked, file } = withOuterEnd(sought, pass);
    inner.push(asked.pass);
    log.push(...asked.log);
    // A status that rules left is enough: what they led to is not asked for then.
    if (asked.status >= 300 && asked.status < 400) return { checked: { ...asked, log, pass, onward: undefined } };
    if (file && asked.status === 200)
      return leads === undefined
        ? { checked: { ...asked, status: checked.status, log, pass }, file }
        : { checked: { ...checked, status: leads, log, pass } };
    if (asked.status >= 300 && asked.status !== 404) refused = asked;
  }
  return refused ? { checked: { ...refused, log, pass } } : { checked: { ...checked, log, pass }, isMissing: true };
}

/** What rules led to is asked for on behalf of the outer request: that they ended for the inner one is forgotten by then. */
function withOuterEnd({ checked, ...sought }: Sought, { isEnded }: Pass): Sought {
  const { onward } = checked;
  return { ...sought, checked: onward ? { ...checked, onward: { ...onward, isEnded } } : checked };
}

/** Asks for one; what rewriting makes a directory of has index files, too. */
function askFor(run: Run, named: string, outer: Pass, limit: RecursionLimit | undefined, redirects: number): Sought {
  const [name = "", query] = named.split(/\?(.*)/s);
  const path = name.startsWith("/") ? name : outer.path.replace(/[^/]*$/, "") + name;
  const request = query === undefined ? outer.request : withQuery(outer.request, query);
  const checked = withSlash(overPath(run, innerRequest(request), { path, escaped: sentPath(path) }, { outer }));
  const { pass, onward } = checked;
  if (isHandedOn(pass) || pass.walked?.kind === "file") return { checked, file: pass };
  if (pass.walked?.kind === "missing" && pass.isLetIn && isNegotiated(pass)) return { checked, file: pass };
  const fallback = limit ? undefined : seekFallback(run, checked, redirects);
  if (fallback) return fallback;
  const isDirectory = pass.walked?.kind === "directory" && pass.path.endsWith("/");
  if (!isDirectory || !pass.isLetIn || pass.redirect || onward || !pass.state || isLeftToHandler(pass))
    return { checked };
  return limit ? { checked: { ...checked, status: 500 } } : seekIndex(run, checked, pass.state, redirects);
}

/** With that of the name ahead of its own. */
function withQuery(request: Request, query: string): Request {
  return { ...request, query: request.query === undefined ? query : `${query}?${request.query}` };
}

function depthOf({ outer }: Request): number {
  return outer ? 1 + depthOf(outer) : 0;
}

function exceeded({ pass, log, ...checked }: Checked, limit: RecursionLimit, times: number): Checked {
  if (pass.state?.project.release === "2.2") return { ...checked, status: 500, log, pass };
  const complaints = Array.from({ length: times }, () => limit.complaint);
  return { ...checked, status: 500, log: [...log, ...complaints.map(() => limit.code)], pass: { ...pass, complaints } };
}

/** The status by which DirectoryIndexRedirect leads to an index file instead of answering with it. */
function indexRedirect(layers: readonly Layer[]): number | undefined {
  const word = keywordOf(settingIn(layers, "directoryindexredirect")) ?? "off";
  if (word === "off") return undefined;
  if (/^\d/.test(word)) return Number.parseInt(word, 10);
  return word === "permanent" ? 301 : word === "seeother" ? 303 : 302;
}

/** A directory without an index file: a listing where Options has Indexes, else refused (mod_autoindex). */
function listing(checked: Checked, { layers, project }: AccessState): Checked {
  const { pass, log } = checked;
  const isListed = !hasHandler(pass) && project.modules.has("autoindex_module");
  if (!isListed || !isMethod(pass.request, "GET", "HEAD")) return serve(pass.request, checked, pass);
  if (optionsIn(layers).has("indexes")) return { ...checked, answeredBy: "listing" };
  const options = settingIn(layers, "options");
  return { ...checked, status: 403, log: [...log, "AH01276"], by: options ? [options] : [] };
}

const directoryIndex: ReadonlySet<string> = new Set(["directoryindex"]);

/** The index files in force: several lines of one section add up, and `disabled` alone takes back those before it. */
export function indexNamesIn(layers: readonly Layer[]): {
  readonly names: readonly string[];
  readonly lines: readonly Directive[];
} {
  const layer = layers.findLast((each) => each.has("directoryindex"));
  if (layer === undefined) return { names: ["index.html"], lines: [] };
  const lines = layer.only(directoryIndex);
  const words = lines.map((line) => line.arguments.map((word) => word.value));
  const disabled = words.findLastIndex((each) => each.length === 1 && each[0]?.toLowerCase() === "disabled");
  return { names: words.slice(disabled + 1).flat(), lines };
}
