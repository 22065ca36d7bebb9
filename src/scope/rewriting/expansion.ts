import { type BackReferences, isUnknown, type RewriteContext, type Unknown } from "./context.js";
import type { RuleFlags } from "./rules.js";
import { rewriteVariable } from "./variables.js";

/** A piece of a text, and whether it came out of a variable, a map or a back-reference. */
interface Piece {
  readonly text: string;
  readonly isExpanded: boolean;
}

/** What a text with variables, maps and back-references comes to (mod_rewrite.c `do_expand`). @param flags of the rule whose substitution it is */
export function expanded(
  text: string,
  references: BackReferences,
  context: RewriteContext,
  flags?: RuleFlags,
): string | Unknown {
  const pieces = piecesOf(text, references, context, flags);
  return isUnknown(pieces) ? pieces : pieces.map((piece) => piece.text).join("");
}

/** A substitution; `unsafe` where the `?` ahead of its query came out of what was asked for. */
export function substitution(
  text: string,
  references: BackReferences,
  context: RewriteContext,
  flags: RuleFlags,
): { readonly text: string; readonly isUnsafe: boolean } | Unknown {
  const pieces = piecesOf(text, references, context, flags);
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
): readonly Piece[] | Unknown {
  const pieces: Piece[] = [];
  for (let i = 0; i < text.length; ) {
    const found = specialAt(text, i, references, context, flags);
    if (found === undefined) {
      pieces.push({ text: text.charAt(i), isExpanded: false });
      i++;
    } else {
      if (isUnknown(found.value)) return found.value;
      pieces.push({ text: found.value, isExpanded: found.isExpanded });
      i = found.end;
    }
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
  const close = curlyEnd(text, at + 2);
  if (close === undefined) return undefined;
  const inside = text.slice(at + 2, close);
  const value = sign === "%" ? rewriteVariable(inside, context) : mapped(inside, references, context);
  return value === undefined ? undefined : { value, isExpanded: true, end: close + 1 };
}

/** The bracket that closes one whose content starts at a place. */
function curlyEnd(text: string, from: number): number | undefined {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  return undefined;
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
function mapped(inside: string, references: BackReferences, context: RewriteContext): string | Unknown | undefined {
  const colon = topLevel(inside, ":", 0);
  if (colon === undefined) return undefined;
  const name = inside.slice(0, colon);
  const bar = topLevel(inside, "|", colon + 1);
  const key = expanded(inside.slice(colon + 1, bar), references, context);
  const map = context.maps.get(name);
  const source = map?.arguments[1]?.value ?? "";
  const call = mapFunctions.get(source);
  if (map && call === undefined) return { unknown: `what \`RewriteMap ${name}\` has` };
  if (isUnknown(key)) return key;
  if (call) return call(key);
  return bar === undefined ? "" : expanded(inside.slice(bar + 1), references, context);
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
