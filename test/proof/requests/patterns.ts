import fc from "fast-check";

/** A pattern in PCRE syntax, and its JavaScript equivalent with the compile options of 2.2. */
export interface PatternPair {
  readonly pcre: string;
  readonly old: string;
}

const both = (text: string): PatternPair => ({ pcre: text, old: text });

const atoms = fc.oneof(
  fc.constantFrom("a", "b", "A", "/", "\\.", "\\/", "-", "\\x61", "\\n", "é").map(both),
  fc
    .constantFrom("[ab]", "[^a]", "[a-c/]", "[]a]", "[^]/]", "[\\w.-]", "[a\\-c]", "[\\d\\n]", "[[:alpha:]]", "[-a]")
    .map((text) => ({
      pcre: text,
      old: text.replace("[]", "[\\]").replace("[^]/", "[^\\]/").replace("[:alpha:]", "A-Za-z"),
    })),
  fc.constantFrom("\\w", "\\W", "\\d", "\\D", "\\S").map((text) => ({ pcre: text, old: text })),
  fc.constant({ pcre: ".", old: "[^\\n]" }),
);

const anchors = fc.oneof(
  fc.constant(both("^")),
  fc.constant({ pcre: "$", old: "(?=\\n?(?![^]))" }),
  fc.constant({ pcre: "\\A", old: "^" }),
  fc.constant({ pcre: "\\z", old: "(?![^])" }),
);

const quantifiers = fc.constantFrom("*", "+", "?", "{2}", "{1,}", "{0,2}", "{2,3}", "*?", "+?", "??", "{0,1}?");

const join = (parts: readonly PatternPair[], mark: string): PatternPair => ({
  pcre: parts.map(({ pcre }) => pcre).join(mark),
  old: parts.map(({ old }) => old).join(mark),
});

/** Patterns of the regular subset, which the linear matcher accepts too. */
export const anyPattern: fc.Arbitrary<PatternPair> = fc.letrec<{ pattern: PatternPair; group: PatternPair }>((tie) => ({
  group: fc
    .tuple(fc.constantFrom("(", "(?:"), tie("pattern"))
    .map(([open, { pcre, old }]) => ({ pcre: `${open}${pcre})`, old: `(?:${old})` })),
  pattern: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    atoms,
    anchors,
    fc.tuple(fc.oneof(atoms, tie("group")), quantifiers).map(([{ pcre, old }, mark]) => ({
      pcre: `${pcre}${mark}`,
      old: `${old}${mark}`,
    })),
    fc.array(tie("pattern"), { maxLength: 3 }).map((parts) => join(parts, "")),
    fc.array(tie("pattern"), { minLength: 2, maxLength: 3 }).map((parts) => {
      const { pcre, old } = join(parts, "|");
      return { pcre: `(?:${pcre})`, old: `(?:${old})` };
    }),
    tie("group"),
  ),
})).pattern;

/** Texts over the letters of the patterns. */
export const anyTexts = fc.array(
  fc
    .array(fc.constantFrom("a", "b", "c", "A", "B", "/", ".", "-", "]", "1", "\n", "é"), { maxLength: 6 })
    .map((all) => all.join("")),
  { minLength: 40, maxLength: 40 },
);

/** Returns all texts of limited length over a few letters. */
export function shortTexts(length: number): string[] {
  if (length === 0) return [""];
  const shorter = shortTexts(length - 1);
  const longest = shorter.filter((text) => text.length === length - 1);
  return [
    ...shorter,
    ...longest.flatMap((text) => ["a", "b", "A", "/", ".", "-", "1", "\n", "é", "]"].map((c) => text + c)),
  ];
}
