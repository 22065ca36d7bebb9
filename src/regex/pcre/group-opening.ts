import type { PatternProblems } from "./class-parser.js";

/** Options that change the meaning of a character. */
export interface PatternFlags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
  /** Whether white space and comments from `#` on are skipped, except in classes. */
  readonly extended: boolean;
  /** Whether a quantifier is lazy, and greedy with `?`. */
  readonly ungreedy: boolean;
  /** Whether a group without a name captures. */
  readonly capturesUnnamed: boolean;
}

/** The text from `(` to where the contents of a group start, or a whole construct in parentheses. */
export type PatternOpening = GroupOpening | ParenthesizedItem;

interface GroupOpening {
  readonly kind: "group";
  readonly length: number;
  readonly isCapture: boolean;
  readonly name: string | undefined;
  readonly construct: string | undefined;
  /** The options that apply inside. */
  readonly flags: PatternFlags;
}

interface ParenthesizedItem {
  readonly kind: "item";
  readonly length: number;
  /** Undefined for options. */
  readonly construct: string | undefined;
  readonly repeatable: boolean;
  /** The options that apply after it. */
  readonly flags: PatternFlags;
}

/** Parses what an opening parenthesis starts. @param at its offset */
export function parseOpening(text: string, at: number, flags: PatternFlags, problems: PatternProblems): PatternOpening {
  return new OpeningParser(text, at, flags, problems).parse();
}

/** Groups beyond the regular subset, by their start. The first match counts. */
const irregularGroups: readonly (readonly [RegExp, string])[] = [
  [/^\(\?=/, "a lookahead"],
  [/^\(\?!/, "a negative lookahead"],
  [/^\(\?<=/, "a lookbehind"],
  [/^\(\?<!/, "a negative lookbehind"],
  [/^\(\?<?\*/, "a non-atomic lookaround"],
  [/^\(\?>/, "an atomic group"],
  [/^\(\?\(/, "a condition"],
  [/^\(\?P=/, "a back reference"],
  [/^\(\?(?:R|[+-]?\d|&|P>)/, "a recursion"],
  [/^\(\?C/, "a callout"],
  [/^\(\*/, "a verb"],
];

const verb = /\(\*[^)]*\)?/y;
const condition = /\(\?\([^()?]*\)/y;
/** A call or reference; whether its group exists is not checked. */
const groupReference = /\(\?(?:R|[+-]?\d+|&[A-Za-z_]\w*|P[=>][A-Za-z_]\w*)\)/y;
const groupName = /\(\?P?[<']([A-Za-z_]\w*)?/y;
const MAX_GROUP_NAME = 32;

/** Letters of options, which `)` or `:` ends. */
const optionLetters = /\(\?(\^?[imnsxJU-]*)/y;
const options = /\(\?(\^?)([imnsxJU]*)(?:-([imnsxJU]*))?([:)])/y;
/** Option letters that only some releases know. */
const optionsOfSome = /[aDPSTWr]/;

class OpeningParser {
  constructor(
    private readonly text: string,
    private readonly at: number,
    private readonly flags: PatternFlags,
    private readonly problems: PatternProblems,
  ) {}

  parse(): PatternOpening {
    const { at, text } = this;
    const next = text.charAt(at + 1);
    if (next === "*") return this.parseVerb();
    if (next !== "?") return this.flags.capturesUnnamed ? this.openCapture(1) : this.openGroup(1);
    const kind = text.charAt(at + 2);
    switch (kind) {
      case ":":
      case "|":
        return this.openGroup(3);
      case ">":
      case "=":
      case "!":
        return this.openIrregular(3);
      case "<":
        if (/[=!]/.test(text.charAt(at + 3))) return this.openIrregular(4);
        return text.charAt(at + 3) === "*" ? this.openUnchecked(4) : this.openNamed();
      case "'":
        return this.openNamed();
      case "P":
        return text.charAt(at + 3) === "<" ? this.openNamed() : this.parseReference();
      case "(":
        return this.openUnchecked(this.match(condition)[0]?.length ?? 2);
      case "*":
      case "[":
      case "C":
        return this.openUnchecked(3);
      default:
        return /[R&\d+]|-\d/y.test(text.slice(at + 2, at + 4)) ? this.parseReference() : this.parseOptions();
    }
  }

  private match(form: RegExp): readonly (string | undefined)[] {
    form.lastIndex = this.at;
    return form.exec(this.text) ?? [];
  }

  private openGroup(length: number, construct?: string, flags = this.flags): GroupOpening {
    return { kind: "group", length, isCapture: false, name: undefined, construct, flags };
  }

  private openCapture(length: number, name?: string): GroupOpening {
    return { kind: "group", length, isCapture: true, name, construct: undefined, flags: this.flags };
  }

  private openIrregular(length: number): GroupOpening {
    return this.openGroup(length, this.nameConstruct());
  }

  private openUnchecked(length: number): GroupOpening {
    this.problems.markUncertain();
    return this.openIrregular(length);
  }

  private nameConstruct(): string {
    const start = this.text.slice(this.at, this.at + 4);
    return irregularGroups.find(([form]) => form.test(start))?.[1] ?? `\`${start}\``;
  }

  private createItem(length: number, repeatable: boolean, construct = this.nameConstruct()): ParenthesizedItem {
    return { kind: "item", length, construct, repeatable, flags: this.flags };
  }

  /** `(*` before a name is a verb; before anything else PCRE2 finds a star without a preceding item. */
  private parseVerb(): ParenthesizedItem {
    const { at, text, problems } = this;
    if (/[\w:]/.test(text.charAt(at + 2))) problems.markUncertain();
    else problems.report("nothing-to-repeat", at + 1, at + 2);
    return this.createItem(this.match(verb)[0]?.length ?? 2, false);
  }

  private openNamed(): GroupOpening {
    const { at, text } = this;
    const [opening = "", name = ""] = this.match(groupName);
    const next = text.charAt(at + opening.length);
    // Letters of other languages are not checked, and neither is the length limit of names.
    if (/[\x80-\xff]/.test(next) || name.length > MAX_GROUP_NAME) return this.openUnchecked(opening.length);
    const mark = text.charAt(at + 2) === "'" ? "'" : ">";
    if (name !== "" && next === mark) return this.openCapture(opening.length + 1, name);
    this.problems.report("missing-group-name", at, at + opening.length);
    return this.openIrregular(opening.length);
  }

  private parseReference(): PatternOpening {
    const [reference] = this.match(groupReference);
    return reference === undefined ? this.openUnchecked(2) : this.createItem(reference.length, true);
  }

  private parseOptions(): PatternOpening {
    this.checkOptions();
    const [whole, reset, on = "", off = "", end] = this.match(options);
    if (whole === undefined || (reset && off !== "")) return this.openIrregular(2);
    const unknown = /xx|m/.exec(on)?.[0];
    const construct = unknown && `the option \`${unknown}\``;
    const given = (letter: string, before: boolean) =>
      on.includes(letter) && !off.includes(letter)
        ? true
        : off.includes(letter) || (reset && letter !== "U")
          ? false
          : before;
    const before = this.flags;
    const flags = {
      ignoreCase: given("i", before.ignoreCase),
      dotAll: given("s", before.dotAll),
      extended: given("x", before.extended),
      ungreedy: given("U", before.ungreedy),
      capturesUnnamed: !given("n", !before.capturesUnnamed),
    };
    if (end === ":") return this.openGroup(whole.length, construct, flags);
    return { kind: "item", length: whole.length, construct, repeatable: false, flags };
  }

  private checkOptions(): void {
    const { at, text, problems } = this;
    const [opening = "", letters = ""] = this.match(optionLetters);
    const next = at + opening.length;
    const end = text.charAt(next);
    // After `xx`, spaces in classes are skipped.
    if (letters.includes("xx") || /-.*-|\^.*-/.test(letters) || optionsOfSome.test(end)) problems.markUncertain();
    else if (end === "") problems.report("unclosed-group", at, at + 1);
    else if (end !== ":" && end !== ")") problems.report("unknown-group", at, next + 1);
  }
}
