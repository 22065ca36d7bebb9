import type { ClassItem, ClassNode, IrregularNode, PatternErrorCode, PatternSpan } from "./ast.js";
import { classifyEscape, parseEscapedCharacter } from "./escape.js";

/** Receives what the parsers find besides nodes. */
export interface PatternProblems {
  report(code: PatternErrorCode, start: number, end: number): void;
  /** Records a construct that is not checked, so that no later error is certain. */
  markUncertain(): void;
}

const posixNames = new Set(
  "alpha lower upper alnum ascii blank cntrl digit graph print punct space word xdigit".split(" "),
);

/** `[:name:]`, `[.x.]` or `[=x=]` as PCRE2 finds them (`check_posix_syntax`). */
const posixSyntax = /\[([:.=])((?:\\[\]\\]|(?!\[\1|\]|\1\]|\\[\]\\])[\s\S])*)\1\]/y;

/** Parses `[…]`. @param start offset of its `[` */
export function parseClass(
  text: string,
  start: number,
  ignoreCase: boolean,
  problems: PatternProblems,
): ClassNode | IrregularNode {
  // Another library's markers for word boundaries.
  if (/^\[\[:[<>]:\]\]/.test(text.slice(start, start + 7)))
    return { kind: "irregular", construct: "the word boundary `[[:<:]]` or `[[:>:]]`", start, end: start + 7 };
  const posix = matchPosix(text, start);
  if (posix) {
    problems.report("posix-outside-class", start, posix.end);
    return { kind: "irregular", construct: "a POSIX class outside of `[…]`", start, end: posix.end };
  }
  return new ClassParser(text, start, ignoreCase, problems).parse();
}

function matchPosix(text: string, at: number) {
  posixSyntax.lastIndex = at;
  const [whole, mark, name = ""] = posixSyntax.exec(text) ?? [];
  return whole === undefined ? undefined : { whole, mark, name, end: at + whole.length };
}

interface PositionedItem extends PatternSpan {
  readonly item: ClassItem;
  /** The character, if a range may start or end with it. */
  readonly code?: number;
  readonly error?: PatternErrorCode | undefined;
}

class ClassParser {
  private readonly items: ClassItem[] = [];

  constructor(
    private readonly text: string,
    private readonly start: number,
    private readonly ignoreCase: boolean,
    private readonly problems: PatternProblems,
  ) {}

  parse(): ClassNode {
    const { text, start } = this;
    const isNegated = text.charAt(start + 1) === "^";
    const first = start + (isNegated ? 2 : 1);
    let at = first;
    while (at < text.length && (text.charAt(at) !== "]" || at === first)) at = this.parseItem(at);
    const isClosed = at < text.length;
    if (!isClosed) this.problems.report("unclosed-class", start, start + 1);
    const end = isClosed ? at + 1 : text.length;
    return { kind: "class", isNegated, ignoreCase: this.ignoreCase, items: this.items, isClosed, start, end };
  }

  /** Parses a range, or a single element. Returns the offset after it. */
  private parseItem(at: number): number {
    const { text } = this;
    const from = this.parseElement(at);
    this.report(from);
    const hyphen = from.end;
    const isRange = text.charAt(hyphen) === "-" && hyphen + 1 < text.length && text.charAt(hyphen + 1) !== "]";
    if (!isRange || from.item.kind === "irregular") {
      this.items.push(from.item);
      return from.end;
    }
    if (from.code === undefined) return this.addBadRange(from.start, hyphen + 1);
    const to = this.parseElement(hyphen + 1);
    if (to.code === undefined && to.item.kind === "irregular" && text.charAt(to.start) === "\\") {
      this.report(to);
      this.items.push(to.item);
    } else if (to.code === undefined) return this.addBadRange(hyphen, to.end, to.item);
    else if (to.code < from.code) return this.addBadRange(from.start, to.end, to.item, "range-order");
    else this.items.push({ kind: "range", from: from.code, to: to.code });
    return to.end;
  }

  private report({ error, start, end }: PositionedItem): void {
    if (error !== undefined) this.problems.report(error, start, end);
  }

  private addBadRange(start: number, end: number, to?: ClassItem, code: PatternErrorCode = "bad-range"): number {
    this.problems.report(code, start, end);
    const construct = "a range of characters that PCRE rejects";
    this.items.push(to?.kind === "irregular" ? to : { kind: "irregular", construct });
    return end;
  }

  private parseElement(start: number): PositionedItem {
    const character = this.text.charAt(start);
    if (character === "\\") return this.parseEscape(start);
    const posix = character === "[" ? matchPosix(this.text, start) : undefined;
    if (posix === undefined) return characterItem(character.charCodeAt(0), start, start + 1);
    const { whole, mark, end } = posix;
    const name = posix.name.replace(/^\^/, "");
    if (mark === ":" && posixNames.has(name))
      return { item: { kind: "posix", name, isNegated: posix.name.startsWith("^") }, start, end };
    const error = mark === ":" ? "unknown-posix-class" : "collating-element";
    return { item: { kind: "irregular", construct: `\`${whole}\`` }, start, end, error };
  }

  private parseEscape(start: number): PositionedItem {
    const { text } = this;
    const letter = text.charAt(start + 1);
    const kind = classifyEscape(letter);
    if (kind === "class") return { item: { kind: "set", letter }, start, end: start + 2 };
    const error = letter === "" ? "trailing-backslash" : kind === "unknown" ? "unknown-escape" : undefined;
    const isChecked = (kind === "character" && !/[0EQ]/.test(letter)) || letter === "b";
    if (error === undefined && !isChecked) this.problems.markUncertain();
    const found = parseEscapedCharacter(text, start, true);
    if (found !== undefined) return characterItem(found.code, start, found.end);
    const end = Math.min(start + 2, text.length);
    return { item: { kind: "irregular", construct: `\`${text.slice(start, end)}\` in a class` }, start, end, error };
  }
}

function characterItem(code: number, start: number, end: number): PositionedItem {
  return { item: { kind: "range", from: code, to: code }, code, start, end };
}
