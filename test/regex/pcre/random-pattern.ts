import type { Random } from "../../support/random/random.js";

const plain = [..."ab1./-_ "] as const;
const special = [
  ..."()[]{}*+?|^$.\\-:,=!<>#",
  ..."(?: (?= (?! (?< (?> (?<n> (?'n' (?P<n> (?i) (?i: (?# (?| (a) (*".split(" "),
  ..."\\d \\w \\s \\b \\. \\- \\] \\1 \\2 \\0 \\Q \\E \\n \\x \\y \\i \\R \\K \\/".split(" "),
  ..."[^ [a-z] [0-9 a-z -z a- [:alpha:] [[:digit:]] [[:foo:]] [. =] :]".split(" "),
  ..."{2} {1,2} {3,1} {,2} {2,} {70000}".split(" "),
] as const;

/** Returns a text of regular-expression syntax, partly invalid. Its only white space is the space character. */
export function randomPattern(random: Random): string {
  const length = 1 + random.below(random.pick([3, 6, 12]));
  const share = random.pick([0.5, 0.8, 1]);
  const pick = (from: readonly string[]) => from[random.below(from.length)] ?? "";
  return Array.from({ length }, () => pick(random.chance(share) ? special : plain)).join("");
}
