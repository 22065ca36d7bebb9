import type { Directive } from "../../config/model/directive.js";
import { type Classifier, classifyAfterPrefix, restrictTo, restrictToViews } from "../../regex/automata/classifier.js";
import { AT_AND_BELOW, AT_OR_BELOW, BELOW } from "../../regex/automata/path-trie.js";
import type { RegularLanguage } from "../../regex/automata/regular-language.js";
import { getOrCreate } from "../../text/collections.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { type ReasonAtLine, reasonFor } from "../model/unproved-reasons.js";
import type { HandlerLine } from "./handler-extensions.js";
import { type ClassifierCache, classifyLastName, TextPredicates } from "./text-predicates.js";

/** A reason why paths cannot be distinguished exactly. */
export interface InexactPredicate extends ReasonAtLine {
  /** Whether it concerns a URL path; if omitted, it may concern any path to which the line applies. */
  readonly concerns?: ((path: string) => boolean) | undefined;
  /** Whether a request is redirected internally to an unknown target, where any predicate may read it. */
  readonly redirects?: boolean;
  /** Whether it only concerns steps after the access check of the requested path. */
  readonly isAfterAccess?: boolean;
  /** Whether it only concerns which file or backend the rules of a server lead to, and whether they answer. */
  readonly isOfRules?: boolean;
  /** Whether it counts only if lines read the URL of a backend. */
  readonly isOfBackend?: boolean;
}

/** The view of the file name for each kind of object: the directories that a section applies to depend on it. */
export const fileNameViews = { directory: AT_OR_BELOW, missing: BELOW, file: AT_AND_BELOW } as const;

/** Options for evaluating a pattern. */
export interface PatternPredicate {
  readonly withoutEnd?: boolean;
  readonly ignoreCase?: boolean;
  /** Reads only the last name. */
  readonly ofName?: boolean;
  /** Reads the path as it is sent. */
  readonly ofSent?: boolean;
  /** Reads only the part after a text. */
  readonly after?: string;
  /**
   * Whether it suffices to know that it may match or not: the simulator asks an oracle question about patterns beyond
   * linear matchers.
   */
  readonly mayAskOracle?: boolean;
  /** Restricts the test to texts for which this classifier returns 1. The key must identify it, too. */
  readonly among?: Classifier | undefined;
}

/** The predicates of a server's lines on the path of a request. */
export class PathPredicates {
  /** On the URL path: the sections that apply, and conditions. */
  readonly url = new TextPredicates();
  /** On the URL path: its mapping. */
  readonly mapping = new TextPredicates();
  /** On the name of the file that it is mapped to, as far as it was walked. */
  readonly file = new TextPredicates();
  /** On that name followed by the path info. */
  readonly whole = new TextPredicates();
  /** On the URL of the backend that it is mapped to, as `proxy:http://…`. */
  readonly backend = new TextPredicates();
  /** The lines that set handlers by extension, if a handler may decide. */
  readonly handlerLines: HandlerLine[] = [];
  /** The index files looked up in a directory. */
  readonly indexNames = new Set<string>();
  /**
   * URL paths that requests for other paths are also mapped to: their targets are looked up in addition to the
   * requested ones.
   */
  readonly fixedPaths = new Set<string>();
  /** File names that other requests are also mapped to; `%{DOCUMENT_ROOT}` represents the server's document root. */
  readonly fixedFiles = new Set<string>();
  readonly inexact: InexactPredicate[] = [];
  /** The patterns that may match at many places of a path, with the sizes of their automata. */
  readonly costlyPatterns = new Map<Directive, number>();
  isTooLarge = false;

  constructor(private readonly readings: ClassifierCache) {}

  /** @param key equal for equal texts */
  regular(
    tests: TextPredicates,
    key: string,
    texts: () => RegularLanguage,
    options: PatternPredicate & PatternMatches = {},
  ): void {
    this.add(tests, key, this.readings.regular(key, texts), options);
  }

  pattern(tests: TextPredicates, text: string, directive: Directive, options: PatternPredicate = {}): void {
    if (options.ofSent && matchesSentPathAlike(text)) {
      this.pattern(tests, text, directive, { ...options, ofSent: false });
      return;
    }
    const { withoutEnd = false, ignoreCase = false, mayAskOracle = true } = options;
    const made = this.readings.pattern(text, { withoutEnd, ignoreCase });
    if (made === "too large" || !("construct" in made)) {
      if (!plainPattern.test(text)) {
        const size = made === "too large" ? Number.POSITIVE_INFINITY : (made.stateCount ?? 0);
        this.costlyPatterns.set(directive, Math.max(size, this.costlyPatterns.get(directive) ?? 0));
      }
      this.add(tests, `pattern ${withoutEnd} ${ignoreCase} ${text}`, made, options);
      return;
    }
    // The simulator asks an oracle whether such a pattern matches.
    if (mayAskOracle) return;
    this.inexact.push({ reason: reasonFor("pattern-construct", text, made.construct), directive });
  }

  /** Returns a classifier for the texts in which a pattern is found; undefined if it cannot be built. */
  found(text: string, form: Pick<PatternPredicate, "ignoreCase">): Classifier | undefined {
    const made = this.readings.pattern(text, form);
    return made === "too large" || "construct" in made ? undefined : made;
  }

  private add(
    tests: TextPredicates,
    key: string,
    made: Classifier | "too large",
    options: PatternPredicate & PatternMatches,
  ): void {
    if (made === "too large") {
      this.isTooLarge = true;
      return;
    }
    const { ofName, ofSent, after: text, seen, among: found } = options;
    const whole = `${key} ${ofName ?? ""} ${ofSent ?? ""} ${seen ?? ""} ${text ?? ""}`;
    if (tests.others.has(whole)) return;
    const read = ofName ? classifyLastName(made) : ofSent ? classifySentPath(made) : made;
    const placed = text === undefined ? read : classifyAfterPrefix(text, read);
    const restricted = found ? restrictTo(found, placed, this.readings.allowance) : placed;
    tests.others.set(whole, seen ? restrictToViews(seen, restricted) : restricted);
  }
}

interface PatternMatches {
  /** The views in which it counts. */
  readonly seen?: readonly number[];
}

/** An anchored pattern without repetitions. */
const plainPattern = /^(?:\^|\\A)(?:[^*+{\\]|\\.)*$/;

/** A pattern that starts with text that is sent unescaped, and has nothing else that an escape might match. */
const literalWhenSent = /^\^(?:[\w/~-]|\\\.)*\$?$/;

/** Reports whether a pattern has the same result for a path as sent and as normalized. */
function matchesSentPathAlike(pattern: string): boolean {
  return literalWhenSent.test(pattern);
}

const emptyByteClasses = new Uint8Array();

/** Converts a classifier to read the path as sent, with only the necessary escapes. */
function classifySentPath(of: Classifier): Classifier {
  const bytesFor = Array.from({ length: 256 }, (_, byte) => {
    return Uint8Array.from(encodeUrlPath(String.fromCharCode(byte)), (each) => of.classOf[each.charCodeAt(0)] ?? 0);
  });
  const known = new Map<string, number>();
  const steps: Uint8Array[] = [];
  const classOf = new Uint8Array(256);
  for (const [byte, classes] of bytesFor.entries()) {
    const key = classes.join();
    const number = getOrCreate(known, key, () => steps.push(classes) - 1);
    classOf[byte] = number;
  }
  return {
    classOf,
    classes: steps.length,
    next: (state, byteClass) => (steps[byteClass] ?? emptyByteClasses).reduce((at, each) => of.next(at, each), state),
    output: (state, view) => of.output(state, view),
  };
}
