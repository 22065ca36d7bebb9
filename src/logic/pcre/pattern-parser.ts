import {
  allBytes,
  alternate,
  byteSetOf,
  complementBytes,
  concatenate,
  emptyLanguage,
  emptyText,
  foldCase,
  matchAnywhere,
  matchBytes,
  newlineByte,
  type RegularLanguage,
  singleByte,
} from "../languages/regular-language.js";
import { parseClass, parseEscapedByte, patternEscapeSets } from "./character-class.js";
import { parseQuantifier, possessiveChangesLanguage } from "./quantifier.js";

/** PCRE constructs beyond the regular subset, by their start. The first match counts. */
const irregularConstructs: readonly (readonly [RegExp, string])[] = [
  [/^\(\?(?:<?[=!*])/, "looking around"],
  [/^\(\?>/, "an atomic group"],
  [/^\(\?\(/, "a condition"],
  [/^\(\?P=/, "a back reference"],
  [/^\(\?(?:R|[+-]?\d|&|P>)/, "a recursion"],
  [/^\(\?C/, "a callout"],
  [/^\(\*/, "a verb"],
  [/^\\[bB]/, "a word boundary"],
  [/^\\g[<']/, "a recursion"],
  [/^\\[1-9gk]/, "a back reference"],
  [/^\\[pP]/, "a Unicode property"],
];

/** Returns the name of the construct at an offset; undefined if it does not have one. */
function irregularConstructAt(text: string, at: number): string | undefined {
  const start = text.slice(at, at + 5);
  return irregularConstructs.find(([form]) => form.test(start))?.[1];
}

/** httpd's compile options for a pattern. Omitted ones have the defaults of 2.4. */
export interface PcreOptions {
  readonly ignoreCase?: boolean;
  /** `.` also matches a newline: not on 2.2. */
  readonly dotAll?: boolean;
  /** `$` matches only at the very end: on 2.2 also before a final newline. */
  readonly endOnly?: boolean;
  /** `$` never matches: 2.2 checks directories like that. */
  readonly withoutEnd?: boolean;
}

export type PatternParseResult =
  /**
   * The texts in which the pattern is found.
   * @property found the matched part
   */
  | { readonly kind: "regular"; readonly texts: RegularLanguage; readonly found: RegularLanguage }
  /** @property construct the construct that is invalid or outside the regular subset: a noun, as "a back reference" */
  | { readonly kind: "not regular"; readonly construct: string };

/**
 * Parses a PCRE pattern as a set of texts if it only contains literals, classes, `.`, alternatives, groups, quantifiers
 * and anchors. The result is exact: constructs that any release compiles differently count as outside.
 *
 * @param pattern one character per byte
 */
export function parsePattern(pattern: string, form: PcreOptions = {}): PatternParseResult {
  const reader = new PatternParser(pattern, form);
  const inner = reader.read();
  const construct =
    reader.construct ??
    (possessiveChangesLanguage(inner) ? "a possessive quantifier that changes what matches" : undefined);
  return construct === undefined
    ? { kind: "regular", texts: matchAnywhere(inner), found: inner }
    : { kind: "not regular", construct };
}

interface PatternFlags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
}

/** PCRE's own limit for nested groups. */
export const MOST_NESTED_GROUPS = 250;

const group = /\(\?(?::|\||P?<([A-Za-z_]\w{0,31})>|'([A-Za-z_]\w{0,31})')/y;
const options = /\(\?(\^?)([imnsxJU]*)(?:-([imnsxJU]*))?([:)])/y;

class PatternParser {
  /** The first construct that is not regular. */
  construct: string | undefined;
  private at = 0;
  /** The end of the plain text that `\Q` started. */
  private quotedTo = 0;
  private depth = 0;
  private readonly names = new Set<string>();
  private flags: PatternFlags;

  constructor(
    private readonly text: string,
    private readonly form: PcreOptions,
  ) {
    this.flags = { ignoreCase: form.ignoreCase ?? false, dotAll: form.dotAll ?? true };
  }

  read(): RegularLanguage {
    if (/[^\0-\xff]/.test(this.text)) return this.refuse("a character that is no byte");
    const all = this.alternatives();
    return this.at < this.text.length ? this.refuse("`)` that closes nothing") : all;
  }

  /** Stops parsing and discards what was parsed. */
  private refuse(construct: string): RegularLanguage {
    this.construct ??= construct;
    this.at = this.text.length;
    this.quotedTo = 0;
    return emptyLanguage;
  }

  private alternatives(): RegularLanguage {
    const branches: RegularLanguage[] = [this.branch()];
    while (this.isAt("|")) {
      this.at++;
      branches.push(this.branch());
    }
    const [only] = branches;
    return only && branches.length === 1 ? only : alternate(...branches);
  }

  private branch(): RegularLanguage {
    const parts: RegularLanguage[] = [];
    for (;;) {
      this.skip();
      if (this.at >= this.text.length || this.isAt("|") || this.isAt(")")) break;
      const item = this.item();
      this.skip();
      parts.push(item.repeatable ? this.quantified(item.of) : item.of);
    }
    const [only] = parts;
    return only && parts.length === 1 ? only : concatenate(...parts);
  }

  /** Reports whether a character other than plain text is here. */
  private isAt(character: string): boolean {
    return this.at >= this.quotedTo && this.text.charAt(this.at) === character;
  }

  /** Skips comments and the ends of plain text. */
  private skip(): void {
    while (this.at >= this.quotedTo) {
      const { at, text } = this;
      if (text.startsWith("\\E", at)) this.at += 2;
      else if (text.startsWith("\\Q", at)) {
        const end = text.indexOf("\\E", at + 2);
        this.at += 2;
        this.quotedTo = end < 0 ? text.length : end;
        if (this.at < this.quotedTo) return;
      } else if (text.startsWith("(?#", at)) {
        const end = text.indexOf(")", at);
        if (end < 0) this.refuse("a comment that is never closed");
        else this.at = end + 1;
      } else return;
    }
  }

  private item(): { readonly of: RegularLanguage; readonly repeatable: boolean } {
    const character = this.text.charAt(this.at);
    if (this.at < this.quotedTo) return this.plain(character);
    switch (character) {
      case "^":
        return this.place({ kind: "start" }, 1);
      case "$":
        return this.place(this.dollar(), 1);
      case "\\":
        return this.escape();
      case "[":
        return { of: this.characterClass(), repeatable: true };
      case "(":
        return this.parenthesis();
      case ".":
        this.at++;
        return { of: matchBytes(this.flags.dotAll ? allBytes : complementBytes(newlineByte)), repeatable: true };
      case "*":
      case "+":
      case "?":
        return this.refused(`\`${character}\` with nothing to repeat`);
      case "{":
        return this.brace();
      default:
        return this.plain(character);
    }
  }

  private refused(construct: string) {
    return { of: this.refuse(construct), repeatable: false };
  }

  private plain(character: string) {
    this.at++;
    const set = byteSetOf(character);
    return { of: matchBytes(this.flags.ignoreCase ? foldCase(set) : set), repeatable: true };
  }

  private place(of: RegularLanguage, length: number) {
    this.at += length;
    return { of, repeatable: false };
  }

  private dollar(): RegularLanguage {
    const { endOnly = true, withoutEnd = false } = this.form;
    return withoutEnd ? emptyLanguage : { kind: "end", beforeNewline: !endOnly };
  }

  /** Braces with anything but numbers in them are plain text. */
  private brace() {
    const quantifier = parseQuantifier(this.text, this.at);
    if (quantifier === undefined) return this.plain("{");
    return this.refused("construct" in quantifier ? quantifier.construct : "`{` with nothing to repeat");
  }

  private quantified(of: RegularLanguage): RegularLanguage {
    const quantifier = this.at < this.quotedTo ? undefined : parseQuantifier(this.text, this.at);
    if (quantifier === undefined) return of;
    if ("construct" in quantifier) return this.refuse(quantifier.construct);
    const { least, most, possessive, end } = quantifier;
    this.at = end;
    return { kind: "repeat", of, least, most, possessive };
  }

  private characterClass(): RegularLanguage {
    const reading = parseClass(this.text, this.at, this.flags.ignoreCase);
    if (reading.kind === "refused") return this.refuse(reading.construct);
    this.at = reading.end;
    return matchBytes(reading.set);
  }

  private escape() {
    const { at, text } = this;
    const letter = text.charAt(at + 1);
    if (letter === "A") return this.place({ kind: "start" }, 2);
    if (letter === "z" || letter === "Z") return this.place({ kind: "end", beforeNewline: letter === "Z" }, 2);
    const several = text.startsWith("\\N{", at) ? undefined : patternEscapeSets.get(letter);
    if (several !== undefined) return { ...this.place(matchBytes(several), 2), repeatable: true };
    const named = irregularConstructAt(text, at);
    const found = named ? undefined : parseEscapedByte(text, at, false);
    if (found === undefined) return this.refused(named ?? `\`${text.slice(at, at + 2)}\``);
    const set = singleByte(found.byte);
    this.at = found.end;
    return { of: matchBytes(this.flags.ignoreCase ? foldCase(set) : set), repeatable: true };
  }

  private parenthesis() {
    const { at, text } = this;
    group.lastIndex = at;
    const [opening, inBrackets, inQuotes] = group.exec(text) ?? [];
    const name = inBrackets ?? inQuotes;
    if (name !== undefined && this.names.has(name)) return this.refused("two groups of one name");
    if (name !== undefined) this.names.add(name);
    if (opening !== undefined) return this.group(opening.length, this.flags);
    if (!/^\([?*]/.test(text.slice(at, at + 2))) return this.group(1, this.flags);
    const named = irregularConstructAt(text, at);
    return named === undefined ? this.options() : this.refused(named);
  }

  private options() {
    options.lastIndex = this.at;
    const [whole, reset, on = "", off = "", end] = options.exec(this.text) ?? [];
    if (whole === undefined || (reset && off !== ""))
      return this.refused(`\`${this.text.slice(this.at, this.at + 4)}\``);
    const unknown = /[xm]/.exec(on)?.[0];
    if (unknown !== undefined) return this.refused(`the option \`${unknown}\``);
    const given = (letter: string, before: boolean) =>
      on.includes(letter) && !off.includes(letter) ? true : off.includes(letter) || reset ? false : before;
    const flags = { ignoreCase: given("i", this.flags.ignoreCase), dotAll: given("s", this.flags.dotAll) };
    if (end === ":") return this.group(whole.length, flags);
    this.flags = flags;
    return this.place(emptyText, whole.length);
  }

  /** Options set inside a group apply to its end. */
  private group(length: number, inside: PatternFlags) {
    if (++this.depth > MOST_NESTED_GROUPS) return this.refused("more groups in one another than PCRE takes");
    const outside = this.flags;
    this.flags = inside;
    this.at += length;
    const of = this.alternatives();
    if (!this.isAt(")")) return this.refused("`(` that is never closed");
    this.at++;
    this.flags = outside;
    this.depth--;
    return { of, repeatable: true };
  }
}
