import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText } from "../../test/support/rules.js";
import { contradictoryFlags } from "./contradictory-flags.js";

const lineWith = (flags: string, target = "/b") => `RewriteRule ^a$ ${target} [${flags}]\n`;
const check = (flags: string, target?: string) =>
  findingsOf([contradictoryFlags], lineWith(flags, target), { kind: "htaccess" });

describe("reports", () => {
  test.each([
    ["R,PT", "PT", "the flags `R` and `PT` return 400"],
    ["F,R=301", "R=301", "`R=301` after `F` redirects without a target"],
    ["R=301,F", "R=301", "the flag `R=301` has no effect: `F` applies"],
    ["F,R", "R", "the flag `R` has no effect: `F` applies"],
    ["F,R=404", "F", "the flag `F` has no effect: `R=404` applies"],
    ["forbidden,gone", "forbidden", "the flag `forbidden` has no effect: `gone` applies"],
    ["P,R=302", "R=302", "the flag `R=302` has no effect: `P` applies"],
    ["QSD,QSA", "QSA", "the flag `QSA` has no effect: `QSD` applies"],
    ["C,L", "C", "the flag `C` has no effect: `L` applies"],
    ["S=2,L", "S=2", "the flag `S=2` has no effect: `L` applies"],
    ["N,L", "L", "the flag `L` has no effect: `N` applies"],
  ])("[%s]", (flags, flag, message) => {
    expect(check(flags).map((finding) => [finding.text, finding.message])).toEqual([[flag, message]]);
  });

  test.each(["R=301,L", "P"])("[%s] with `-` as the target", (flags) => {
    const flag = flags.replace(",L", "");
    expect(check(flags, "-").map(({ message }) => message)).toEqual([
      `the flag \`${flag}\` has no effect: the target is \`-\``,
    ]);
  });
});

test.each(["R=301,L", "L,QSA", "PT,L", "P,L", "F", "R=404", "C", "S=1", "END", "N", "E=F:R,L", "NC,R,NE,L", "F,L"])(
  "does not report [%s]",
  (flags) => {
    expect(check(flags)).toEqual([]);
  },
);

describe("the fix", () => {
  test.each([
    ["R=301,F", "F"],
    ["F,R", "F"],
    ["L,QSA,QSD", "L,QSD"],
    ["C,L", "L"],
  ])("of [%s]", (before, after) => {
    const [finding] = lintText([contradictoryFlags], lineWith(before), { kind: "htaccess" });
    expect(finding?.fix && applyEdits(lineWith(before), finding.fix.edits)).toBe(lineWith(after));
  });

  test.each(["R,PT", "F,R=301"])("is not offered for [%s]", (flags) => {
    const [finding] = lintText([contradictoryFlags], lineWith(flags), { kind: "htaccess" });
    expect(finding?.fix).toBeUndefined();
  });
});
