import type { RewritingCase } from "./rewriting-cases.js";

function where(...conditions: readonly string[]): RewritingCase {
  return { lines: conditions.map((condition) => `RewriteCond ${condition}`), requests: [""] };
}

/** A text with its conditions. */
const texts = [
  ...["ab =ab", "ab =AB", "ab =AB [NC]", 'ab =""', '"" =""', '"" ="" [NC]', "a= =", "ab ab", "ab AB", "ab AB [nocase]"],
  // The longer of two texts is greater, unless case is ignored.
  ...["a <b", "b <a", "a <a", "ab <b", "b <ab", "ab <b [NC]", "b <ab [NC]", "A <a", "a <A", "A <a [NC]", "A <B [NC]"],
  ...["a <=b", "b <=a", "a <=a", "ab <=b", "b <=ab", "ab <=b [NC]", "A <=a [NC]", "AB <=aa [NC]", "aa <=AB [NC]"],
  ...[
    "a >b",
    "b >a",
    "a >a",
    "ab >b",
    "b >ab",
    "ab >b [NC]",
    "b >ab [NC]",
    "a >A",
    "a >A [NC]",
    "b >A [NC]",
    "a >B [NC]",
  ],
  ...["a >=b", "b >=a", "a >=a", "ab >=b", "b >=ab", "b >=ab [NC]", "a >=A [NC]", "AB >=aa [NC]", "aa >=AB [NC]"],
  ...["12 -lt13", "12 -lt12", "12 -lt9", "12 -le13", "12 -le12", "12 -le11", "12 -gt13", "12 -gt12", "12 -gt11"],
  ...["12 -ge13", "12 -ge12", "12 -ge11", "12 -eq12", "12 -eq13", "12 -ne12", "12 -ne13", "12 !-ne12", "12 !-ne13"],
  ...["12 !-lt13", "12 !-gt13", "12 !=12", "12 !=13", "12 !<9", "12 !>9", "12 !1", "12 !3"],
  // A number is the numeric prefix; without one it is 0.
  ...[
    "x -eq0",
    '"" -eq0',
    "012 -eq12",
    "-5 -lt-4",
    "-5 -lt-6",
    "+5 -eq5",
    "'  5x' -eq5",
    "x5 -eq5",
    "5 '-eq 5'",
    "5.9 -eq5",
  ],
  ...["a5 -ne5", "5a -ne5", "0 -eqx", "9 -lt10", "9 <10"],
  // Too short for a number, or a single character: a pattern.
  ...[
    "1-lt2 -lt",
    "12 -lt",
    "1-ne2 -ne",
    "12 -ne",
    "ax-ne x-ne",
    "12 x-ne",
    "a-b -",
    "ab -",
    "a<b <",
    "ab <",
    "a=b =",
    "ab =",
  ],
  ...["a!b !", "ab !", "ab !x", "-f -fx", "x-fx -fx", "x-z -z", "12 -ltx", "x '<= x'", "a <=", "ab <=", '"" <='],
];

/** Files on the disk. */
const files = [
  ...[
    "DOCROOT/x.txt -f",
    "DOCROOT/a -f",
    "DOCROOT/a/ -f",
    "DOCROOT/x.txt/ -f",
    "DOCROOT/none -f",
    '"" -f',
    "DOCROOT -f",
  ],
  ...[
    "DOCROOT/x.txt -d",
    "DOCROOT/a -d",
    "DOCROOT/a/ -d",
    "DOCROOT/none -d",
    '"" -d',
    "DOCROOT//a -d",
    "/ -d",
    "DOCROOT/ -d",
  ],
  ...[
    "DOCROOT/x.txt !-f",
    "DOCROOT/none !-f",
    "DOCROOT/a !-d",
    '"" !-f',
    "DOCROOT/a/../x.txt -f",
    "DOCROOT/none/../x.txt -f",
    "DOCROOT/x.txt/../x.txt -f",
    "DOCROOT/none/.. -d",
    "DOCROOT/a/.. -d",
  ],
  ...["DOCROOT/a -s", "DOCROOT/none -s", "DOCROOT/none !-s", "DOCROOT/x.txt/more -f", "/etc/hostname -f"],
];

const expressions = [
  ...[
    "expr true",
    "expr false",
    "expr !true",
    "expr !false",
    "EXPR true",
    "EXPR false",
    "expr true [NC]",
    "expr1 true",
  ],
  ...[
    "expr \"'ab' =~ /b/\"",
    "expr \"'ab' =~ /B/\"",
    "expr \"!('ab' =~ /B/)\"",
    'expr "-n %{REMOTE_USER}"',
    'expr "-z %{REMOTE_USER}"',
  ],
];

/** Returns triples of conditions, with different results and some joined by OR to the next. */
function threes(): RewritingCase[] {
  const flags = ["", " [OR]"];
  const found: RewritingCase[] = [];
  for (const a of ["a", "b"])
    for (const b of ["a", "b"])
      for (const c of ["a", "b"])
        for (const orA of flags) for (const orB of flags) found.push(where(`a ${a}${orA}`, `a ${b}${orB}`, `a ${c}`));
  return found;
}

/** Values of `%1` after conditions. */
const groups = [
  where("ab (.)b", "%1 =a"),
  where("ab (.)b", "%1 =b"),
  where("ab (.)b", "cd (.)d", "%1 =c"),
  where("ab (.)b", "cd d", "%0 =d"),
  where("ab (.)b", "cd d", "%1 =a"),
  where("ab (.)b", "cd =cd", "%1 =a"),
  where("ab (.)b", "cd !(x)", "%1 =a"),
  where("ab (.)b", "cd -lt1", "%1 =a"),
  where("ab (.)b [OR]", "cd (.)d", "%1 =a"),
  where("ab (.)x [OR]", "cd (.)d", "%1 =c"),
  where("ab (.)b [OR]", "cd (.)x [OR]", "ef (.)f", "%1 =a"),
  where("ab (.)b", "expr \"'cd' =~ /(.)d/\"", "%1 =c"),
  where("ab (.)b", "expr !false", "%1 =a"),
  where("ab (.)b", "expr \"'cd' !~ /(x)/\"", "%1 =a"),
  where("ab (.)b", "expr \"'cd' !~ /(x)/\"", '%1 =""'),
  where("%1 =", "ab (.)b"),
  where('%1 =""', "ab (.)b"),
  where("ab (.)(.)?(x)?", "%2%3 =b"),
  where("ab (.)b", '%2 =""'),
  where("%{REQUEST_URI} ^/(.)", "%1$1 =cc"),
];

/** Lists of conditions for one rule each; a `c` matches the rule's own group. */
export const ruleConditionCases: readonly RewritingCase[] = [
  ...[...texts, ...files, ...expressions].map((each) => where(each)),
  ...threes(),
  ...groups,
];
