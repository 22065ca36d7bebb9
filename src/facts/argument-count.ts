import type { ArgumentKind, DirectiveFacts } from "./directives.js";
import { isSince, type Release } from "./release.js";

/**
 * The number of leading arguments that may not be empty; a quoted empty argument after them is an ordinary argument.
 */
const filledWords: Partial<Record<ArgumentKind, number>> = {
  TAKE1: 1,
  TAKE2: 2,
  TAKE3: 3,
  TAKE12: 1,
  TAKE13: 1,
  TAKE23: 2,
  TAKE123: 1,
  ITERATE: 1,
  ITERATE2: 1,
};

/**
 * Returns the server's error for too few or too many arguments, before it reads any of them (server/config.c
 * `invoke_cmd`); undefined if the number is right, or if the directive counts them itself.
 */
export function findArgumentCountError(
  facts: DirectiveFacts,
  words: readonly { readonly value: string }[],
  release: Release,
): string | undefined {
  // 2.2 processes an empty list like any other.
  if (!isSince(release, "2.4") && facts.argumentKind === "ITERATE") return undefined;
  return describeArgumentCountError(facts, countArguments(facts.argumentKind, words), isOnOrOff(words[0]?.value));
}

function isOnOrOff(word: string | undefined): boolean {
  return word !== undefined && /^(on|off)$/i.test(word);
}

/** Returns the number of arguments; 0 if an argument that must have a value is empty. */
function countArguments(kind: ArgumentKind, words: readonly { readonly value: string }[]): number {
  const filled = filledWords[kind] ?? 0;
  for (const [index, word] of words.entries()) if (index < filled && word.value === "") return 0;
  // With one or three arguments, an empty second argument is ignored if there is no third.
  if (kind === "TAKE13" && words.length === 2 && words[1]?.value === "") return 1;
  return words.length;
}

/**
 * @param words the number of arguments
 * @param isFlag whether the first argument is On or Off, in any case
 */
function describeArgumentCountError(facts: DirectiveFacts, words: number, isFlag: boolean): string | undefined {
  const name = facts.section ? `<${facts.tableName}` : facts.tableName;
  const help = facts.help ? `, ${facts.help}` : "";
  const errorUnless = (isCorrect: boolean, text: string) => (isCorrect ? undefined : `${name} ${text}${help}`);
  switch (facts.argumentKind) {
    case "NO_ARGS":
      return words === 0 ? undefined : `${name} takes no arguments`;
    case "FLAG":
      return isFlag ? undefined : `${name} must be On or Off`;
    case "TAKE1":
      return errorUnless(words === 1, "takes one argument");
    case "TAKE2":
      return errorUnless(words === 2, "takes two arguments");
    case "TAKE3":
      return errorUnless(words === 3, "takes three arguments");
    case "TAKE12":
      return errorUnless(words === 1 || words === 2, "takes 1-2 arguments");
    case "TAKE13":
      return errorUnless(words === 1 || words === 3, "takes one or three arguments");
    case "TAKE23":
      return errorUnless(words === 2 || words === 3, "takes two or three arguments");
    case "TAKE123":
      return errorUnless(words >= 1 && words <= 3, "takes one, two or three arguments");
    case "ITERATE":
      return errorUnless(words >= 1, "requires at least one argument");
    case "ITERATE2":
      return errorUnless(words >= 2, "requires at least two arguments");
    case "RAW_ARGS":
    case "TAKE_ARGV":
    case "UNKNOWN":
      return undefined;
  }
}
