/** An error that prevents a pattern from compiling, with its position in the pattern. */
export interface PatternCompileError {
  /** A clause. */
  readonly wrong: string;
  /** The remedy, as a clause. */
  readonly remedy: string;
  readonly start: number;
  readonly end: number;
}

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

export function describeUnknownEscape(at: number, letter: string): PatternCompileError {
  const wrong = `PCRE2 knows no escape \`\\${letter}\``;
  return { start: at, end: at + 2, wrong, remedy: "take the backslash out, or double it where one is meant" };
}

const codes: Readonly<Record<string, number>> = { a: 7, b: 8, e: 27, f: 12, n: 10, r: 13, t: 9 };

/** Returns the character code of an escape inside a class. */
function escapedCharacterCode(letter: string): number {
  return codes[letter] ?? letter.charCodeAt(0);
}

const posixNames = new Set(
  "alpha lower upper alnum ascii blank cntrl digit graph print punct space word xdigit".split(" "),
);

/** `[:name:]`, `[.x.]` or `[=x=]` as PCRE2 finds them, starting at the mark (`check_posix_syntax`). */
const posixSyntax = /([:.=])((?:\\[\]\\]|(?!\[\1|\]|\1\]|\\[\]\\])[\s\S])*)\1\]/y;

/** Parses `[…]`, from its `[`, as PCRE2's first pass does. */
export class ClassValidator {
  private at: number;
  /** The preceding character, if a range may start with it. */
  private from: number | undefined;
  /** The position of the hyphen of an unfinished range. */
  private hyphen: number | undefined;
  private first = 0;

  constructor(
    private readonly text: string,
    private readonly start: number,
  ) {
    this.at = start + 1;
  }

  /** Returns the offset after the class, or the error; undefined if it is not checked. */
  read(): number | PatternCompileError | undefined {
    const { start, text } = this;
    // Another library's markers for word boundaries.
    if (/^\[:[<>]:\]\]/.test(text.slice(start + 1, start + 7))) return start + 7;
    const posix = this.posixAt(start);
    if (posix)
      return this.error(start, posix.end, `\`${posix.text}\` stands outside of \`[…]\``, `write \`[${posix.text}]\``);
    if (/^\^?\\[EQ]/.test(text.slice(start + 1, start + 4))) return undefined;
    if (text.charAt(this.at) === "^") this.at++;
    this.first = this.at;
    return this.content();
  }

  private content(): number | PatternCompileError | undefined {
    const { text } = this;
    for (;;) {
      const char = text.charAt(this.at);
      if (char === "")
        return this.error(
          this.start,
          this.start + 1,
          "`[` is never closed",
          "close it, or write `\\[` for the character",
        );
      if (char === "]" && this.at > this.first) return this.at + 1;
      const next =
        char === "\\" ? this.escape() : char === "[" ? this.bracket() : this.character(char.charCodeAt(0), 1);
      if (typeof next !== "number") return next;
      this.at = next;
    }
  }

  private error(start: number, end: number, wrong: string, remedy: string): PatternCompileError {
    return { start, end: Math.min(end, this.text.length), wrong, remedy };
  }

  private posixAt(at: number): { mark: string; name: string; text: string; end: number } | undefined {
    posixSyntax.lastIndex = at + 1;
    const [whole, mark = "", name = ""] = posixSyntax.exec(this.text) ?? [];
    return whole === undefined ? undefined : { mark, name, text: `[${whole}`, end: at + 1 + whole.length };
  }

  private bracket(): number | PatternCompileError | undefined {
    const { at } = this;
    const posix = this.posixAt(at);
    if (posix === undefined) return this.character(0x5b, 1);
    if (this.hyphen !== undefined) return this.badRange(posix.end);
    if (posix.mark !== ":")
      return this.error(at, posix.end, `PCRE2 has no collating elements such as \`${posix.text}\``, "take it out");
    if (!posixNames.has(posix.name.replace(/^\^/, "")))
      return this.error(at, posix.end, `\`${posix.text}\` is no class of characters`, "correct its name");
    return this.set(posix.end);
  }

  /** Reads a character, which may start or end a range. */
  private character(code: number, length: number): number | PatternCompileError {
    const { at } = this;
    if (length === 1 && code === 0x2d && this.from !== undefined && this.hyphen === undefined) {
      this.hyphen = at;
      return at + 1;
    }
    const { from, hyphen } = this;
    this.hyphen = undefined;
    if (hyphen === undefined || from === undefined) {
      this.from = code;
      return at + length;
    }
    this.from = undefined;
    if (code >= from) return at + length;
    const start = this.rangeStart(hyphen);
    const range = this.text.slice(start, at + length);
    return this.error(
      start,
      at + length,
      `the range \`${range}\` ends before it starts`,
      "turn it round, or write `\\-` for the character",
    );
  }

  private rangeStart(hyphen: number): number {
    const isEscaped = this.text.charAt(hyphen - 2) === "\\" && hyphen - 2 >= this.first;
    return hyphen - (isEscaped ? 2 : 1);
  }

  private escape(): number | PatternCompileError | undefined {
    const { at, text } = this;
    const letter = text.charAt(at + 1);
    if (letter === "") return this.error(at, at + 1, "a backslash ends it", "take it out");
    const kind = classifyEscape(letter);
    if (kind === "unknown") return describeUnknownEscape(at, letter);
    if (kind === "class") return this.hyphen === undefined ? this.set(at + 2) : this.badRange(at + 2);
    if (kind === "character" && !/[0EQ]/.test(letter)) return this.character(escapedCharacterCode(letter), 2);
    if (letter === "b") return this.character(escapedCharacterCode(letter), 2);
    return undefined;
  }

  /** Reads a class of several characters, which can neither start nor end a range. */
  private set(end: number): number | PatternCompileError {
    const { text } = this;
    this.from = undefined;
    if (text.charAt(end) === "-" && end + 1 < text.length && text.charAt(end + 1) !== "]")
      return this.badRange(end + 1);
    return end;
  }

  private badRange(end: number): PatternCompileError {
    const start = this.hyphen ?? this.at;
    const wrong = `\`${this.text.slice(start, end)}\` in a class is no range in PCRE2`;
    return this.error(start, end, wrong, "put the hyphen last in the class, or write `\\-`");
  }
}
