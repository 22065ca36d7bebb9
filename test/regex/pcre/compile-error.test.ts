import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findPatternError } from "../../../src/regex/pcre/compile-error.js";

describe("reports an error of PCRE2 in", () => {
  test.each([
    ["a(", "(", "`(` is never closed"],
    ["(a(b)", "(", "`(` is never closed"],
    ["(?:a", "(", "`(` is never closed"],
    ["(?", "(", "`(` is never closed"],
    ["(?i", "(", "`(` is never closed"],
    ["a)", ")", "`)` has no matching `(`"],
    ["(?#a", "(?#", "`(?#` starts a comment that is never closed"],
    ["[a", "[", "`[` is never closed"],
    ["[]", "[", "`[` is never closed"],
    ["[^]", "[", "`[` is never closed"],
    ["[a\\]", "[", "`[` is never closed"],
    ["[[:alpha:]", "[", "`[` is never closed"],
    ["*a", "*", "`*` has nothing to repeat"],
    ["a|*", "*", "`*` has nothing to repeat"],
    ["(+)", "+", "`+` has nothing to repeat"],
    ["^*", "*", "`*` has nothing to repeat"],
    ["\\b?", "?", "`?` has nothing to repeat"],
    ["(?i)*", "*", "`*` has nothing to repeat"],
    ["a**", "*", "`*` has nothing to repeat"],
    ["a+?+", "+", "`+` has nothing to repeat"],
    ["a{1}{2}", "{2}", "`{2}` has nothing to repeat"],
    ["(*.php)", "*", "`*` has nothing to repeat"],
    ["a{3,1}", "{3,1}", "`{3,1}` has its numbers in the wrong order"],
    ["a{65536}", "{65536}", "`{65536}` has a number above 65535"],
    ["a\\", "\\", "it ends with a backslash"],
    ["c:\\install", "\\i", "unknown escape sequence `\\i`"],
    ["[\\y]", "\\y", "unknown escape sequence `\\y`"],
    ["(a)\\2", "\\2", "`\\2` refers to a group that does not exist"],
    ["(?:a)\\1", "\\1", "`\\1` refers to a group that does not exist"],
    ["(?y)", "(?y", "`(?y` does not start a known kind of group"],
    ["(?<1>a)", "(?<", "`(?<` needs a name and a `>`"],
    ["(?<a b)", "(?<a", "`(?<` needs a name and a `>`"],
    ["(?'a b)", "(?'a", "`(?'` needs a name and a `'`"],
    ["[z-a]", "z-a", "the range `z-a` ends before it starts"],
    ["[\\]-A]", "\\]-A", "the range `\\]-A` ends before it starts"],
    ["[\\\\z-a]", "z-a", "the range `z-a` ends before it starts"],
    ["[\\w-.]", "\\w-", "`\\w-` in a class is not a range in PCRE2"],
    ["[a-\\d]", "-\\d", "`-\\d` in a class is not a range in PCRE2"],
    ["[[:foo:]]", "[:foo:]", "unknown character class `[:foo:]`"],
    ["[:alpha:]", "[:alpha:]", "`[:alpha:]` is outside of `[…]`"],
    ["[[.a.]]", "[.a.]", "PCRE2 does not support collating elements such as `[.a.]`"],
  ])("%s", (pattern, place, wrong) => {
    const error = findPatternError(pattern);
    expect({ place: pattern.slice(error?.start, error?.end), wrong: error?.wrong }).toEqual({ place, wrong });
  });
});

describe("reports no error in a valid or unsupported pattern", () => {
  test.each([
    ["^(?:www\\.)?example\\.org$"],
    ["\\.(?:jpe?g|png)$"],
    ["[]a](b)[^]c]\\1"],
    ["[[:alpha:][:^digit:]_-]"],
    ["[a-c-e]"],
    ["[--a][+--]"],
    ["[a-a]"],
    ["[-\\w.][\\w-]"],
    ["a*+b++c?+d{2}+"],
    ["a{,3}b{x}c{2,"],
    ["{"],
    ["a(?#comment)*"],
    ["\\Q(*\\E+"],
    ["\\Q("],
    ["a\\E*"],
    ["()*|a|"],
    ["(?=a)*(?!b)+(?<=c)?(?<!d)(?>e)"],
    ["(?<n>a)(?'m'b)(?P<o>c)(?P=n)\\k<m>"],
    ["(?i)a(?-i:b)(?s-m:c)()"],
    ["(?|(a)|(b))\\1"],
    ["(?(1)a|b"],
    ["(?x) a # ("],
    ["(?x) a * (b) + [#] {2} # *"],
    ["(?xx) [z- a]"],
    ["(*UTF8)("],
    ["\\012\\12\\x41\\x{41}("],
    ["(?R)(?1)(?&n)"],
    ["\\p{L}("],
    ["[\\c]]"],
    [""],
  ])("%s", (pattern) => {
    expect(findPatternError(pattern)).toBeUndefined();
  });
});

test("any text is read, and an error has a position in it", () => {
  const piece = fc.constantFrom(..."()[]{}*+?|^$.\\-:,=!<>#'PQEx1a", "[:", ":]", "(?", "\\E", "\\Q");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(piece).map((pieces) => pieces.join("")),
      ),
      (pattern) => {
        const error = findPatternError(pattern);
        if (error === undefined) return;
        expect(error.start).toBeLessThan(error.end);
        expect(error.end).toBeLessThanOrEqual(pattern.length);
      },
    ),
  );
});

test.each(["(", "[", "[:", "\\", "\\\\", "a{1,", "(?<n>", "[[.", "(a)\\1"])(
  "checks many repetitions of %j in linear time",
  (piece) => {
    // With a quadratic algorithm, this exceeds the time limit of tests.
    const pattern = piece.repeat(150_000);
    expect(findPatternError(pattern)?.end ?? 0).toBeLessThanOrEqual(pattern.length);
  },
);
