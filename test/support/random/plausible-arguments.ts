import type { ArgumentKind, DirectiveFacts } from "../../../src/facts/directives.js";

/** The right number of arguments for the server, which may still be invalid. */
const plausible: Readonly<Record<ArgumentKind, string>> = {
  RAW_ARGS: "a b",
  NO_ARGS: "",
  FLAG: "On",
  ITERATE: "1",
  ITERATE2: "a b",
  TAKE_ARGV: "a",
  TAKE1: "1",
  TAKE2: "a b",
  TAKE3: "a b c",
  TAKE12: "1",
  TAKE13: "1",
  TAKE23: "a b",
  TAKE123: "a b",
  UNKNOWN: "1",
};

/**
 * Returns a use of a directive that the server may reject for its arguments or its context, but not for their number.
 */
export function plausibleUse({ name, section, argumentKind }: DirectiveFacts): string {
  const words = `${name} ${plausible[argumentKind]}`;
  return section ? `<${words}>\n</${name}>` : words;
}
