import { escapedCode, escapeKind, type PatternError, unknownEscape } from "./pattern-escape.js";

const posixNames = new Set(
  "alpha lower upper alnum ascii blank cntrl digit graph print punct space word xdigit".split(" "),
);

/** `[:name:]`, `[.x.]` or `[=x=]` as PCRE2 finds them, from the mark on (`check_posix_syntax`). */
const posixSyntax = /([:.=])((?:\\[\]\\]|(?!\[\1|\]|\1\]|\\[\]\\])[\s\S])*)\1\]/y;

/** Reads `[…]`, from its `[` on, as PCRE2's first pass does. */
export class ClassReader {
  private at: number;
  /** The character before, where a range may start from it. */
  private from: number | undefined;
  /** Where the hyphen of a range stands that has not ended yet. */
  private hyphen: number | undefined;
  private first = 0;

  constructor(
    private readonly text: string,
    private readonly start: number,
  ) {
    this.at = start + 1;
  }

  /** Where the text behind the class starts, or what is wrong; undefined where that is not looked into. */
  read(): number | PatternError | undefined {
    const { start, text } = this;
    // Another library's marks for where a word starts and ends.
    if (/^\[:[<>]:\]\]/.test(text.slice(start + 1, start + 7))) return start + 7;
    const posix = this.posixAt(start);
    if (posix)
      return this.error(start, posix.end, `\`${posix.text}\` stands outside of \`[…]\``, `write \`[${posix.text}]\``);
    if (/^\^?\\[EQ]/.test(text.slice(start + 1, start + 4))) return undefined;
    if (text.charAt(this.at) === "^") this.at++;
    this.first = this.at;
    return this.content();
  }

  private content(): number | PatternError | undefined {
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

  private error(start: number, end: number, wrong: string, remedy: string): PatternError {
    return { start, end: Math.min(end, this.text.length), wrong, remedy };
  }

  private posixAt(at: number): { mark: string; name: string; text: string; end: number } | undefined {
    posixSyntax.lastIndex = at + 1;
    const [whole, mark = "", name = ""] = posixSyntax.exec(this.text) ?? [];
    return whole === undefined ? undefined : { mark, name, text: `[${whole}`, end: at + 1 + whole.length };
  }

  private bracket(): number | PatternError | undefined {
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

  /** A character, which may start or end a range. */
  private character(code: number, length: number): number | PatternError {
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

  private escape(): number | PatternError | undefined {
    const { at, text } = this;
    const letter = text.charAt(at + 1);
    if (letter === "") return this.error(at, at + 1, "a backslash ends it", "take it out");
    const kind = escapeKind(letter);
    if (kind === "unknown") return unknownEscape(at, letter);
    if (kind === "class") return this.hyphen === undefined ? this.set(at + 2) : this.badRange(at + 2);
    if (kind === "character" && !/[0EQ]/.test(letter)) return this.character(escapedCode(letter), 2);
    if (letter === "b") return this.character(escapedCode(letter), 2);
    return undefined;
  }

  /** Several characters at once, which can neither start a range nor end one. */
  private set(end: number): number | PatternError {
    const { text } = this;
    this.from = undefined;
    if (text.charAt(end) === "-" && end + 1 < text.length && text.charAt(end + 1) !== "]")
      return this.badRange(end + 1);
    return end;
  }

  private badRange(end: number): PatternError {
    const start = this.hyphen ?? this.at;
    const wrong = `\`${this.text.slice(start, end)}\` in a class is no range in PCRE2`;
    return this.error(start, end, wrong, "put the hyphen last in the class, or write `\\-`");
  }
}
