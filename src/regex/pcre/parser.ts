import type { GroupNode, PatternError, PatternErrorCode, PatternNode, PatternSpan, PatternTree } from "./ast.js";
import { type PatternProblems, parseClass } from "./class-parser.js";
import { classifyEscape, nameEscape, parseEscapedCharacter } from "./escape.js";
import { type PatternFlags, parseOpening } from "./group-opening.js";

/**
 * Parses a pattern as PCRE2's first pass does (`parse_regex` in src/pcre2_compile.c), with a stack of its own: a pattern
 * may nest any number of groups. It continues after an error.
 *
 * @param flags the options that apply at its start; those that it sets are in the nodes
 */
export function parsePcre(text: string, flags: Partial<PatternFlags> = {}): PatternTree {
  return new PcreParser(text, { ...defaultFlags, ...flags }).parse();
}

const defaultFlags: PatternFlags = {
  ignoreCase: false,
  dotAll: true,
  extended: false,
  ungreedy: false,
  capturesUnnamed: true,
};

/** What PCRE2_EXTENDED skips: white space of the C locale, and a comment up to the end of its line. */
const skippedText = /(?:[ \t-\r]|#[^\n]*\n?)+/y;

const quantifierForm = /(?:[*+?]|\{(\d+)(,(\d*))?\})([+?]?)/y;
/** PCRE2 also accepts these since 10.43; before, they are plain text. */
const newQuantifierForm = /\{[ \t]*(?:\d+[ \t]*(?:,[ \t]*\d*[ \t]*)?|,[ \t]*\d+[ \t]*)\}/y;
/** The largest number in a quantifier. */
const MAX_REPEATS = 65_535;

/** A reference or a property with its name, which is not checked. */
const namedReference = /\\(?:[gk](?:\{[^}]{0,40}\}|<[^>]{0,40}>|'[^']{0,40}'|[+-]?\d+)|[pP]\{[^}]{0,40}\})/y;

type GroupStart = Omit<GroupNode, "branches" | "isClosed" | "end">;

/** A group whose end is not yet found. */
interface OpenGroup {
  readonly opening: GroupStart;
  readonly outerBranches: PatternNode[][];
  readonly outerFlags: PatternFlags;
}

class PcreParser implements PatternProblems {
  private at = 0;
  private branches: PatternNode[][] = [[]];
  private readonly open: OpenGroup[] = [];
  private readonly groups: GroupNode[] = [];
  private groupCount = 0;
  private readonly ignored: PatternSpan[] = [];
  /** Whether a quantifier may follow. */
  private repeatable = false;
  /** Whether the last item is a quantifier, which `?` or `+` may make lazy or possessive. */
  private repeated = false;
  /** The first reference to each group by one digit. */
  private readonly references = new Map<number, number>();
  private error: PatternError | undefined;
  private isUncertain = false;

  constructor(
    private readonly text: string,
    private flags: PatternFlags,
  ) {}

  parse(): PatternTree {
    const { text } = this;
    while (this.at < text.length) this.parseItem();
    const unclosed = this.open.at(-1)?.opening.start;
    if (unclosed !== undefined) this.report("unclosed-group", unclosed, unclosed + 1);
    while (this.open.length > 0) this.closeGroup(false);
    for (const [group, at] of this.references) if (group > this.groupCount) this.report("missing-group", at, at + 2);
    const { branches, ignored, error } = this;
    const groups = this.groups.sort((a, b) => a.start - b.start);
    return { text, branches, groups, ignored, error };
  }

  report(code: PatternErrorCode, start: number, end: number): void {
    if (!this.isUncertain) this.error ??= { code, start, end: Math.min(end, this.text.length) };
  }

  markUncertain(): void {
    this.isUncertain = true;
  }

  private parseItem(): undefined {
    const { at, text } = this;
    if (this.flags.extended && this.skipText()) return;
    const char = text.charAt(at);
    switch (char) {
      case "*":
      case "+":
      case "?":
      case "{":
        return this.parseQuantifier(char);
      case "\\":
        if (text.charAt(at + 1) === "Q" || text.charAt(at + 1) === "E") return this.parseQuoted();
        break;
      case "(":
        if (text.startsWith("(?#", at)) return this.parseComment();
    }
    this.repeated = false;
    switch (char) {
      case "\\":
        return this.parseEscape();
      case "[": {
        const node = parseClass(text, at, this.flags.ignoreCase, this);
        return this.add(node, true);
      }
      case "(":
        return this.parseParenthesis();
      case ")":
        return this.parseGroupEnd();
      case "|":
        this.branches.push([]);
        this.at++;
        this.repeatable = false;
        return;
      case "^":
      case "$":
        return this.add({ kind: "assertion", mark: char, ...this.spanOf(1) }, false);
      case ".":
        return this.add({ kind: "dot", dotAll: this.flags.dotAll, ...this.spanOf(1) }, true);
      default:
        return this.addLiteral(text.charCodeAt(at), at + 1);
    }
  }

  private spanOf(length: number): PatternSpan {
    return { start: this.at, end: Math.min(this.at + length, this.text.length) };
  }

  /** Adds a node to the current branch and continues after it. */
  private add(node: PatternNode, repeatable: boolean): undefined {
    this.branches.at(-1)?.push(node);
    this.at = node.end;
    this.repeatable = repeatable;
  }

  private addLiteral(code: number, end: number): undefined {
    this.add(
      { kind: "literal", code, ignoreCase: this.flags.ignoreCase, isNewQuantifier: false, start: this.at, end },
      true,
    );
  }

  private addIrregular(length: number, repeatable: boolean, construct: string): undefined {
    this.add({ kind: "irregular", construct, ...this.spanOf(length) }, repeatable);
  }

  /** Parses literal text from `\Q` to `\E` or the end. Neither counts as an item. */
  private parseQuoted(): undefined {
    this.ignored.push(this.spanOf(2));
    const isEnd = this.text.charAt(this.at + 1) === "E";
    this.at += 2;
    if (isEnd) return;
    const end = this.text.indexOf("\\E", this.at);
    const quotedTo = end < 0 ? this.text.length : end;
    if (this.at < quotedTo) this.repeated = false;
    while (this.at < quotedTo) this.addLiteral(this.text.charCodeAt(this.at), this.at + 1);
  }

  /** Skips white space and comments, which may stand before a quantifier; reports whether there are any. */
  private skipText(): boolean {
    skippedText.lastIndex = this.at;
    const { length } = skippedText.exec(this.text)?.[0] ?? "";
    if (length === 0) return false;
    this.ignored.push(this.spanOf(length));
    this.at += length;
    return true;
  }

  private parseComment(): undefined {
    const { at, text } = this;
    const end = text.indexOf(")", at) + 1;
    if (end > 0) {
      this.ignored.push({ start: at, end });
      this.at = end;
      return;
    }
    this.report("unclosed-comment", at, at + 3);
    this.addIrregular(text.length - at, false, "a comment that is never closed");
  }

  private parseQuantifier(char: string): undefined {
    const { at, text } = this;
    const { repeatable, repeated } = this;
    this.repeated = false;
    quantifierForm.lastIndex = at;
    const [whole = "", min, comma, max = "", suffix = ""] = quantifierForm.exec(text) ?? [];
    if (whole === "") {
      newQuantifierForm.lastIndex = at;
      const isNewQuantifier = newQuantifierForm.test(text);
      const { ignoreCase } = this.flags;
      return this.add({ kind: "literal", code: 0x7b, ignoreCase, isNewQuantifier, ...this.spanOf(1) }, true);
    }
    const length = whole.length - suffix.length;
    const isTooLarge = Number(min) > MAX_REPEATS || Number(max) > MAX_REPEATS;
    if (isTooLarge || (max !== "" && Number(max) < Number(min))) {
      this.report(isTooLarge ? "quantifier-size" : "quantifier-order", at, at + length);
      return this.addIrregular(whole.length, false, "a quantifier with numbers that PCRE rejects");
    }
    const of = repeatable ? this.branches.at(-1)?.pop() : undefined;
    if (of === undefined) {
      // Between a quantifier and its suffix, PCRE2 ignores comments and the end of quoted text.
      const isSuffix = repeated && /[+?]/.test(char);
      if (!isSuffix) this.report("nothing-to-repeat", at, at + length);
      return this.addIrregular(isSuffix ? 1 : whole.length, false, `\`${char}\` with nothing to repeat`);
    }
    const isLazy = (suffix === "?") !== this.flags.ungreedy;
    const mode = suffix === "+" ? "possessive" : isLazy ? "lazy" : "greedy";
    const [fewest, largest] = min === undefined ? boundsOf(char) : boundsOfNumbers(min, comma, max);
    this.add({ kind: "repeat", of, min: fewest, max: largest, mode, start: of.start, end: at + whole.length }, false);
    this.repeated = suffix === "";
  }

  private parseEscape(): undefined {
    const { at, text } = this;
    const letter = text.charAt(at + 1);
    const kind = classifyEscape(letter);
    if (letter === "") this.report("trailing-backslash", at, at + 1);
    else if (kind === "unknown") this.report("unknown-escape", at, at + 2);
    // A number or a name in braces, which are not a quantifier here.
    else if (kind === "complex" || (/[xN]/.test(letter) && text.charAt(at + 2) === "{")) this.markUncertain();
    else if (kind === "reference") this.addReference();
    if (letter === "A" || letter === "z" || letter === "Z")
      return this.add({ kind: "assertion", mark: letter, ...this.spanOf(2) }, false);
    if (/[dDsSwWNC]/.test(letter) && !text.startsWith("\\N{", at))
      return this.add({ kind: "set", letter, ...this.spanOf(2) }, true);
    const found = parseEscapedCharacter(text, at, false);
    if (found !== undefined) return this.addLiteral(found.code, found.end);
    namedReference.lastIndex = at;
    const { length } = namedReference.exec(text)?.[0] ?? text.slice(at, at + 2);
    return this.addIrregular(length, kind !== "position", nameEscape(text, at));
  }

  /** Records `\1` to `\7`; with more digits it may be a character code. */
  private addReference(): undefined {
    const { at, text } = this;
    const group = Number(text.charAt(at + 1));
    if (/\d/.test(text.charAt(at + 2))) this.markUncertain();
    else if (!this.references.has(group)) this.references.set(group, at);
  }

  private parseGroupEnd(): undefined {
    if (this.open.length > 0) return this.closeGroup(true);
    this.report("unmatched-parenthesis", this.at, this.at + 1);
    return this.addIrregular(1, true, "`)` that closes nothing");
  }

  private closeGroup(isClosed: boolean): undefined {
    const group = this.open.pop();
    if (group === undefined) return;
    const { opening, outerBranches, outerFlags } = group;
    const { start, number, name, depth, bodyStart, construct } = opening;
    const end = this.at + (isClosed ? 1 : 0);
    const { branches } = this;
    const node: GroupNode = {
      kind: "group",
      number,
      name,
      depth,
      bodyStart,
      branches,
      isClosed,
      construct,
      start,
      end,
    };
    if (number !== undefined) this.groups.push(node);
    this.branches = outerBranches;
    this.flags = outerFlags;
    this.add(node, true);
  }

  private parseParenthesis(): undefined {
    const { at } = this;
    const opening = parseOpening(this.text, at, this.flags, this);
    const { kind, construct, flags } = opening;
    const span = this.spanOf(opening.length);
    if (kind === "item") {
      if (construct === undefined) this.add({ kind: "options", ...span }, false);
      else this.add({ kind: "irregular", construct, ...span }, opening.repeatable);
      this.flags = flags;
      return;
    }
    const number = opening.isCapture ? ++this.groupCount : undefined;
    const { start, end: bodyStart } = span;
    const { name } = opening;
    const depth = this.open.length;
    const group: GroupStart = { kind: "group", number, name, construct, depth, bodyStart, start };
    this.open.push({ opening: group, outerBranches: this.branches, outerFlags: this.flags });
    this.branches = [[]];
    this.flags = flags;
    this.at = bodyStart;
    this.repeatable = false;
  }
}

type Bounds = readonly [min: number, max: number];

function boundsOf(mark: string): Bounds {
  return [mark === "+" ? 1 : 0, mark === "?" ? 1 : Number.POSITIVE_INFINITY];
}

function boundsOfNumbers(min: string, comma: string | undefined, max: string): Bounds {
  if (comma === undefined) return [Number(min), Number(min)];
  return [Number(min), max === "" ? Number.POSITIVE_INFINITY : Number(max)];
}
