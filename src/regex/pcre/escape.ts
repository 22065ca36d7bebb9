/**
 * The meaning of a backslash and a character in PCRE2: one character; any of several; any of several, but not in a
 * class; a position between characters; a group; a character by its number; a longer construct that is not checked;
 * nothing, which is an error.
 */
export type PatternEscapeKind =
  | "character"
  | "class"
  | "sequence"
  | "position"
  | "reference"
  | "hexadecimal"
  | "complex"
  | "unknown";

const letters: Readonly<Partial<Record<PatternEscapeKind, string>>> = {
  character: "aefnrt0",
  class: "dDsSwWhHvV",
  sequence: "CNRX",
  position: "AbBGKZz",
  reference: "1234567",
  hexadecimal: "x",
  complex: "89cgkopP",
  unknown: "FIJLMOTUYijlmquy",
};

const kinds = new Map<string, PatternEscapeKind>();
for (const kind of Object.keys(letters) as PatternEscapeKind[])
  for (const letter of letters[kind] ?? "") kinds.set(letter, kind);

export function classifyEscape(letter: string): PatternEscapeKind {
  return kinds.get(letter) ?? "character";
}

/** Escapes beyond the regular subset that have a name. The first match counts. */
const irregularEscapes: readonly (readonly [RegExp, string])[] = [
  [/^\\b/, "a word boundary"],
  [/^\\B/, "a position inside or outside words"],
  [/^\\g[<']/, "a recursion"],
  [/^\\[1-9gk]/, "a back reference"],
  [/^\\[pP]/, "a Unicode property"],
];

/** Names the construct that an escape outside of a class starts. @param at the offset of its backslash */
export function nameEscape(text: string, at: number): string {
  const start = text.slice(at, at + 3);
  return irregularEscapes.find(([form]) => form.test(start))?.[1] ?? `\`${start.slice(0, 2)}\``;
}

const controls: Readonly<Record<string, number>> = { a: 7, e: 27, f: 12, n: 10, r: 13, t: 9 };

/** An escaped character, and the offset of the text after it. */
interface EscapedCharacter {
  readonly code: number;
  readonly end: number;
}

const numbered = /\\(?:x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{0,2}))|o\{([0-7]+)\}|(0[0-7]{0,2}))/y;
const octal = /\\([0-7]{1,3})/y;

/**
 * Returns the character that an escape represents; undefined if it is not a byte, or if PCRE releases disagree.
 *
 * @param at the offset of its backslash
 */
export function parseEscapedCharacter(text: string, at: number, inClass: boolean): EscapedCharacter | undefined {
  const letter = text.charAt(at + 1);
  const control = inClass && letter === "b" ? 8 : controls[letter];
  if (control !== undefined) return { code: control, end: at + 2 };
  if (letter === "c") return parseControlCharacter(text, at);
  numbered.lastIndex = at;
  const found = numbered.exec(text);
  if (found) {
    const [whole, braced, short, braced8, short8] = found;
    // Braces without a number are an error, or plain text in older releases.
    if (short === "" && text.charAt(at + 2) === "{") return undefined;
    const hexadecimal = braced ?? short;
    const code =
      hexadecimal === undefined ? Number.parseInt(braced8 ?? short8 ?? "", 8) : parseHexadecimal(hexadecimal);
    return asByte(code, at + whole.length);
  }
  octal.lastIndex = at;
  const [whole = "", number] = (inClass && octal.exec(text)) || [];
  if (number !== undefined) return asByte(Number.parseInt(number, 8), at + whole.length);
  return /[^A-Za-z0-9]/.test(letter) ? { code: letter.charCodeAt(0), end: at + 2 } : undefined;
}

/** Parses a hexadecimal number; no digits mean zero. */
function parseHexadecimal(text: string): number {
  return text === "" ? 0 : Number.parseInt(text, 16);
}

function asByte(code: number, end: number): EscapedCharacter | undefined {
  return code <= 0xff ? { code, end } : undefined;
}

function parseControlCharacter(text: string, at: number): EscapedCharacter | undefined {
  const character = text.charAt(at + 2);
  if (!/[ -~]/.test(character)) return undefined;
  return { code: character.toUpperCase().charCodeAt(0) ^ 0x40, end: at + 3 };
}
