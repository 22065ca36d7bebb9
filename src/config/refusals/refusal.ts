import type { SourceFile, Span } from "../../text/source.js";
import { shortenText } from "../../text/words.js";
import { argumentTexts } from "./argument-texts.js";
import { htaccessTexts } from "./htaccess-texts.js";
import { readingTexts } from "./reading-texts.js";
import type { Wording } from "./wording.js";

const texts = { ...readingTexts, ...argumentTexts, ...htaccessTexts };

/** What the texts show, by code. */
type ShownByCode = { readonly [Code in keyof typeof texts]: Parameters<(typeof texts)[Code]> };

/** The stable name of a reason to refuse a file or a line. */
export type RefusalCode = keyof ShownByCode;

const textsByCode: { readonly [Code in RefusalCode]: (...shown: ShownByCode[Code]) => Wording } = texts;

/** A code with its wording. */
export interface RefusalText extends Wording {
  readonly code: RefusalCode;
}

/** Returns the wording of a refusal from the table. @param shown what the text shows */
export function wordingOf<Code extends RefusalCode>(code: Code, ...shown: ShownByCode[Code]): RefusalText {
  return { code, ...textsByCode[code](...shown) };
}

/**
 * A line or file that httpd refuses, or that httpd-lint cannot read. The server stops at the first refusal; httpd-lint
 * continues.
 */
export interface Refusal extends RefusalText {
  readonly span: Span;
  readonly related?: readonly Related[];
  /** Whether it makes requests below the file's directory return 500: it is in a `.htaccess` file. */
  readonly inHtaccess?: boolean;
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
  /** The number of further parts that were not read. */
  readonly alsoUnread?: number;
}

/** A further location that explains a finding. */
export interface Related<File = SourceFile> {
  readonly message: string;
  readonly span: Span<File>;
}

/** The effect of a rejected file: the server does not start, or requests below the file's directory return 500. */
export type RejectionEffect = "no start" | "500";

/** A refusal as the parts of a finding. */
export interface RefusalParts {
  readonly message: string;
  /** Absent if the server accepts the file. */
  readonly effect?: RejectionEffect;
  readonly notes: readonly string[];
  readonly help: readonly string[];
}

/** Returns the parts of a refusal; all are reported in this form. */
export function describeRefusal(refusal: Refusal): RefusalParts {
  const { problem, facts = [], consequence, remedy, server, inHtaccess = false } = refusal;
  return {
    message: problem,
    ...(consequence === undefined ? { effect: rejectionEffectOf(inHtaccess) } : {}),
    notes: [
      ...facts,
      ...(consequence === undefined ? [] : [consequence]),
      ...(server === undefined || server === "" ? [] : [`httpd reports: ${formatServerText(server)}`]),
      ...describeFurther(refusal),
    ],
    help: [remedy],
  };
}

/** Renders a refusal in one line. */
export function formatRefusal(refusal: Refusal): string {
  const { problem, consequence, remedy, server, inHtaccess = false } = refusal;
  const serverMessage = server === undefined ? "" : ` (httpd: "${formatServerText(server)}")`;
  const effect = consequence ?? describeRejectionEffect(rejectionEffectOf(inHtaccess));
  return [`${problem}, so ${effect}; ${remedy}${serverMessage}`, ...describeFurther(refusal)].join("; ");
}

function describeFurther({ alsoUnread = 0 }: Refusal): readonly string[] {
  if (alsoUnread === 0) return [];
  return [`${alsoUnread === 1 ? "1 more part was" : `${alsoUnread} more parts were`} not read`];
}

/** Reports whether something was not read that the server may be able to read, so that its content is unknown. */
export function isUnread({ kind, server }: Refusal): boolean {
  if (kind === "template") return true;
  return (
    server === undefined && (kind === "closed" || kind === "include" || kind === "limit" || kind === "passed-over")
  );
}

/** Returns the first unread part that may affect any request. */
export function findUnreadPart(problems: readonly Refusal[]): Refusal | undefined {
  return problems.find((each) => isUnread(each) && each.directory === undefined);
}

/**
 * Returns the missing parts: files that Include names, and the lines that a template's tags stand for. The server may have
 * them.
 */
export function findMissingParts({ problems }: { readonly problems: readonly Refusal[] }): readonly Refusal[] {
  return problems.filter(isMissingPart);
}

function isMissingPart({ kind, isMissing, directory }: Refusal): boolean {
  return directory === undefined && (kind === "template" || isMissing === true);
}

/** Combines equivalent refusals, such as several unreadable parts, into one: the first of them is enough. */
export function mergeRefusals([first, ...others]: readonly Refusal[]): Refusal | undefined {
  return first && others.length > 0 ? { ...first, alsoUnread: others.length } : first;
}

/** Returns the effect of an error in a file that the server rejects. */
export function rejectionEffectOf(inHtaccess: boolean): RejectionEffect {
  return inHtaccess ? "500" : "no start";
}

/** The effect of a rejected main file, as a clause. */
export const NO_START = "httpd will not start";

/** Returns the effect as a clause, for an operator. */
export function describeRejectionEffect(effect: RejectionEffect): string {
  return effect === "500" ? "requests below this directory return 500" : NO_START;
}

function formatServerText(server: string): string {
  return shortenText(server.replaceAll("\n", "\\n"), 240);
}

/** Collects refusals, each once, even if its file is read several times. */
export class RefusalLog {
  readonly problems: Refusal[] = [];
  private readonly seen = new Set<string>();

  constructor(private readonly inHtaccess: boolean) {}

  add(
    span: Span,
    text: RefusalText,
    related: readonly Related[] = [],
    more: Pick<Refusal, "ofUnknownSection" | "crosses" | "atEnd" | "directory" | "searchedBelow" | "firstName"> = {},
  ): void {
    const refusal: Refusal = { ...text, span, related, inHtaccess: this.inHtaccess, ...more };
    const key = `${text.kind} ${span.file.path} ${span.start} ${formatRefusal(refusal)}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.problems.push(refusal);
  }
}
