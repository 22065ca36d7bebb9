import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Scope } from "../../config/model/scope.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { getOrCreate } from "../../text/collections.js";
import { takeUntilEmpty } from "./values.js";

/** The words that each word excludes, and the server's message for the conflict. */
type WordExclusions = Readonly<Record<string, { readonly excludes: readonly string[]; readonly server: string }>>;

function eitherOr(one: string, other: string): WordExclusions {
  const server = `HttpProtocolOptions '${one}' and '${other}' are mutually exclusive`;
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return { [a]: { excludes: [b], server }, [b]: { excludes: [a], server } };
}

/** Words that accumulate over the lines of a section and partly exclude each other. */
const exclusions: Readonly<Record<string, WordExclusions>> = {
  // modules/mappers/mod_negotiation.c
  forcelanguagepriority: {
    none: { excludes: ["prefer", "fallback"], server: "Cannot combine ForceLanguagePriority options with None" },
    prefer: { excludes: ["none"], server: "Cannot combine ForceLanguagePriority options None and Prefer" },
    fallback: { excludes: ["none"], server: "Cannot combine ForceLanguagePriority options None and Fallback" },
  },
  // server/core.c
  httpprotocoloptions: {
    ...eitherOr("Allow0.9", "Require1.0"),
    ...eitherOr("Strict", "Unsafe"),
    ...eitherOr("RegisteredMethods", "LenientMethods"),
  },
  // modules/http/mod_mime.c
  multiviewsmatch: {
    any: {
      excludes: ["negotiatedonly", "filters", "handlers"],
      server: "Any is incompatible with NegotiatedOnly, Filters and Handlers",
    },
    negotiatedonly: {
      excludes: ["any", "filters", "handlers"],
      server: "NegotiatedOnly is incompatible with Any, Filters and Handlers",
    },
    filters: { excludes: ["any", "negotiatedonly"], server: "Filters is incompatible with Any and NegotiatedOnly" },
    handlers: { excludes: ["any", "negotiatedonly"], server: "Handlers is incompatible with Any and NegotiatedOnly" },
  },
};

/** The directives with such words, by lower-case name. */
export const exclusiveWordDirectives: readonly string[] = Object.keys(exclusions);

interface RecordedWord {
  readonly directive: Directive;
  readonly word: Argument;
}

/** The words of such directives so far, by scope: section, host or server. */
export class ExclusiveWordChecker {
  private readonly recorded = new Map<Scope, Map<string, RecordedWord>>();

  /** Records the words of a line, and returns the fault if one conflicts with an earlier one. */
  add(directive: Directive, scope: Scope): Refusal | undefined {
    const taken = getOrCreate(this.recorded, scope, () => new Map());
    const known = exclusions[directive.key] ?? {};
    for (const word of takeUntilEmpty(directive.arguments)) {
      const lower = word.value.toLowerCase();
      // The server stops at an unknown word.
      const exclusion = Object.hasOwn(known, lower) ? known[lower] : undefined;
      if (exclusion === undefined) return undefined;
      const { excludes, server } = exclusion;
      const other = excludes.map((each) => taken.get(`${directive.key} ${each}`)).find((each) => each !== undefined);
      if (other) return exclusionFailure(directive, word, other, server);
      taken.set(`${directive.key} ${lower}`, { directive, word });
    }
    return undefined;
  }
}

function exclusionFailure(directive: Directive, word: Argument, other: RecordedWord, server: string): Refusal {
  const isHere = other.directive === directive;
  return {
    ...wordingOf("exclusive-words", server, word.value, other.word.value),
    ...(isHere ? {} : { facts: ["the arguments of the earlier line still apply"] }),
    span: directive.spanOf(word),
    ...(isHere ? {} : { related: [{ message: "earlier line", span: other.directive.span }] }),
  };
}
