import { wordCountRefusal } from "../directives/argument-count.js";
import type { DirectiveFacts, Release } from "../directives/directives.js";
import { toReadable } from "../text/source.js";
import type { Directive } from "./directive.js";
import { type Fault, quoted } from "./problems.js";

/** What is wrong with the number of a directive's words, by what a module knows of it; undefined where nothing is. */
export function wordCountFault(directive: Directive, facts: DirectiveFacts, release: Release): Fault | undefined {
  const words = directive.arguments;
  const server = wordCountRefusal(facts, words, release);
  return server === undefined ? undefined : { ...adviceOn(words, facts, release), server: toReadable(server) };
}

function adviceOn(
  words: Directive["arguments"],
  facts: DirectiveFacts,
  release: Release,
): Pick<Fault, "wrong" | "remedy"> {
  const name = `\`${facts.name}\``;
  const [first] = words;
  if (words.some((word) => word.value.startsWith("#")))
    return {
      wrong: "a comment behind a directive is read as part of it",
      remedy: "put the comment on a line of its own",
    };
  if (facts.argumentKind === "FLAG")
    return {
      wrong: first ? `${name} is On or Off, not ${quoted(first.value)}` : `nothing stands behind ${name}`,
      remedy: "write `On` or `Off`",
    };
  const filled = words.map(() => ({ value: "filled" }));
  if (wordCountRefusal(facts, filled, release) === undefined)
    return { wrong: `${name} does not take an empty word`, remedy: "fill the empty word" };
  const given = words.length === 1 ? "one word" : `${words.length} words`;
  return {
    wrong: first ? `${name} does not take ${given}` : `nothing stands behind ${name}`,
    remedy: facts.syntax === "" ? "correct the line" : `it is written \`${facts.syntax}\``,
  };
}
