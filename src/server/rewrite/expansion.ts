import { nativePath } from "../../config/files/paths.js";
import { behaves } from "../../facts/behaviours.js";
import { isSince } from "../../facts/release.js";
import { serverVariable } from "../expression/functions.js";
import { evaluateTargetVariable, evaluateVariable, ipv6Flag } from "../expression/variables.js";
import { asksBehaviour } from "../model/behaviour.js";
import { MAX_MAP_DEPTH, MAX_VALUE_LENGTH, VALUE_LIMIT } from "../model/patterns.js";
import { DEFAULT_SERVER_IP, targetOfRequest } from "../model/request.js";
import { type UnknownFact, unknownFact } from "../model/unknown-facts.js";
import { isUnknown, type UnknownValue } from "../model/unknown-value.js";
import { readHeader } from "../request/credentials.js";
import type { BackReferences, RewriteContext } from "./rewrite-context.js";
import { lookUpInMap } from "./rewrite-maps.js";
import type { RewriteFlags } from "./rule-parser.js";

/** A piece of a text, and whether it results from a variable, a map or a back-reference. */
interface Piece {
  readonly text: string;
  readonly isExpanded: boolean;
}

/** The pieces of a text that are known. */
interface Pieces {
  readonly known: readonly Piece[];
  /** The value of the text if it is unknown. */
  readonly unknown?: UnknownValue | undefined;
}

/**
 * Expands variables, maps and back-references in a text (mod_rewrite.c `do_expand`).
 *
 * @param flags of the rule with the substitution
 * @param depth nesting depth of maps around the text
 */
export function expandText(
  text: string,
  references: BackReferences,
  context: RewriteContext,
  flags?: RewriteFlags,
  depth = 0,
): string | UnknownValue {
  const { known, unknown } = piecesOf(text, references, context, flags, depth);
  return unknown ?? known.map((piece) => piece.text).join("");
}

/** Expands a substitution; `unsafe` if the `?` before its query results from the request. */
export function expandSubstitution(
  text: string,
  references: BackReferences,
  context: RewriteContext,
  flags: RewriteFlags,
): { readonly text: string; readonly isUnsafe: boolean } | UnknownValue {
  const { oracle, project, request } = context;
  const { release } = project;
  const mayBeUnsafe = behaves(release, "encoded-question-mark-rejected") !== false && !flags.names.has("unsafeallow3f");
  const decisive = flags.names.has("qslast") ? "last" : "first";
  const { known, unknown } = piecesOf(text, references, context, flags, 0, mayBeUnsafe ? decisive : undefined);
  const marked = known.filter((piece) => piece.text.includes("?"));
  const mark = decisive === "last" ? marked.at(-1) : marked[0];
  // A `?` in an unknown piece would be unsafe as well.
  const isFromRequest = mark?.isExpanded === true;
  const isUnsafe =
    mayBeUnsafe &&
    (isFromRequest || (mark !== undefined && /%3f/i.test(targetOfRequest(request)))) &&
    (isFromRequest ? true : !asksBehaviour(release, "own-question-mark-allowed", oracle)) &&
    asksBehaviour(release, "encoded-question-mark-rejected", oracle);
  if (unknown && !isUnsafe) return unknown;
  return { text: known.map((piece) => piece.text).join(""), isUnsafe };
}

/** @param soughtMark the `?` that is sought even after an unknown piece: the first or the last; undefined for none */
function piecesOf(
  text: string,
  references: BackReferences,
  context: RewriteContext,
  flags: RewriteFlags | undefined,
  depth: number,
  soughtMark?: "first" | "last",
): Pieces {
  const leaveOpen = (unknown: UnknownFact): Pieces => {
    context.oracle.markUndecidable(unknown);
    return { known: [], unknown: { unknown } };
  };
  if (depth > MAX_MAP_DEPTH) return leaveOpen(unknownFact("nested-maps", String(MAX_MAP_DEPTH)));
  context.oracle.countCharacters(text.length);
  const brackets = closingBrackets(text);
  const pieces: Piece[] = [];
  let length = 0;
  let unknown: UnknownValue | undefined;
  for (let i = 0; i < text.length; ) {
    const found = expansionAt(text, i, references, context, flags, brackets, depth);
    const piece = found ? found.value : text.charAt(i);
    if (isUnknown(piece)) {
      // The possible values are those of the whole text only if nothing surrounds it.
      unknown ??= i === 0 && found?.end === text.length ? piece : { unknown: piece.unknown };
      const isFound = soughtMark === "first" && pieces.some((each) => each.text.includes("?"));
      if (soughtMark === undefined || isFound) break;
      i = found?.end ?? i + 1;
      continue;
    }
    length += piece.length;
    if (found) context.oracle.countCharacters(piece.length);
    if (length > MAX_VALUE_LENGTH) return leaveOpen(unknownFact("long-rule", VALUE_LIMIT));
    pieces.push({ text: piece, isExpanded: found?.isExpanded === true });
    i = found?.end ?? i + 1;
  }
  return { known: pieces, unknown };
}

interface Expansion {
  readonly value: string | UnknownValue;
  readonly isExpanded: boolean;
  readonly end: number;
}

function expansionAt(
  text: string,
  at: number,
  references: BackReferences,
  context: RewriteContext,
  flags: RewriteFlags | undefined,
  brackets: ReadonlyMap<number, number>,
  depth: number,
): Expansion | undefined {
  const sign = text.charAt(at);
  const next = text.charAt(at + 1);
  if (sign === "\\" && next !== "") return { value: next, isExpanded: false, end: at + 2 };
  if (sign !== "$" && sign !== "%") return undefined;
  if (/\d/.test(next)) {
    const groups = sign === "$" ? references.rule : references.condition;
    const value = isUnknown(groups) ? groups : escapedGroup(groups[Number(next)] ?? "", flags);
    return { value, isExpanded: true, end: at + 2 };
  }
  if (next !== "{") return undefined;
  const close = brackets.get(at + 1);
  if (close === undefined) return undefined;
  const inside = text.slice(at + 2, close);
  const value =
    sign === "%" ? expandRewriteVariable(inside, context) : expandMap(inside, references, context, depth + 1);
  return value === undefined ? undefined : { value, isExpanded: true, end: close + 1 };
}

/**
 * Returns the position of the closing bracket of each opening one, in one pass: a text may have many that are never
 * closed.
 */
function closingBrackets(text: string): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  if (!text.includes("{")) return pairs;
  const open: number[] = [];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "{") open.push(i);
    else if (text[i] === "}") {
      const start = open.pop();
      if (start !== undefined) pairs.set(start, i);
    }
  }
  return pairs;
}

function escapedGroup(text: string, flags: RewriteFlags | undefined): string {
  if (!flags?.names.has("backrefescaping")) return text;
  const { escapes, noEscapes, names } = flags;
  const isEscaped = (c: string) =>
    (names.has("bctls") ? /[\0-\x20\x7f]/.test(c) : escapes === undefined) || escapes?.includes(c) === true;
  return text.replace(/[\s\S]/g, (c) => {
    if (!isEscaped(c) || noEscapes?.includes(c) === true || /\w/.test(c)) return c;
    if (c === " " && !names.has("backrefernoplus")) return "+";
    return `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

/** Evaluates `MAP:KEY|DEFAULT` (mod_rewrite.c `do_expand`). */
function expandMap(
  inside: string,
  references: BackReferences,
  context: RewriteContext,
  depth: number,
): string | UnknownValue | undefined {
  const colon = topLevel(inside, ":", 0);
  if (colon === undefined) return undefined;
  const name = inside.slice(0, colon);
  const bar = topLevel(inside, "|", colon + 1);
  const key = expandText(inside.slice(colon + 1, bar), references, context, undefined, depth);
  const map = context.maps.get(name);
  if (isUnknown(key)) return key;
  const value = map && lookUpInMap(map, key, context);
  if (value !== undefined) return value;
  return bar === undefined ? "" : expandText(inside.slice(bar + 1), references, context, undefined, depth);
}

/** Returns the position of a character outside of inner brackets. */
function topLevel(text: string, wanted: string, from: number): number | undefined {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (depth === 0 && text[i] === wanted) return i;
    if (text[i] === "{") depth++;
    else if (text[i] === "}") depth--;
  }
  return undefined;
}

/** Variables with the same meaning in expressions. */
const sharedVariables = new Set([
  ...["HTTPS", "IS_SUBREQ", "HTTP_HOST", "REMOTE_ADDR", "HTTP_ACCEPT", "THE_REQUEST", "HTTP_COOKIE"],
  ...["SERVER_PORT", "REMOTE_HOST", "REQUEST_URI", "REMOTE_IDENT", "HTTP_REFERER", "HTTP_FORWARDED", "REQUEST_METHOD"],
  ...["REQUEST_SCHEME", "HTTP_USER_AGENT", "SERVER_PROTOCOL", "CONN_REMOTE_ADDR", "HTTP_PROXY_CONNECTION"],
  ...["SERVER_NAME"],
]);

/** Variables that 2.2 does not know. */
const newVariables = new Set(["IPV6", "CONN_REMOTE_ADDR", "REQUEST_SCHEME", "CONTEXT_PREFIX", "CONTEXT_DOCUMENT_ROOT"]);

/** Variables that depend on the time, the machine or the build. */
const unknowableVariables = new Set([
  ...["TIME", "TIME_DAY", "TIME_SEC", "TIME_MIN", "TIME_MON", "TIME_WDAY", "TIME_YEAR", "TIME_HOUR"],
  ...["REMOTE_PORT", "API_VERSION", "SERVER_SOFTWARE", "SCRIPT_USER", "SCRIPT_GROUP"],
]);

/** Variables that depend on the state of the rewriting, or differ from those of expressions. */
const rewritingVariables = new Set([
  "IPV6",
  ...["REQUEST_FILENAME", "SCRIPT_FILENAME", "QUERY_STRING", "PATH_INFO", "REMOTE_USER", "AUTH_TYPE", "SERVER_ADDR"],
  ...["DOCUMENT_ROOT", "SERVER_ADMIN", "CONTEXT_PREFIX", "CONTEXT_DOCUMENT_ROOT"],
]);

/** The names after `%` in braces, except those with a prefix such as `ENV:` (mod_rewrite.c `lookup_variable`). */
export const rewriteVariables: ReadonlySet<string> = new Set([
  ...sharedVariables,
  ...unknowableVariables,
  ...rewritingVariables,
]);

/** Returns the value of `%{NAME}`; empty for an unknown name (mod_rewrite.c `lookup_variable`). */
function expandRewriteVariable(written: string, context: RewriteContext): string | UnknownValue {
  const unknown: UnknownValue = { unknown: unknownFact("variable", `%{${written}}`) };
  if (/^ENV:./i.test(written)) return environmentVariable(written.slice(4), context);
  if (/^HTTP:./i.test(written)) return headerVariable(written.slice(5), context);
  if (/^(SSL|LA-[UF]):./i.test(written)) return unknown;
  const name = written.toUpperCase();
  if (unknowableVariables.has(name)) return unknown;
  if (newVariables.has(name) && !isSince(context.project.release, "2.4")) return "";
  if (sharedVariables.has(name)) return evaluateSharedVariable(name, context) ?? unknown;
  switch (name) {
    case "REQUEST_FILENAME":
    case "SCRIPT_FILENAME":
      return nativePath(context.filename);
    case "QUERY_STRING":
      return context.query ?? "";
    case "PATH_INFO":
      return context.pathInfo;
    case "REMOTE_USER":
      return context.user === "unknown" ? unknown : (context.user ?? "");
    case "AUTH_TYPE":
      return context.user === undefined ? "" : unknown;
    case "IPV6":
      // Unlike in expressions, this is about the client that mod_remoteip determines.
      return ipv6Flag(context.request);
    case "SERVER_ADDR":
      return context.request.serverIp ?? DEFAULT_SERVER_IP;
    default:
      return evaluateTargetVariable(name, context.target) ?? "";
  }
}

/** If the configuration does not set it, the server's own environment may. */
function environmentVariable(name: string, { env }: RewriteContext): string | UnknownValue {
  const value = env.get(name.toLowerCase());
  if (value !== undefined) return value;
  return serverVariable(name) ?? { unknown: unknownFact("variable", `%{ENV:${name}}`) };
}

function headerVariable(name: string, { request }: RewriteContext): string | UnknownValue {
  const isSecret =
    request.tracker !== undefined && request.user !== undefined && name.toLowerCase() === "authorization";
  return isSecret ? { unknown: unknownFact("variable", `%{HTTP:${name}}`) } : (readHeader(request, name) ?? "");
}

function evaluateSharedVariable(name: string, context: RewriteContext): string | UnknownValue | undefined {
  return evaluateVariable(name, { ...context, user: undefined });
}
