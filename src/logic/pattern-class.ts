import { type ByteSet, byteRange, inBothCases, noBytes, oneByte, otherBytes } from "./byte-sets.js";
import { escapedByte, posixSets, setsInClass } from "./pattern-characters.js";

/** `[…]` as it was read: its bytes and where the text behind it starts; or what keeps it from being a set of bytes. */
export type ClassReading =
  | { readonly kind: "class"; readonly set: ByteSet; readonly end: number }
  | { readonly kind: "refused"; readonly construct: string };

interface Element {
  /** Undefined for several bytes, which no range starts or ends with. */
  readonly byte?: number;
  readonly set: ByteSet;
  readonly end: number;
}

type ElementReading = Element | { readonly construct: string };

const posix = /\[([:.=])((?:(?!\1\]|[\]\\])[\s\S])*)\1\]/y;

/** Reads a class of characters as PCRE does. @param start where its `[` stands */
export function readClass(text: string, start: number, ignoreCase: boolean): ClassReading {
  if (/^\[\[:[<>]:\]\]/.test(text.slice(start, start + 7)))
    return { kind: "refused", construct: "the word boundary `[[:<:]]` or `[[:>:]]`" };
  posix.lastIndex = start;
  if (posix.test(text)) return { kind: "refused", construct: "a POSIX class outside of `[…]`" };
  const isNegated = text.charAt(start + 1) === "^";
  const first = start + (isNegated ? 2 : 1);
  let set = noBytes;
  for (let at = first; at < text.length; ) {
    if (text.charAt(at) === "]" && at > first) {
      const folded = ignoreCase ? inBothCases(set) : set;
      return { kind: "class", set: isNegated ? otherBytes(folded) : folded, end: at + 1 };
    }
    const item = readItem(text, at, ignoreCase);
    if ("construct" in item) return { kind: "refused", construct: item.construct };
    set |= item.set;
    at = item.end;
  }
  return { kind: "refused", construct: "`[` that is never closed" };
}

/** A range, or what stands alone. */
function readItem(text: string, at: number, ignoreCase: boolean): ElementReading {
  const from = readElement(text, at, ignoreCase);
  if ("construct" in from) return from;
  const mayBeRange = text.charAt(from.end) === "-" && text.charAt(from.end + 1) !== "]";
  if (!mayBeRange || from.end + 1 >= text.length) return from;
  const to = from.byte === undefined ? undefined : readElement(text, from.end + 1, ignoreCase);
  if (to && "construct" in to) return to;
  if (from.byte === undefined || to?.byte === undefined || to.byte < from.byte)
    return { construct: "a range of characters that PCRE refuses" };
  return { set: byteRange(from.byte, to.byte), end: to.end };
}

function readElement(text: string, at: number, ignoreCase: boolean): ElementReading {
  const character = text.charAt(at);
  if (character === "\\") return readEscape(text, at);
  posix.lastIndex = at;
  const [whole, mark, name = ""] = posix.exec(text) ?? [];
  if (whole === undefined) return { byte: character.charCodeAt(0), set: oneByte(character.charCodeAt(0)), end: at + 1 };
  const named = mark === ":" ? posixSets.get(name.replace(/^\^/, "")) : undefined;
  if (named === undefined) return { construct: `\`${whole}\`` };
  const folded = ignoreCase ? inBothCases(named) : named;
  return { set: name.startsWith("^") ? otherBytes(folded) : folded, end: at + whole.length };
}

function readEscape(text: string, at: number): ElementReading {
  const several = setsInClass.get(text.charAt(at + 1));
  if (several !== undefined) return { set: several, end: at + 2 };
  const found = escapedByte(text, at, true);
  if (found === undefined) return { construct: `\`${text.slice(at, at + 2)}\` in a class` };
  return { byte: found.byte, set: oneByte(found.byte), end: found.end };
}
