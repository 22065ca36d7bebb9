import { readOrdering } from "../access/old-rules.js";
import { argumentCountRefusal } from "../directives/argument-count.js";
import type { ArgumentKind, DirectiveFacts, Release } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import { type Fault, quoted } from "./refusal.js";

/** How many words from the first on may not be empty (server/config.c `invoke_cmd`). */
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

/** Taken with one word. */
const takesOneWord = new Set<ArgumentKind>(["TAKE1", "TAKE12", "TAKE13", "TAKE123", "ITERATE"]);

/**
 * What the server refuses about the number of a directive's words.
 *
 * @param facts those of the loaded modules that define the directive: where they disagree nothing is said
 */
export function countFault(
  directive: Directive,
  facts: readonly DirectiveFacts[],
  release: Release,
): Fault | undefined {
  const [first] = facts;
  if (first === undefined || first.argumentKind === "RAW_ARGS" || directive.children !== undefined) return undefined;
  if (isPlainlyRight(directive, first.argumentKind)) return undefined;
  const server = countRefusal(directive, first, release);
  if (server === undefined || facts.some((each) => countRefusal(directive, each, release) !== server)) return undefined;
  return { server, ...countAdvice(directive, first), span: directive.span };
}

/** Most lines are seen to be right without reading their words. */
function isPlainlyRight(directive: Directive, kind: ArgumentKind): boolean {
  const shape = directive.argumentShape;
  if (shape === "word") return takesOneWord.has(kind);
  if (shape === "string") return takesOneWord.has(kind) && directive.argumentText.length > 2;
  return kind === "ITERATE" && shape !== "empty" && !/^["']/.test(directive.argumentText);
}

function countRefusal(directive: Directive, facts: DirectiveFacts, release: Release): string | undefined {
  const { argumentKind: kind } = facts;
  // What 2.2 says of an empty list is not known.
  if (release === "2.2" && kind === "ITERATE") return undefined;
  const words = directive.arguments;
  const isEmpty = words.slice(0, filledWords[kind] ?? 0).some((word) => word.value === "");
  if (kind === "TAKE13" && words.length === 2 && words[1]?.value === "") return undefined;
  return argumentCountRefusal(facts, isEmpty ? 0 : words.length, /^(on|off)$/i.test(words[0]?.value ?? ""));
}

function countAdvice(directive: Directive, facts: DirectiveFacts): Pick<Fault, "wrong" | "remedy"> {
  const words = directive.arguments;
  const comment = words.find((word) => word.value.startsWith("#"));
  if (comment)
    return {
      wrong: "a comment behind a directive is read as part of it",
      remedy: "put the comment on a line of its own",
    };
  const joined = words.map((word) => word.value).join("");
  const ordering = directive.key === "order" ? readOrdering(joined) : undefined;
  if (ordering) return { wrong: "`Order` takes one word without a space in it", remedy: `write \`Order ${ordering}\`` };
  const name = `\`${facts.name}\``;
  if (facts.argumentKind === "FLAG") {
    const [word] = words;
    return {
      wrong: word ? `${name} is On or Off, not ${quoted(word.value)}` : `${name} stands alone`,
      remedy: "write `On` or `Off`",
    };
  }
  const given = words.length === 0 ? "no words" : words.length === 1 ? "one word" : `${words.length} words`;
  const syntax = facts.syntax === "" ? "correct the line" : `it is written \`${facts.syntax}\``;
  return {
    wrong: `${name} does not take ${given}`,
    remedy: words.some((word) => word.value === "") ? "fill the empty word" : syntax,
  };
}
