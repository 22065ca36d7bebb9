import { DEEPEST_MAP, LONGEST_VALUE, tooLongText } from "../value-length.js";
import { type BackReferences, isUnknown, type RewriteContext, type Unknown } from "./context.js";
import type { RuleFlags } from "./rules.js";
import { rewriteVariable } from "./variables.js";

/** A piece of a text, and whether it came out of a variable, a map or a back-reference. */
interface Piece {
  readonly text: string;
  readonly isExpanded: boolean;
}

/**
 * What a text with variables, maps and back-references comes to (mod_rewrite.c `do_expand`).
 *
 * @param flags of the rule whose substitution it is
 * @param depth how many maps are around the text
 */
export function expanded(
  text: string,
  references: BackReferences,
  context: RewriteContext,
  flags?: RuleFlags,
  depth = 0,
): string | Unknown {
  const pieces = piecesOf(text, references, context, flags, depth);
  return isUnknown(pieces) ? pieces : pieces.map((piece) => piece.text).join("");
}

/** A substitution; `unsafe` where the `?` ahead of its query came out of what was asked for. */
export function substitution(
  text: string,
  references: BackReferences,
  context: RewriteContext,
  flags: RuleFlags,
): { readonly text: string; readonly isUnsafe: boolean } | Unknown {
  const pieces = piecesOf(text, references, context, flags, 0);
  if (isUnknown(pieces)) return pieces;
  const marked = pieces.filter((piece) => piece.text.includes("?"));
  const mark = flags.names.has("qslast") ? marked.at(-1) : marked[0];
  const isUnsafe = mark?.isExpanded === true && context.project.release === "2.4" && !flags.names.has("unsafeallow3f");
  return { text: pieces.map((piece) => piece.text).join(""), isUnsafe };
}

function piecesOf(
  text: string,
  references: BackReferences,
  context: RewriteContext,
  flags: RuleFlags | undefined,
  depth: number,
): readonly Piece[] | Unknown {
  const leaveOpen = (unknown: string): Unknown => {
    context.questions.leaveOpen(unknown);
    return { unknown };
  };
  if (depth > DEEPEST_MAP) return leaveOpen(`what maps nested more than ${DEEPEST_MAP} levels deep return`);
  const brackets = closingBrackets(text);
  const pieces: Piece[] = [];
  let length = 0;
  for (let i = 0; i < text.length; ) {
    const found = specialAt(text, i, references, context, flags, brackets, depth);
    const piece = found ? found.value : text.charAt(i);
    if (isUnknown(piece)) return piece;
    length += piece.length;
    if (length > LONGEST_VALUE) return leaveOpen(tooLongText("what a rule expands to"));
    pieces.push({ text: piece, isExpanded: found?.isExpanded === true });
    i = found?.end ?? i + 1;
  }
  return pieces;
}

interface Special {
  readonly value: string | Unknown;
  readonly isExpanded: boolean;
  readonly end: number;
}

function specialAt(
  text: string,
  at: number,
  references: BackReferences,
  context: RewriteContext,
  flags: RuleFlags | undefined,
  brackets: ReadonlyMap<number, number>,
  depth: number,
): Special | undefined {
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
  const value = sign === "%" ? rewriteVariable(inside, context) : mapped(inside, references, context, depth + 1);
  return value === undefined ? undefined : { value, isExpanded: true, end: close + 1 };
}

/** The place of the closing bracket of each opening one, in one pass: a text may open many that it never closes. */
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

function escapedGroup(text: string, flags: RuleFlags | undefined): string {
  if (!flags?.names.has("backrefescaping")) return text;
  const { escapes, noEscapes, names } = flags;
  const isMeant = (c: string) =>
    (names.has("bctls") ? /[\0-\x20\x7f]/.test(c) : escapes === undefined) || escapes?.includes(c) === true;
  return text.replace(/[\s\S]/g, (c) => {
    if (!isMeant(c) || noEscapes?.includes(c) === true || /\w/.test(c)) return c;
    if (c === " " && !names.has("backrefernoplus")) return "+";
    return `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

/** `MAP:KEY|DEFAULT`: of the maps, only the functions that httpd brings along can be told. */
function mapped(
  inside: string,
  references: BackReferences,
  context: RewriteContext,
  depth: number,
): string | Unknown | undefined {
  const colon = topLevel(inside, ":", 0);
  if (colon === undefined) return undefined;
  const name = inside.slice(0, colon);
  const bar = topLevel(inside, "|", colon + 1);
  const key = expanded(inside.slice(colon + 1, bar), references, context, undefined, depth);
  const map = context.maps.get(name);
  const source = map?.arguments[1]?.value ?? "";
  const call = mapFunctions.get(source);
  if (map && call === undefined) return { unknown: `what \`RewriteMap ${name}\` has` };
  if (isUnknown(key)) return key;
  if (call) return call(key);
  return bar === undefined ? "" : expanded(inside.slice(bar + 1), references, context, undefined, depth);
}

/** A character outside of inner brackets. */
function topLevel(text: string, wanted: string, from: number): number | undefined {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (depth === 0 && text[i] === wanted) return i;
    if (text[i] === "{") depth++;
    else if (text[i] === "}") depth--;
  }
  return undefined;
}

const mapFunctions: ReadonlyMap<string, (key: string) => string> = new Map([
  ["int:tolower", (key: string) => key.toLowerCase()],
  ["int:toupper", (key: string) => key.toUpperCase()],
]);
