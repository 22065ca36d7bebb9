import {
  alternate,
  concatenate,
  emptyLanguage,
  emptyText,
  foldCase,
  type Lookaround,
  matchAnywhere,
  matchBytes,
  type RegularLanguage,
  singleByte,
} from "../automata/regular-language.js";
import {
  type AssertionNode,
  type GroupNode,
  type IrregularNode,
  MAX_NESTED_GROUPS,
  type PatternBranch,
  type PatternNode,
  type RepeatNode,
} from "./ast.js";
import { byteSetOfNode, wordBytes } from "./byte-sets.js";
import { parsePcre } from "./parser.js";
import { possessiveChangesLanguage } from "./possessive.js";

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
export function parsePattern(pattern: string, options: PcreOptions = {}): PatternParseResult {
  if (/[^\0-\xff]/.test(pattern)) return { kind: "not regular", construct: "a character that is not a byte" };
  const { ignoreCase = false, dotAll = true } = options;
  const builder = new LanguageBuilder(options);
  const found = builder.matchBranches(parsePcre(pattern, { ignoreCase, dotAll }).branches);
  const construct =
    builder.construct ??
    (possessiveChangesLanguage(found) ? "a possessive quantifier that changes what matches" : undefined);
  return construct === undefined
    ? { kind: "regular", texts: matchAnywhere(found), found }
    : { kind: "not regular", construct };
}

/** Converts a tree to a language. After the first construct that is not regular, the result does not count. */
class LanguageBuilder {
  construct: string | undefined;
  private depth = 0;
  private readonly names = new Set<string>();

  constructor(private readonly options: PcreOptions) {}

  matchBranches(branches: readonly PatternBranch[]): RegularLanguage {
    const of = branches.map((branch) => this.matchBranch(branch));
    const [only] = of;
    return only && of.length === 1 ? only : { kind: "either", of };
  }

  private matchBranch(branch: PatternBranch): RegularLanguage {
    const parts = branch.map((node) => (this.construct === undefined ? this.matchNode(node) : emptyLanguage));
    const [only] = parts;
    return only && parts.length === 1 ? only : { kind: "sequence", parts };
  }

  private refuse(construct: string): RegularLanguage {
    this.construct ??= construct;
    return emptyLanguage;
  }

  private matchNode(node: PatternNode): RegularLanguage {
    switch (node.kind) {
      case "literal": {
        if (node.isNewQuantifier)
          return this.refuse("`{,n}` or a quantifier with spaces, which older releases of PCRE read as text");
        const set = singleByte(node.code);
        return matchBytes(node.ignoreCase ? foldCase(set) : set);
      }
      case "dot":
      case "set":
      case "class": {
        const set = byteSetOfNode(node);
        return typeof set === "string" ? this.refuse(set) : matchBytes(set);
      }
      case "assertion":
        return this.matchAssertion(node);
      case "options":
        return emptyText;
      case "group":
        return this.matchGroup(node);
      case "repeat":
        return this.matchRepeat(node);
      case "irregular":
        return this.matchIrregular(node);
    }
  }

  private matchAssertion({ mark }: AssertionNode): RegularLanguage {
    if (mark === "^" || mark === "A") return { kind: "start" };
    const { endOnly = true, withoutEnd = false } = this.options;
    if (mark === "$") return withoutEnd ? emptyLanguage : { kind: "end", beforeNewline: !endOnly };
    return { kind: "end", beforeNewline: mark === "Z" };
  }

  private matchGroup({ construct, name, branches, isClosed }: GroupNode): RegularLanguage {
    const lookaround = construct === undefined ? undefined : lookarounds.get(construct);
    if (construct !== undefined && lookaround === undefined) return this.refuse(construct);
    if (name !== undefined && this.names.has(name)) return this.refuse("two groups of one name");
    if (name !== undefined) this.names.add(name);
    if (++this.depth > MAX_NESTED_GROUPS) return this.refuse("more nested groups than PCRE accepts");
    const of = this.matchBranches(branches);
    this.depth--;
    if (!isClosed) return this.refuse("`(` that is never closed");
    return lookaround === undefined ? of : this.matchLookaround({ kind: "look", ...lookaround, of }, construct ?? "");
  }

  /** Refuses combinations whose meaning depends on more than the text on one side. */
  private matchLookaround(lookaround: Lookaround, construct: string): RegularLanguage {
    const foreign = lookaround.direction === "ahead" ? ["start", "behind"] : ["end", "ahead"];
    const tests = positionTestsOf(lookaround.of);
    if (!foreign.some((each) => tests.has(each))) return lookaround;
    return this.refuse(`${construct} that tests the text on its other side`);
  }

  private matchIrregular({ construct }: IrregularNode): RegularLanguage {
    if (construct === "a word boundary") return wordBoundary;
    if (construct === "a position inside or outside words") return noWordBoundary;
    return this.refuse(construct);
  }

  private matchRepeat({ of, min, max, mode }: RepeatNode): RegularLanguage {
    return { kind: "repeat", of: this.matchNode(of), min, max, possessive: mode === "possessive" };
  }
}

const lookarounds: ReadonlyMap<string, Pick<Lookaround, "direction" | "isNegative">> = new Map([
  ["a lookahead", { direction: "ahead", isNegative: false }],
  ["a negative lookahead", { direction: "ahead", isNegative: true }],
  ["a lookbehind", { direction: "behind", isNegative: false }],
  ["a negative lookbehind", { direction: "behind", isNegative: true }],
]);

const wordByte = matchBytes(wordBytes);
const afterWord: Lookaround = { kind: "look", direction: "behind", isNegative: false, of: wordByte };
const beforeWord: Lookaround = { kind: "look", direction: "ahead", isNegative: false, of: wordByte };
const notAfterWord: Lookaround = { ...afterWord, isNegative: true };
const notBeforeWord: Lookaround = { ...beforeWord, isNegative: true };
const wordBoundary = alternate(concatenate(afterWord, notBeforeWord), concatenate(notAfterWord, beforeWord));
const noWordBoundary = alternate(concatenate(afterWord, beforeWord), concatenate(notAfterWord, notBeforeWord));

/** Returns the tests of positions in a language: `start`, `end`, `ahead`, `behind`. */
function positionTestsOf(of: RegularLanguage): ReadonlySet<string> {
  switch (of.kind) {
    case "bytes":
      return new Set();
    case "start":
    case "end":
      return new Set([of.kind]);
    case "sequence":
      return new Set(of.parts.flatMap((each) => [...positionTestsOf(each)]));
    case "either":
      return new Set(of.of.flatMap((each) => [...positionTestsOf(each)]));
    case "repeat":
      return positionTestsOf(of.of);
    case "look":
      return new Set([of.direction, ...positionTestsOf(of.of)]);
  }
}
