/** What keeps a pattern from being compiled, with its place in the pattern. */
export interface PatternError {
  /** A clause. */
  readonly wrong: string;
  /** What to do, as a clause. */
  readonly remedy: string;
  readonly start: number;
  readonly end: number;
}

/**
 * What a backslash and a character stand for in PCRE2: one character; any of several; any of several, but not in a
 * class; a place between characters; a group; a character by its number; something longer that is not looked into;
 * nothing, which is an error.
 */
export type EscapeKind =
  | "character"
  | "class"
  | "sequence"
  | "position"
  | "reference"
  | "hexadecimal"
  | "complex"
  | "unknown";

const letters: Readonly<Partial<Record<EscapeKind, string>>> = {
  character: "aefnrt0",
  class: "dDsSwWhHvV",
  sequence: "CNRX",
  position: "AbBGKZz",
  reference: "1234567",
  hexadecimal: "x",
  complex: "89cgkopP",
  unknown: "FIJLMOTUYijlmquy",
};

const kinds = new Map<string, EscapeKind>();
for (const kind of Object.keys(letters) as EscapeKind[])
  for (const letter of letters[kind] ?? "") kinds.set(letter, kind);

export function escapeKind(letter: string): EscapeKind {
  return kinds.get(letter) ?? "character";
}

export function unknownEscape(at: number, letter: string): PatternError {
  const wrong = `PCRE2 knows no escape \`\\${letter}\``;
  return { start: at, end: at + 2, wrong, remedy: "take the backslash out, or double it where one is meant" };
}

const codes: Readonly<Record<string, number>> = { a: 7, b: 8, e: 27, f: 12, n: 10, r: 13, t: 9 };

/** The character that a backslash and one more stand for inside a class. */
export function escapedCode(letter: string): number {
  return codes[letter] ?? letter.charCodeAt(0);
}
