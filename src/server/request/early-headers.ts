import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { quoteText } from "../../text/words.js";
import { argumentValuesOf, type ConfigLayer } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { headerOf, type Request } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";

/** A RequestHeader line. */
interface HeaderLine {
  readonly directive: Directive;
  /** Lower case. */
  readonly action: string;
  /** As written: patterns for header names may depend on its spelling. */
  readonly header: string;
  readonly value: string;
}

const requestHeader: ReadonlySet<string> = new Set(["requestheader"]);

/**
 * Returns a request as changed by the server's own `RequestHeader … early` lines. Those in sections have no effect,
 * since no section is known by then (modules/metadata/mod_headers.c `ap_headers_early`;
 * test/live/early-headers.live.test.ts). If the new value of a header that another directive may read is unknown, it is
 * marked as undecidable.
 *
 * @param layers those of the server that answers
 */
export function applyEarlyHeaders(
  request: Request,
  layers: readonly ConfigLayer[],
  project: Project,
  oracle: Oracle,
): Request {
  const lines = layers.flatMap((layer) => (layer.has("requestheader") ? layer.pick(requestHeader).map(readLine) : []));
  let changed = request;
  for (const line of lines) {
    if (line === undefined || !isHeaderRead(line.header, project)) continue;
    const next = applyHeaderLine(line, changed, testsAnyHeader(project));
    if (next) changed = next;
    else {
      const { directive } = line;
      const text = quoteText(`${directive.name} ${directive.argumentText}`);
      oracle.markUndecidable(unknownFact("header-effect", text), directive);
    }
  }
  return changed;
}

/** Reports whether a directive is such a line, for a header that is read. */
export function isEarlyHeader(directive: Directive, project: Project): boolean {
  const line = directive.key === "requestheader" ? readLine(directive) : undefined;
  return line !== undefined && isHeaderRead(line.header, project);
}

/** Returns a `RequestHeader … early` line: it changes the request before anything reads it. */
function readLine(directive: Directive): HeaderLine | undefined {
  const { line, condition } = readHeaderLine(directive);
  return condition?.toLowerCase() === "early" ? line : undefined;
}

/** Returns a line, with the word after its value: `early`, or a condition. */
function readHeaderLine(directive: Directive): { readonly line: HeaderLine; readonly condition: string | undefined } {
  const words = argumentValuesOf(directive);
  const [action = "", name = "", value = ""] = words;
  const place = /^unset$/i.test(action) ? 2 : /^edit/i.test(action) ? 4 : 3;
  const line = { directive, action: action.toLowerCase(), header: name.replace(/:.*$/s, ""), value };
  return { line, condition: words[place] };
}

/** Returns the other lines of some sections that change a header which a line reads. */
function lateLinesOf(layers: readonly ConfigLayer[], project: Project): readonly ReturnType<typeof readHeaderLine>[] {
  const lines = layers.flatMap((layer) => (layer.has("requestheader") ? layer.pick(requestHeader) : []));
  return lines
    .map(readHeaderLine)
    .filter(({ line, condition }) => condition?.toLowerCase() !== "early" && isHeaderRead(line.header, project));
}

/**
 * Returns a request as the RequestHeader lines of its sections change it after access control: the URL of an internal
 * redirect is requested with these headers (modules/metadata/mod_headers.c `ap_headers_fixup`;
 * test/live/differing-pairs.live.test.ts). A symbolic request has no headers: tests of changed ones become other facts.
 *
 * @param layers those that applied to the request before
 */
export function applyLateHeaders(
  request: Request,
  layers: readonly ConfigLayer[],
  project: Project,
  oracle: Oracle,
): Request {
  const lines = lateLinesOf(layers, project);
  const [first] = lines;
  if (first === undefined) return request;
  const { tracker } = request;
  if (tracker && !lines.some(({ line }) => /^(?:host|authorization)$/i.test(line.header))) {
    const changed = new Set(lines.map(({ line }) => line.header.toLowerCase()));
    const texts = lines.map(({ line: { directive } }) => quoteText(`${directive.name} ${directive.argumentText}`));
    const { names = [], lines: earlier } = request.headerChange ?? {};
    const headerChange = {
      names: new Set([...names, ...changed]),
      lines: [...(earlier === undefined ? [] : [earlier]), ...texts].join(", "),
    };
    return { ...request, headerChange };
  }
  let result = request;
  for (const { line, condition } of lines) {
    const isPlain = condition === undefined && !line.value.startsWith("expr=");
    // A change that certainly applies replaces one that is not known.
    const isKnown = isPlain && (!isChanged(result, line) || /^(?:set|unset)$/.test(line.action));
    const next =
      isKnown && !tracker ? applyHeaderLine(line, withoutChange(result, line), testsAnyHeader(project)) : undefined;
    result = next ?? withUnknownHeader(result, line, oracle);
  }
  return result;
}

function isChanged({ changedHeaders }: Request, { header }: HeaderLine): boolean {
  return changedHeaders?.has(header.toLowerCase()) === true;
}

function withoutChange({ changedHeaders, ...request }: Request, { header }: HeaderLine): Request {
  const left = new Map(changedHeaders);
  left.delete(header.toLowerCase());
  return left.size === 0 ? request : { ...request, changedHeaders: left };
}

/** Returns a request with a header that is only unknown to what reads it. The Host header decides more than its readers know. */
function withUnknownHeader(request: Request, { directive, header }: HeaderLine, oracle: Oracle): Request {
  const text = quoteText(`${directive.name} ${directive.argumentText}`);
  const markRead = () => oracle.markUndecidable(unknownFact("header-effect", text), directive);
  if (request.tracker || header.toLowerCase() === "host") {
    markRead();
    return request;
  }
  const value = { unknown: unknownFact("changed-header", header, text) };
  const changedHeaders = new Map(request.changedHeaders).set(header.toLowerCase(), { value, markRead });
  return { ...request, changedHeaders };
}

/** Returns the first of them. */
export const findEarlyHeader = memoize((project: Project): Directive | undefined => {
  for (const line of iterateDirectives(project)) if (isEarlyHeader(line, project)) return line;
  return undefined;
});

/**
 * Returns the changed request; undefined if it is unknown. @param testsAnyHeader whether headers are read by a pattern: of
 * several the last one counts
 */
function applyHeaderLine(
  { action, header: name, value }: HeaderLine,
  request: Request,
  testsAnyHeader: boolean,
): Request | undefined {
  if (action === "note") return request;
  const header = name.toLowerCase();
  const before = headerOf(request, header);
  const isEdit = action.startsWith("edit");
  if ((isEdit || action === "unset") && before === undefined && header !== "authorization") return request;
  if (header === "authorization" && action === "unset") return withoutUser(request);
  // The server has already chosen the virtual host, and the credentials of clients are unknown.
  if (isEdit || header === "host" || header === "authorization") return undefined;
  if (action === "unset") return withHeader(request, name, undefined);
  // Of several headers with one name, a lookup by name returns the first.
  if (before !== undefined && action === "add" && testsAnyHeader) return undefined;
  if (before !== undefined && (action === "add" || action === "setifempty")) return request;
  const text = value.replace(literalPercent, "");
  // mod_headers interprets backslash escapes.
  if (text.includes("%") || text.includes("\\")) return undefined;
  const literal = value.replace(literalPercent, "%");
  if (before === undefined || action === "set") return withHeader(request, name, literal);
  if (action === "merge" && before.includes('"')) return undefined;
  if (action === "merge" && before.split(",").some((each) => each.trim() === literal)) return request;
  return withHeader(request, name, `${before}, ${literal}`);
}

/** A percent sign in a value that is not the start of a format: two, or one at the end (mod_headers.c `parse_format_tag`). */
const literalPercent = /%%|%$/g;

/** Sets a header; a name that was sent keeps its spelling. */
function withHeader(request: Request, name: string, value: string | undefined): Request {
  const isHeader = (each: string) => each.toLowerCase() === name.toLowerCase();
  const all = Object.entries(request.headers ?? {});
  const others = all.filter(([each]) => !isHeader(each));
  const sent = all.find(([each]) => isHeader(each))?.[0] ?? name;
  return { ...request, headers: Object.fromEntries(value === undefined ? others : [...others, [sent, value]]) };
}

function withoutUser({
  user: _,
  groups: _groups,
  dbmGroups: _dbm,
  authorization: _header,
  ...request
}: Request): Request {
  return request;
}

/** Reports whether any condition may read a header: by its name, or by a pattern for headers. */
export function mayReadHeader(name: string, project: Project): boolean {
  return getOrCreate(headerReads(project), name.toLowerCase(), () => testsAnyHeader(project) || isNamed(name, project));
}

/** The cached results by header: all requests read the same headers. */
const headerReads = memoize((_: Project) => new Map<string, boolean>());

function isNamed(name: string, project: Project): boolean {
  // `%{HTTP_USER_AGENT}` is `User-Agent`.
  const pattern = new RegExp(name.replace(/[^\w-]/g, "\\$&").replace(/[-_]/g, "[-_]"), "i");
  return indexDirectives(project).some(
    (text) => pattern.test(text),
    ({ key, argumentText }) => !setsHeader(key) && pattern.test(argumentText),
  );
}

function setsHeader(key: string): boolean {
  return key === "requestheader" || key === "header";
}

/** Reports whether any directive may read a header, also to find the browser or the user. */
function isHeaderRead(name: string, project: Project): boolean {
  if (mayReadHeader(name, project)) return true;
  const header = name.toLowerCase().replaceAll("_", "-");
  const index = indexDirectives(project);
  return (
    (header === "user-agent" && index.hasAny(browserTests)) || (header === "authorization" && index.hasAny(logins))
  );
}

const browserTests: ReadonlySet<string> = new Set(["browsermatch", "browsermatchnocase"]);
const logins: ReadonlySet<string> = new Set(["authtype"]);

/** An expression function that reads a header. */
const headerFunction = /\b(?:req|req_novary|http)\s*\(/i;
/** An expression function that reads a header whose name is not one literal: `req('X-' . 'In')`. */
const computedHeaderName = /\b(?:req|req_novary|http)\s*\((?!\s*(?:'[^'\\$%]*'|"[^"\\$%]*"|\\"[^"\\$%]*\\")\s*\))/i;

/** Reports whether headers are read by a pattern, or by a name that is computed. */
const testsAnyHeader = memoize((project: Project): boolean => {
  const index = indexDirectives(project);
  const isPattern = (directive: Directive) =>
    !/^[-\w]+\s/.test(directive.argumentText) && !/^[-\w]+$/.test(argumentValuesOf(directive)[0] ?? "");
  return (
    ["setenvif", "setenvifnocase"].some((key) => index.named(key).some(isPattern)) ||
    index.some(
      (text) => headerFunction.test(text),
      ({ key, argumentText }) => !setsHeader(key) && computedHeaderName.test(argumentText),
    )
  );
});
