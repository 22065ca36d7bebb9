import type { SourceFile, Span } from "../../text/source.js";
import { shortenText } from "../../text/words.js";

/** The parts of a message about a problem: readable text, with excerpts of the configuration in backticks. */
export interface ProblemDescription {
  /** The header: the problem, as a clause. */
  readonly problem: string;
  /** Further facts, one clause each. */
  readonly facts?: readonly string[];
  /** The consequence, as a clause; if absent, that the server rejects the file. */
  readonly consequence?: string;
  /** The remedy, as an imperative clause. */
  readonly remedy: string;
  /** The server's error message, if it rejects the file. */
  readonly server?: string;
  /** Whether it is about a file or directory that does not exist here. */
  readonly isMissing?: true;
}

/** A problem as the parts of a finding. */
export interface ProblemText {
  readonly message: string;
  /** Absent if the server accepts the file. */
  readonly effect?: RejectionEffect;
  readonly notes: readonly string[];
  readonly help: readonly string[];
}

/** The effect of a rejected file: the server does not start, or requests below the file's directory return 500. */
export type RejectionEffect = "no start" | "500";

/** A problem in reading a file. The server stops at the first one; httpd-lint continues. */
export interface Problem extends ProblemDescription {
  readonly kind: /** Sections, quoting, line length: the text itself is invalid. */
    | "syntax"
    /**
     * A file or directory that Include names is not available; without a server message, only httpd-lint cannot read
     * it.
     */
    | "include"
    /** Not read, but not an error: a relative path below a missing ServerRoot, or a directory under another name. */
    | "passed-over"
    /**
     * The ServerRoot does not exist here; unless that is a mistake, the server and its files are on another machine.
     */
    | "server-root"
    /**
     * A `.htaccess` file, or a directory that may contain some, is not readable here; the server may be able to read
     * it.
     */
    | "closed"
    /** Deeper or longer than httpd-lint supports; the server may accept it. */
    | "limit"
    /** Macro, Use, Define, LoadModule or a conditional section: the server stops reading. */
    | "refused"
    /** The tag of a template: it stands for lines that are not known. */
    | "template"
    /** `${X}` without a value: stays unchanged, and the server warns (AH00111). */
    | "undefined-variable"
    /** Accepted by the server only under the current circumstances. */
    | "fragile";
  /** One line for the operator: the problem, its consequence, the remedy. */
  readonly message: string;
  /** The message in parts. */
  readonly text: ProblemText;
  readonly span: Span;
  readonly related: readonly Related[];
  /** Whether it results from a section with an unknown name; not reported if that is. */
  readonly ofUnknownSection?: true;
  /** Whether it is a closing tag before those of the related sections. */
  readonly crosses?: true;
  /** Whether the server reports it only at the end of the file. */
  readonly atEnd?: true;
  /** The directory of the unread `.htaccess` files; readable. */
  readonly directory?: string;
  /**
   * If the directories further below are unknown as well: those that were searched nevertheless, readable. The
   * directories on the way to them were searched, and so was `directory` if it is one of them.
   */
  readonly searchedBelow?: readonly string[];
  /** If `directory` was read under another name, that name; readable. */
  readonly firstName?: string;
}

/** A further location that explains a finding. */
export interface Related<File = SourceFile> {
  readonly message: string;
  readonly span: Span<File>;
}

/** Returns the parts of a fault; all rejections are reported in this form. */
export function describeProblem(
  { problem, facts = [], consequence, remedy, server }: ProblemDescription,
  inHtaccess: boolean,
): ProblemText {
  const reported = server === undefined ? [] : [`httpd reports: ${formatServerText(server)}`];
  return {
    message: problem,
    ...(consequence === undefined ? { effect: rejectionEffectOf(inHtaccess) } : {}),
    notes: [...facts, ...(consequence === undefined ? [] : [consequence]), ...reported],
    help: [remedy],
  };
}

/** Renders a fault in one line. */
export function formatProblem(
  { problem, consequence, remedy, server }: ProblemDescription,
  inHtaccess: boolean,
): string {
  const serverMessage = server === undefined ? "" : ` (httpd: "${formatServerText(server)}")`;
  return `${problem}, so ${consequence ?? describeRejectionEffect(rejectionEffectOf(inHtaccess))}; ${remedy}${serverMessage}`;
}

/** Reports whether something was not read that the server may be able to read, so that its content is unknown. */
export function isUnread({ kind, server }: Problem): boolean {
  if (kind === "template") return true;
  return (
    server === undefined && (kind === "closed" || kind === "include" || kind === "limit" || kind === "passed-over")
  );
}

/** Returns the first unread part that may affect any request. */
export function findUnreadPart(problems: readonly Problem[]): Problem | undefined {
  return problems.find((each) => isUnread(each) && each.directory === undefined);
}

/**
 * Returns the missing parts: files that Include names, and the lines that a template's tags stand for. The server may have
 * them.
 */
export function findMissingParts({ problems }: { readonly problems: readonly Problem[] }): readonly Problem[] {
  return problems.filter(isMissingPart);
}

function isMissingPart({ kind, isMissing, directory }: Problem): boolean {
  return directory === undefined && (kind === "template" || isMissing === true);
}

/** Combines equivalent problems, such as several unreadable parts, into one: the first of them is enough. */
export function mergeProblems([first, ...others]: readonly Problem[]): Problem | undefined {
  if (first === undefined || others.length === 0) return first;
  const more = `${others.length === 1 ? "1 more part was" : `${others.length} more parts were`} not read`;
  const { message, text } = first;
  return { ...first, message: `${message}; ${more}`, text: { ...text, notes: [...text.notes, more] } };
}

/** Returns the effect of an error in a file that the server rejects. */
export function rejectionEffectOf(inHtaccess: boolean): RejectionEffect {
  return inHtaccess ? "500" : "no start";
}

/** Returns the effect as a clause, for an operator. */
export function describeRejectionEffect(effect: RejectionEffect): string {
  return effect === "500" ? "requests below this directory return 500" : "httpd will not start";
}

function formatServerText(server: string): string {
  return shortenText(server.replaceAll("\n", "\\n"), 240);
}

/** Collects problems, each once, even if its file is read several times. */
export class ProblemLog {
  readonly problems: Problem[] = [];
  private readonly seen = new Set<string>();

  constructor(private readonly inHtaccess: boolean) {}

  add(
    kind: Problem["kind"],
    span: Span,
    fault: ProblemDescription,
    related: readonly Related[] = [],
    more: Pick<Problem, "ofUnknownSection" | "crosses" | "atEnd" | "directory" | "searchedBelow" | "firstName"> = {},
  ): void {
    const message = formatProblem(fault, this.inHtaccess);
    const key = `${kind} ${span.file.path} ${span.start} ${message}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    const text = describeProblem(fault, this.inHtaccess);
    this.problems.push({ ...fault, kind, message, text, span, related, ...more });
  }
}
