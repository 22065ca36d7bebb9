import { Oracle } from "../../httpd/model/oracle.js";
import { compileRegexPattern } from "../../httpd/model/patterns.js";
import { type Classifier, classifyAfterPrefix, restrictTo, restrictToViews } from "../../logic/automata/classifier.js";
import { AT_AND_BELOW, AT_OR_BELOW, BELOW } from "../../logic/automata/path-trie.js";
import type { RegularLanguage } from "../../logic/languages/regular-language.js";
import type { Directive } from "../../project/model/directive.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { type ClassifierCache, classifyLastName, TextPredicates } from "./text-predicates.js";

/** Something that keeps paths from being told apart exactly. */
export interface InexactPredicate {
  readonly reason: string;
  readonly directive: Directive;
  /** Whether it concerns a URL path; left out: it may concern any for which the line counts. */
  readonly concerns?: ((path: string) => boolean) | undefined;
  /** Whether a request is led on to where that is not told: what is asked there may be asked of it. */
  readonly leadsOn?: boolean;
}

/** The view of the file name of each kind: what a section for a directory is for hangs on what is there. */
export const fileNameViews = { directory: AT_OR_BELOW, missing: BELOW, file: AT_AND_BELOW } as const;

/** How a pattern is asked. */
export interface PatternPredicate {
  readonly withoutEnd?: boolean;
  readonly ignoreCase?: boolean;
  /** Only of the last name. */
  readonly ofName?: boolean;
  /** Of the path as it is sent. */
  readonly ofSent?: boolean;
  /** Of what follows a text. */
  readonly behind?: string;
  /** Whether to know that it may match or not is enough: the simulator asks what no linear matcher can tell. */
  readonly isAsked?: boolean;
  /** Only of the texts of which this says 1. It is to be told by the key, too. */
  readonly among?: Classifier | undefined;
}

/** What the lines of a server ask of the path of a request. */
export class PathPredicates {
  /** Of the URL path: which sections apply, and what conditions say. */
  readonly url = new TextPredicates();
  /** Of the URL path: where it leads. */
  readonly mapping = new TextPredicates();
  /** Of the name of the file that it leads to, as far as that was walked. */
  readonly file = new TextPredicates();
  /** Of that name with the path info behind it. */
  readonly whole = new TextPredicates();
  /** Of the URL of the backend that it leads to, as `proxy:http://…`. */
  readonly backend = new TextPredicates();
  /** What is sought in a directory. */
  readonly indexNames = new Set<string>();
  /** URL paths that requests for others lead to as well: what is there is asked for beside what they ask for themselves. */
  readonly fixedPaths = new Set<string>();
  /** The same, as names of files; `%{DOCUMENT_ROOT}` stands for that of the server. */
  readonly fixedFiles = new Set<string>();
  readonly uncut: InexactPredicate[] = [];
  isTooLarge = false;

  constructor(private readonly readings: ClassifierCache) {}

  /** @param key the same for the same texts */
  regular(
    tests: TextPredicates,
    key: string,
    texts: () => RegularLanguage,
    asked: PatternPredicate & PatternMatches = {},
  ): void {
    this.add(tests, key, this.readings.regular(key, texts), asked);
  }

  pattern(tests: TextPredicates, text: string, directive: Directive, asked: PatternPredicate = {}): void {
    if (asked.ofSent && matchesSentPathAlike(text)) {
      this.pattern(tests, text, directive, { ...asked, ofSent: false });
      return;
    }
    const { withoutEnd = false, ignoreCase = false, isAsked = true } = asked;
    const made = this.readings.pattern(text, { withoutEnd, ignoreCase });
    if (made === "too large" || !("construct" in made)) {
      this.add(tests, `pattern ${withoutEnd} ${ignoreCase} ${text}`, made, asked);
      return;
    }
    if (isAsked && isQuestion(text, asked)) return;
    this.uncut.push({ reason: `its pattern \`${text}\` has ${made.construct}`, directive });
  }

  /** The texts in which a pattern is found; undefined for one that is not told apart. */
  found(text: string, form: Pick<PatternPredicate, "ignoreCase">): Classifier | undefined {
    const made = this.readings.pattern(text, form);
    return made === "too large" || "construct" in made ? undefined : made;
  }

  private add(
    tests: TextPredicates,
    key: string,
    made: Classifier | "too large",
    asked: PatternPredicate & PatternMatches,
  ): void {
    if (made === "too large") {
      this.isTooLarge = true;
      return;
    }
    const { ofName, ofSent, behind: text, seen, among: found } = asked;
    const whole = `${key} ${ofName ?? ""} ${ofSent ?? ""} ${seen ?? ""} ${text ?? ""}`;
    if (tests.others.has(whole)) return;
    const read = ofName ? classifyLastName(made) : ofSent ? classifySentPath(made) : made;
    const placed = text === undefined ? read : classifyAfterPrefix(text, read);
    const asking = found ? restrictTo(found, placed, this.readings.allowance) : placed;
    tests.others.set(whole, seen ? restrictToViews(seen, asking) : asking);
  }
}

interface PatternMatches {
  /** The views in which it counts. */
  readonly seen?: readonly number[];
}

/** Whether the simulator asks what a pattern matches, instead of telling it. */
function isQuestion(text: string, { withoutEnd = false, ignoreCase = false }: PatternPredicate): boolean {
  const questions = new Oracle(new Map());
  compileRegexPattern(text, { withoutEnd, ignoreCase }).matches("", questions);
  return questions.answered.size > 0;
}

/** A pattern that starts with text that is sent as it is, and has nothing else that an escape might match. */
const literalWhenSent = /^\^(?:[\w/~-]|\\\.)*\$?$/;

/** Whether a pattern says the same of a path as it is sent and of what the server makes of it. */
function matchesSentPathAlike(pattern: string): boolean {
  return literalWhenSent.test(pattern);
}

const emptyByteClasses = new Uint8Array();

/** Asks the same of a path as it is sent: with no escapes but those that it takes. */
function classifySentPath(of: Classifier): Classifier {
  const bytesFor = Array.from({ length: 256 }, (_, byte) => {
    return Uint8Array.from(encodeUrlPath(String.fromCharCode(byte)), (each) => of.classOf[each.charCodeAt(0)] ?? 0);
  });
  const known = new Map<string, number>();
  const steps: Uint8Array[] = [];
  const classOf = new Uint8Array(256);
  for (const [byte, classes] of bytesFor.entries()) {
    const key = classes.join();
    const number = known.get(key) ?? steps.push(classes) - 1;
    known.set(key, number);
    classOf[byte] = number;
  }
  return {
    classOf,
    classes: steps.length,
    next: (state, byteClass) => (steps[byteClass] ?? emptyByteClasses).reduce((at, each) => of.next(at, each), state),
    output: (state, view) => of.output(state, view),
  };
}
