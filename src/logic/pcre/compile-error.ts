import { ClassValidator, classifyEscape, describeUnknownEscape, type PatternCompileError } from "./class-error.js";

/**
 * Returns the reason why a regular expression does not compile in PCRE2, which httpd 2.4 is built with. It is reported
 * only if all releases from 10.30 to 10.47 agree. Undefined if it compiles, or for constructs that are not checked:
 * named references, conditions, verbs, and the text after `(?x)`.
 *
 * @param pattern one code unit per byte
 */
export function findPatternError(pattern: string): PatternCompileError | undefined {
  // Most patterns with one of these are valid, but many patterns have none.
  return /[\\[\](){*+?]/.test(pattern) ? new PatternValidator(pattern).read() : undefined;
}

/**
 * An option setting that starts with `(?`: option letters, then `)` or `:`. Letters that no release knows are an error.
 */
const options = /\^?[imnsxJU-]*/y;
const optionsOfSome = /[aDPSTWr]/;

const groupName = /[A-Za-z_]\w*/y;

/** A complete call or reference; whether its group exists is not checked. */
const completeReference = /(?:R|[+-]?\d+|&[A-Za-z_]\w*|P[=>][A-Za-z_]\w*)\)/y;

const digits = /\d+/y;
const repeatCount = /\{(\d+)(?:(,)(\d*))?\}/y;

/** Parses a pattern as PCRE2's first pass does (`parse_regex` in src/pcre2_compile.c). */
class PatternValidator {
  private at = 0;
  /** Whether a quantifier may follow. */
  private repeatable = false;
  /** Whether the last item is a quantifier, which `?` or `+` may make lazy or possessive. */
  private repeated = false;
  /** The start offsets of the open groups. */
  private readonly open: number[] = [];
  private groups = 0;
  /** The first reference to each group by one digit. */
  private references: Map<number, number> | undefined;
  /** Whether an unsupported construct was found, so that the result is uncertain. */
  private lost = false;

  constructor(private readonly text: string) {}

  read(): PatternCompileError | undefined {
    const { text } = this;
    while (this.at < text.length) {
      const error = this.item();
      if (error || this.lost) return error;
    }
    const unclosed = this.open.at(-1);
    if (unclosed !== undefined) return this.unclosed(unclosed);
    for (const [group, at] of this.references ?? []) {
      if (group <= this.groups) continue;
      const wrong = `\`\\${group}\` refers to a group that does not exist`;
      return this.error(at, at + 2, wrong, "take it out, or put what it refers to in `(…)`");
    }
    return undefined;
  }

  private item(): PatternCompileError | undefined {
    const { at, text } = this;
    if (text.startsWith("\\Q", at) || text.startsWith("\\E", at)) return this.quoted();
    if (text.startsWith("(?#", at)) return this.comment();
    const { repeated } = this;
    this.repeated = false;
    const char = text.charAt(at);
    switch (char) {
      case "\\":
        return this.escape();
      case "[":
        return this.characterClass();
      case "(":
        return this.group();
      case ")":
        return this.groupEnd();
      case "|":
      case "^":
      case "$":
        return this.addItem(1, false);
      case "*":
      case "+":
      case "?":
        if (repeated && char !== "*") return this.addItem(1, false);
        return this.quantifier(1);
      case "{":
        return this.braces();
      default:
        return this.addItem(1, true);
    }
  }

  private addItem(length: number, repeatable: boolean): undefined {
    this.at += length;
    this.repeatable = repeatable;
  }

  private giveUp(): undefined {
    this.lost = true;
  }

  private error(start: number, end: number, wrong: string, remedy: string): PatternCompileError {
    return { start, end: Math.min(end, this.text.length), wrong, remedy };
  }

  private unclosed(at: number): PatternCompileError {
    return this.error(at, at + 1, "`(` is never closed", "close it, or write `\\(` for the character");
  }

  /** Skips literal text from `\Q` to `\E` or the end. Neither counts as an item. */
  private quoted(): undefined {
    const from = this.at + 2;
    if (this.text.charAt(this.at + 1) === "E") {
      this.at = from;
      return;
    }
    const end = this.text.indexOf("\\E", from);
    if ((end < 0 ? this.text.length : end) > from) {
      this.repeatable = true;
      this.repeated = false;
    }
    this.at = end < 0 ? this.text.length : end + 2;
  }

  private comment(): PatternCompileError | undefined {
    const { at } = this;
    const end = this.text.indexOf(")", at);
    if (end < 0) return this.error(at, at + 3, "`(?#` starts a comment that is never closed", "close it");
    this.at = end + 1;
    return undefined;
  }

  private escape(): PatternCompileError | undefined {
    const { at, text } = this;
    const letter = text.charAt(at + 1);
    if (letter === "") return this.error(at, at + 1, "a backslash ends it", "take it out");
    const kind = classifyEscape(letter);
    if (kind === "unknown") return describeUnknownEscape(at, letter);
    if (kind === "complex") return this.giveUp();
    if (kind === "reference") return this.reference();
    // A number or a name in braces, which are not a quantifier here.
    if (/[xN]/.test(letter) && text.charAt(at + 2) === "{") return this.giveUp();
    return this.addItem(2, kind !== "position");
  }

  /** `\1` to `\7`; with more digits it may be a character code. */
  private reference(): undefined {
    const { at, text } = this;
    digits.lastIndex = at + 1;
    const [number = ""] = digits.exec(text) ?? [];
    if (number.length > 1) return this.giveUp();
    this.references ??= new Map();
    if (!this.references.has(Number(number))) this.references.set(Number(number), at);
    return this.addItem(2, true);
  }

  private characterClass(): PatternCompileError | undefined {
    const read = new ClassValidator(this.text, this.at).read();
    if (read === undefined) return this.giveUp();
    if (typeof read !== "number") return read;
    return this.addItem(read - this.at, true);
  }

  private quantifier(length: number): PatternCompileError | undefined {
    const { at } = this;
    if (!this.repeatable) {
      return this.nothingToRepeat(at, length);
    }
    this.repeated = true;
    return this.addItem(length, false);
  }

  private nothingToRepeat(at: number, length: number): PatternCompileError {
    const word = this.text.slice(at, at + length);
    const remedy =
      word === "*" ? "write `.*` for any text, `\\*` for the character" : `write \`\\${word}\` for the text`;
    return this.error(at, at + length, `there is nothing that \`${word}\` could repeat`, remedy);
  }

  /** Braces with anything but numbers in them are plain text. */
  private braces(): PatternCompileError | undefined {
    const { at } = this;
    repeatCount.lastIndex = at;
    const [whole, least = "", comma, most = ""] = repeatCount.exec(this.text) ?? [];
    if (whole === undefined) return this.addItem(1, true);
    const end = at + whole.length;
    if (Number(least) > 65_535 || Number(most) > 65_535)
      return this.error(at, end, `\`${whole}\` has a number above 65535`, "write a smaller one");
    if (comma && most !== "" && Number(most) < Number(least))
      return this.error(at, end, `\`${whole}\` has its numbers in the wrong order`, "write the smaller one first");
    return this.quantifier(whole.length);
  }

  private groupEnd(): PatternCompileError | undefined {
    if (this.open.pop() === undefined)
      return this.error(this.at, this.at + 1, "`)` closes nothing", "take it out, or write `\\)` for the character");
    return this.addItem(1, true);
  }

  private openGroup(length: number): undefined {
    this.open.push(this.at);
    return this.addItem(length, false);
  }

  private group(): PatternCompileError | undefined {
    const { at, text } = this;
    const next = text.charAt(at + 1);
    if (next === "*") return this.verb();
    if (next !== "?") {
      this.groups++;
      return this.openGroup(1);
    }
    const kind = text.charAt(at + 2);
    switch (kind) {
      case "":
        return this.unclosed(at);
      case ":":
      case "|":
      case ">":
      case "=":
      case "!":
        return this.openGroup(3);
      case "<":
        return this.lookbehind();
      case "'":
        return this.namedGroup(3, "'");
      case "P":
        return text.charAt(at + 3) === "<" ? this.namedGroup(4, ">") : this.completeReference();
      case "(":
      case "*":
      case "[":
      case "C":
        return this.giveUp();
      default:
        return /[R&\d+]|-\d/y.test(text.slice(at + 2, at + 4)) ? this.completeReference() : this.optionsGroup();
    }
  }

  /** `(*` before a name is a verb; before anything else PCRE2 finds a star without a preceding item. */
  private verb(): PatternCompileError | undefined {
    const { at, text } = this;
    if (/[\w:]/.test(text.charAt(at + 2))) return this.giveUp();
    return this.nothingToRepeat(at + 1, 1);
  }

  private lookbehind(): PatternCompileError | undefined {
    const next = this.text.charAt(this.at + 3);
    if (next === "=" || next === "!") return this.openGroup(4);
    return next === "*" ? this.giveUp() : this.namedGroup(3, ">");
  }

  private namedGroup(length: number, end: string): PatternCompileError | undefined {
    const { at, text } = this;
    groupName.lastIndex = at + length;
    const [name = ""] = groupName.exec(text) ?? [];
    // Letters of other languages are not checked, and neither is the length limit of names.
    if (/[\x80-\xff]/.test(text.charAt(at + length + name.length)) || name.length > 32) return this.giveUp();
    if (name === "" || text.charAt(at + length + name.length) !== end) {
      const start = text.slice(at, at + length);
      const wrong = `\`${start}\` has no name with a \`${end}\` behind it`;
      return this.error(at, at + length + name.length, wrong, "correct it, or write `(` alone");
    }
    this.groups++;
    return this.openGroup(length + name.length + 1);
  }

  private completeReference(): PatternCompileError | undefined {
    completeReference.lastIndex = this.at + 2;
    const [reference] = completeReference.exec(this.text) ?? [];
    return reference === undefined ? this.giveUp() : this.addItem(2 + reference.length, true);
  }

  private optionsGroup(): PatternCompileError | undefined {
    const { at, text } = this;
    options.lastIndex = at + 2;
    const [letters = ""] = options.exec(text) ?? [];
    const next = at + 2 + letters.length;
    const end = text.charAt(next);
    // After `x`, white space and comments are skipped.
    if (letters.includes("x") || /-.*-|\^.*-/.test(letters) || optionsOfSome.test(end)) return this.giveUp();
    if (end === ":") return this.openGroup(letters.length + 3);
    if (end === ")") return this.addItem(letters.length + 3, false);
    if (end === "") return this.unclosed(at);
    const start = text.slice(at, next + 1);
    return this.error(
      at,
      next + 1,
      `\`${start}\` starts no kind of group`,
      "correct it, or write `\\(` for the character",
    );
  }
}
