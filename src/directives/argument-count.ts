import type { DirectiveFacts } from "./directives.js";

/**
 * What the server says where a directive has too few or too many words, before it looks at any of them (server/config.c
 * `invoke_cmd`); undefined where the number is right, or where the directive counts for itself.
 *
 * @param words how many, a quoted empty one included only as the last
 * @param isFlag whether the first word is On or Off, in any case
 */
export function argumentCountRefusal(facts: DirectiveFacts, words: number, isFlag: boolean): string | undefined {
  const name = facts.section ? `<${facts.tableName}` : facts.tableName;
  const help = facts.help ? `, ${facts.help}` : "";
  const unless = (right: boolean, text: string) => (right ? undefined : `${name} ${text}${help}`);
  switch (facts.argumentKind) {
    case "NO_ARGS":
      return words === 0 ? undefined : `${name} takes no arguments`;
    case "FLAG":
      return isFlag ? undefined : `${name} must be On or Off`;
    case "TAKE1":
      return unless(words === 1, "takes one argument");
    case "TAKE2":
      return unless(words === 2, "takes two arguments");
    case "TAKE3":
      return unless(words === 3, "takes three arguments");
    case "TAKE12":
      return unless(words === 1 || words === 2, "takes 1-2 arguments");
    case "TAKE13":
      return unless(words === 1 || words === 3, "takes one or three arguments");
    case "TAKE23":
      return unless(words === 2 || words === 3, "takes two or three arguments");
    case "TAKE123":
      return unless(words >= 1 && words <= 3, "takes one, two or three arguments");
    case "ITERATE":
      return unless(words >= 1, "requires at least one argument");
    case "ITERATE2":
      return unless(words >= 2, "requires at least two arguments");
    case "RAW_ARGS":
    case "TAKE_ARGV":
    case "UNKNOWN":
      return undefined;
  }
}
