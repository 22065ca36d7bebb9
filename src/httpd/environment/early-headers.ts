import type { Directive } from "../../project/model/directive.js";
import { quoteText } from "../../project/model/problems.js";
import type { Project } from "../../project/model/project.js";
import { iterateDirectives } from "../../project/queries/directive-tree.js";
import { Memo } from "../../text/memo.js";
import { argumentValuesOf, type ConfigLayer } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { headerOf, type Request } from "../model/request.js";

/** A `RequestHeader … early` line of a server: it changes the request before anything looks at it. */
interface EarlyLine {
  readonly directive: Directive;
  /** Lower case. */
  readonly action: string;
  /** As written: patterns over names look at its letters. */
  readonly header: string;
  readonly value: string;
}

const requestHeader: ReadonlySet<string> = new Set(["requestheader"]);

/**
 * A request as it is once the server's own `RequestHeader … early` lines have changed it; those of sections come to nothing,
 * since no section is known by then (modules/metadata/mod_headers.c `ap_headers_early`;
 * test/live/early-headers.live.test.ts). What a line makes of a header that another line may look at, and cannot be told, is
 * left unsettled.
 *
 * @param layers those of the server that answers
 */
export function applyEarlyHeaders(
  request: Request,
  layers: readonly ConfigLayer[],
  project: Project,
  questions: Oracle,
): Request {
  const lines = layers.flatMap((layer) => (layer.has("requestheader") ? layer.pick(requestHeader).map(readLine) : []));
  let changed = request;
  for (const line of lines) {
    if (line === undefined || !isHeaderRead(line.header, project)) continue;
    const next = applyHeaderLine(line, changed, headerUses.get(project).isAnyAsked);
    if (next) changed = next;
    else {
      const { directive } = line;
      questions.markUndecidable(
        `what ${quoteText(`${directive.name} ${directive.argumentText}`)} makes of it`,
        directive,
      );
    }
  }
  return changed;
}

/** Whether a line is one of these, and of a header that is looked at. */
export function isEarlyHeader(directive: Directive, project: Project): boolean {
  const line = directive.key === "requestheader" ? readLine(directive) : undefined;
  return line !== undefined && isHeaderRead(line.header, project);
}

function readLine(directive: Directive): EarlyLine | undefined {
  const words = argumentValuesOf(directive);
  const [action = "", name = "", value = ""] = words;
  const place = /^unset$/i.test(action) ? 2 : /^edit/i.test(action) ? 4 : 3;
  // Ahead of its place the word is a value.
  if (words[place]?.toLowerCase() !== "early") return undefined;
  return { directive, action: action.toLowerCase(), header: name.replace(/:.*$/s, ""), value };
}

/** The first of them. */
export function findEarlyHeader(project: Project): Directive | undefined {
  return firstHeaderLine.get(project).line;
}

const firstHeaderLine = new Memo((project: Project) => {
  for (const line of iterateDirectives(project)) if (isEarlyHeader(line, project)) return { line };
  return { line: undefined };
});

/** Undefined where it cannot be told. @param isAnyAsked whether headers are asked for by a pattern: of several the last one counts */
function applyHeaderLine(
  { action, header: name, value }: EarlyLine,
  request: Request,
  isAnyAsked: boolean,
): Request | undefined {
  if (action === "note") return request;
  const header = name.toLowerCase();
  const before = headerOf(request, header);
  const isEdit = action.startsWith("edit");
  if ((isEdit || action === "unset") && before === undefined && header !== "authorization") return request;
  if (header === "authorization" && action === "unset") return withoutUser(request);
  // The server has chosen the virtual host by then, and who sends which credentials is not known.
  if (isEdit || header === "host" || header === "authorization") return undefined;
  if (action === "unset") return withHeader(request, name, undefined);
  // Of several headers of a name the first one is looked at by its name.
  if (before !== undefined && action === "add" && isAnyAsked) return undefined;
  if (before !== undefined && (action === "add" || action === "setifempty")) return request;
  const text = value.replaceAll("%%", "");
  // Of a backslash mod_headers makes what it stands for.
  if (text.includes("%") || text.includes("\\")) return undefined;
  const literal = value.replaceAll("%%", "%");
  if (before === undefined || action === "set") return withHeader(request, name, literal);
  if (action === "merge" && before.includes('"')) return undefined;
  if (action === "merge" && before.split(",").some((each) => each.trim() === literal)) return request;
  return withHeader(request, name, `${before}, ${literal}`);
}

/** A name that was sent stays as it was sent. */
function withHeader(request: Request, name: string, value: string | undefined): Request {
  const isIt = (each: string) => each.toLowerCase() === name.toLowerCase();
  const all = Object.entries(request.headers ?? {});
  const others = all.filter(([each]) => !isIt(each));
  const sent = all.find(([each]) => isIt(each))?.[0] ?? name;
  return { ...request, headers: Object.fromEntries(value === undefined ? others : [...others, [sent, value]]) };
}

function withoutUser({ user: _, groups: _groups, dbmGroups: _dbm, ...request }: Request): Request {
  return request;
}

/** Whether any line may look at a header: one that says its name, or asks for headers by a pattern. */
function isHeaderRead(name: string, project: Project): boolean {
  const said = headerUses.get(project);
  const header = name.toLowerCase().replaceAll("_", "-");
  if (said.isAnyAsked || said.text.includes(header)) return true;
  return (header === "user-agent" && said.asksBrowser) || (header === "authorization" && said.asksUser);
}

/** A function of expressions that looks at a header whose name is not one literal: `req('X-' . 'In')`. */
const computedHeaderName = /\b(?:req|req_novary|http)\s*\((?!\s*(?:'[^'\\$%]*'|"[^"\\$%]*"|\\"[^"\\$%]*\\")\s*\))/i;

const headerUses = new Memo((project: Project) => {
  let [text, isAnyAsked, asksBrowser, asksUser] = ["", false, false, false];
  for (const directive of iterateDirectives(project)) {
    const { key } = directive;
    if (key === "requestheader" || key === "header") continue;
    // `%{HTTP_USER_AGENT}` is `User-Agent`.
    text += `${directive.argumentText.toLowerCase().replaceAll("_", "-")}\n`;
    if (key.startsWith("browsermatch")) asksBrowser = true;
    if (key === "authtype") asksUser = true;
    if (/^setenvif(?:nocase)?$/.test(key) && !/^[-\w]+$/.test(argumentValuesOf(directive)[0] ?? "")) isAnyAsked = true;
    if (computedHeaderName.test(directive.argumentText)) isAnyAsked = true;
  }
  return { text, isAnyAsked, asksBrowser, asksUser };
});
