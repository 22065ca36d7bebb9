import { type Span, toReadable } from "../../text/source.js";

/** Something wrong before it is put in words: readable text all through, the configuration's own in backticks. */
export interface ProblemDescription {
  /** What is wrong, as a clause. */
  readonly problem: string;
  /** What comes of it, as a clause; where absent, that the server refuses. */
  readonly consequence?: string;
  /** What to do, as a clause. */
  readonly remedy: string;
  /** The server's own words, where it refuses. */
  readonly server?: string;
}

/** What kept a file from being read as it was meant. The server stops at the first of them; we read on. */
export interface Problem extends ProblemDescription {
  readonly kind: /** Sections, quoting, line length: the text itself is wrong. */
    | "syntax"
    /** A file or directory that Include names cannot be had; where the server has no words for it, by us alone. */
    | "include"
    /** Not read, and no fault: a relative path below a ServerRoot that is not here, a directory by another name. */
    | "passed-over"
    /** The ServerRoot is not here: where it is no mistake, the server and its files are on another machine. */
    | "server-root"
    /** A `.htaccess` file, or a directory in which some may lie, is closed to us; the server may well read it. */
    | "closed"
    /** Deeper or longer than httpd-lint follows; the server may well take it. */
    | "limit"
    /** Macro, Use, Define, LoadModule, a guard: the server refuses to read on. */
    | "refused"
    /** `${X}` without a value: stays as it is, and the server warns (AH00111). */
    | "undefined-variable"
    /** Accepted by the server only as things stand. */
    | "fragile";
  /** One line for the operator: what is wrong, why it matters, what to do. */
  readonly message: string;
  readonly span: Span;
  readonly related: readonly Related[];
  /** Comes of a section whose name the release does not know: where that is told, this is not. */
  readonly ofUnknownSection?: true;
  /** A closing tag that comes before those of the related sections. */
  readonly crosses?: true;
  /** The server tells of it only where the file ends. */
  readonly atEnd?: true;
  /** Of what was not read of `.htaccess` files: the directory that they are in; readable. */
  readonly directory?: string;
  /**
   * With it, where of those further in it is not known either: the directories there that were searched all the same, readable.
   * Those on the way to them were looked in, and so was it where it is one of them.
   */
  readonly andBelow?: readonly string[];
}

/** A further place that explains a finding. */
export interface Related {
  readonly message: string;
  readonly span: Span;
}

/** Puts a fault in words, the one way in which all refusals are told. */
export function formatProblem(
  { problem, consequence, remedy, server }: ProblemDescription,
  inHtaccess: boolean,
): string {
  const said = server === undefined ? "" : ` (httpd: "${shorten(server.replaceAll("\n", "\\n"), 240)}")`;
  return `${problem}, so ${consequence ?? describeConsequence(inHtaccess)}; ${remedy}${said}`;
}

/** Whether it kept us from reading what the server may well read: nobody knows what that says. */
export function isUnread({ kind, server }: Problem): boolean {
  return (
    server === undefined && (kind === "closed" || kind === "include" || kind === "limit" || kind === "passed-over")
  );
}

/** Of what was not read what may say anything of any request. */
export function findUnreadPart(problems: readonly Problem[]): Problem | undefined {
  return problems.find((each) => isUnread(each) && each.directory === undefined);
}

/** Those that are closed to us, or whatever else comes to the same, in one: the first of them tells enough. */
export function mergeProblems([first, ...others]: readonly Problem[]): Problem | undefined {
  if (first === undefined || others.length === 0) return first;
  const more = others.length === 1 ? "one more part is" : `${others.length} more parts are`;
  return { ...first, message: `${first.message}; ${more} not read either` };
}

/** What becomes of a file that the server refuses, in words for an operator. */
export function describeConsequence(inHtaccess: boolean): string {
  return inHtaccess ? "every request below answers 500" : "the server does not start";
}

/** The configuration's own text in a message. */
export function quoteText(text: string): string {
  return `\`${shorten(toReadable(text), 60)}\``;
}

/** Several words in a message: `a, b and c`. */
export function formatWordList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** Collects problems, each once, however often its file is read. */
export class ProblemLog {
  readonly problems: Problem[] = [];
  private readonly seen = new Set<string>();

  constructor(private readonly inHtaccess: boolean) {}

  add(
    kind: Problem["kind"],
    span: Span,
    fault: ProblemDescription,
    related: readonly Related[] = [],
    more: Pick<Problem, "ofUnknownSection" | "crosses" | "atEnd" | "directory" | "andBelow"> = {},
  ): void {
    const message = formatProblem(fault, this.inHtaccess);
    const key = `${kind} ${span.file.path} ${span.start} ${message}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.problems.push({ ...fault, kind, message, span, related, ...more });
  }
}
