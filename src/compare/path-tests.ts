import { among, behind, type Classifier, seenIn } from "../logic/classifier.js";
import { AT_OR_BELOW, BELOW, BOTH } from "../logic/literal-paths.js";
import type { Regular } from "../logic/regular.js";
import type { Directive } from "../project/directive.js";
import { patternOf } from "../scope/patterns.js";
import { Questions } from "../scope/questions.js";
import { asSent, readsSentAlike } from "./sent-paths.js";
import { ofLastName, type Readings, TextTests } from "./text-tests.js";

/** Something that keeps paths from being told apart exactly. */
export interface Uncut {
  readonly reason: string;
  readonly directive: Directive;
  /** Whether it concerns a URL path; left out: it may concern any for which the line counts. */
  readonly concerns?: ((path: string) => boolean) | undefined;
  /** Whether a request is led on to where that is not told: what is asked there may be asked of it. */
  readonly leadsOn?: boolean;
}

/** The view of the file name of each kind: what a section for a directory is for hangs on what is there. */
export const views = { directory: AT_OR_BELOW, missing: BELOW, file: BOTH } as const;

/** How a pattern is asked. */
export interface AskedPattern {
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
export class PathTests {
  /** Of the URL path: which sections apply, and what conditions say. */
  readonly url = new TextTests();
  /** Of the URL path: where it leads. */
  readonly mapping = new TextTests();
  /** Of the name of the file that it leads to, as far as that was walked. */
  readonly file = new TextTests();
  /** Of that name with the path info behind it. */
  readonly whole = new TextTests();
  /** Of the URL of the backend that it leads to, as `proxy:http://…`. */
  readonly backend = new TextTests();
  /** What is sought in a directory. */
  readonly indexNames = new Set<string>();
  /** URL paths that requests for others lead to as well: what is there is asked for beside what they ask for themselves. */
  readonly fixedPaths = new Set<string>();
  /** The same, as names of files; `%{DOCUMENT_ROOT}` stands for that of the server. */
  readonly fixedFiles = new Set<string>();
  readonly uncut: Uncut[] = [];
  isTooLarge = false;

  constructor(private readonly readings: Readings) {}

  /** @param key the same for the same texts */
  regular(tests: TextTests, key: string, texts: () => Regular, asked: AskedPattern & Seen = {}): void {
    this.add(tests, key, this.readings.regular(key, texts), asked);
  }

  pattern(tests: TextTests, text: string, directive: Directive, asked: AskedPattern = {}): void {
    if (asked.ofSent && readsSentAlike(text)) {
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
  found(text: string, form: Pick<AskedPattern, "ignoreCase">): Classifier | undefined {
    const made = this.readings.pattern(text, form);
    return made === "too large" || "construct" in made ? undefined : made;
  }

  private add(tests: TextTests, key: string, made: Classifier | "too large", asked: AskedPattern & Seen): void {
    if (made === "too large") {
      this.isTooLarge = true;
      return;
    }
    const { ofName, ofSent, behind: text, seen, among: found } = asked;
    const whole = `${key} ${ofName ?? ""} ${ofSent ?? ""} ${seen ?? ""} ${text ?? ""}`;
    if (tests.others.has(whole)) return;
    const read = ofName ? ofLastName(made) : ofSent ? asSent(made) : made;
    const placed = text === undefined ? read : behind(text, read);
    const asking = found ? among(found, placed, this.readings.allowance) : placed;
    tests.others.set(whole, seen ? seenIn(seen, asking) : asking);
  }
}

interface Seen {
  /** The views in which it counts. */
  readonly seen?: readonly number[];
}

/** Whether the simulator asks what a pattern matches, instead of telling it. */
function isQuestion(text: string, { withoutEnd = false, ignoreCase = false }: AskedPattern): boolean {
  const questions = new Questions(new Map());
  patternOf(text, { withoutEnd, ignoreCase }).matches("", questions);
  return questions.asked.size > 0;
}
