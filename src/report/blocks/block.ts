import type { Finding } from "../../lint/finding.js";
import type { Span } from "../../text/source.js";
import type { PlaceResolver } from "../text/source-places.js";

/**
 * A report about a whole server before its layout: text, HTML and Markdown lay out the same blocks, in the same order.
 * Blocks contain words with quotes in backticks; each layout masks their secrets and escapes them.
 */
export type Block =
  | CountsBlock
  | DifferenceBlock
  | FailureBlock
  | HeadingBlock
  | ItemsBlock
  | LoggedBlock
  | ParagraphBlock
  | PatchBlock
  | ServerBlock
  | SimilarBlock
  | SpaceBlock
  | VerdictBlock
  | VersionBlock
  | { readonly kind: "finding"; readonly finding: Finding };

/** What a part of a report means for its reader. */
export type Tone = "good" | "bad" | "caution" | "neutral";

/** The number of entries of each part of a report. */
interface CountsBlock {
  readonly kind: "counts";
  readonly rows: readonly CountRow[];
}

export interface CountRow {
  readonly count: number;
  readonly text: string;
  readonly tone: Tone;
  /** Whether it counts a part of the report, whose heading has the same text if it is not empty. */
  readonly isPart: boolean;
}

/** Starts a part of a report, or a list in it. */
interface HeadingBlock {
  readonly kind: "heading";
  readonly level: "part" | "list";
  readonly text: string;
  /** A count after the text; empty if there is none. */
  readonly suffix?: string;
}

/** A sentence. Notes on the whole report have a hanging indent in text. */
interface ParagraphBlock {
  readonly kind: "paragraph";
  readonly text: string;
  readonly isNote?: boolean;
}

/** An empty line of text; the other layouts have distances of their own. */
interface SpaceBlock {
  readonly kind: "space";
}

/** A side that does not start, or fails every request. */
export interface FailureBlock {
  readonly kind: "failure";
  /** The side: a version, or a path. */
  readonly title: string;
  /** Never empty. */
  readonly reasons: readonly Finding[];
  /** The consequences for the report. */
  readonly notes: readonly string[];
}

/** The result of a proof. */
interface VerdictBlock {
  readonly kind: "verdict";
  readonly verdict: string;
  readonly tone: Tone;
  readonly text: string;
}

/** Findings with the same advice as others that are shown before, one line each. */
interface SimilarBlock {
  readonly kind: "similar";
  readonly findings: readonly Finding[];
}

interface ItemsBlock {
  readonly kind: "items";
  readonly items: readonly Item[];
}

/** An entry of a list. */
export interface Item {
  /** A word before the location: `changed`. */
  readonly label?: string;
  /** Whether it belongs to the item before it. */
  readonly continues?: boolean;
  readonly span?: Span;
  readonly text: string;
  /** Further sentences. */
  readonly details?: readonly string[];
  readonly notes?: readonly string[];
  readonly help?: readonly string[];
}

/** A line of an access log whose result is not the same on both sides. */
interface LoggedBlock {
  readonly kind: "logged";
  readonly line: number;
  /** Empty if the line cannot be parsed. */
  readonly request: string;
  readonly result: TonedText;
}

/** A line of the configuration, quoted. */
export interface QuotedLine {
  readonly span: Span;
  readonly text: string;
}

/** A request with its answers on both sides, and the other requests that it stands for. */
export interface DifferenceBlock {
  readonly kind: "difference";
  /** A number with a dot, or an ID with a colon. */
  readonly label: string;
  readonly change: readonly [before: TonedText, after: TonedText];
  /** The request, as an example. */
  readonly request: string;
  readonly answers: readonly SideAnswer[];
  /** The hosts of all groups; empty if the groups name them, or there is only one server. */
  readonly hosts: string;
  readonly groups: readonly AffectedGroup[];
  readonly moreGroups?: string;
  readonly alike: readonly string[];
}

export interface TonedText {
  readonly text: string;
  readonly tone: Tone;
}

/** An answer of one side, with the lines that decide it. */
export interface SideAnswer {
  /** The side: a version, or a path. */
  readonly title: string;
  readonly status: TonedText;
  /** What follows the status: codes of log messages, or a place. */
  readonly suffix: string;
  readonly lines: readonly QuotedLine[];
}

/** Requests of the same clients with the same change. */
export interface AffectedGroup {
  readonly clients: string;
  readonly paths: readonly string[];
  readonly morePaths?: string;
}

/** A change of httpd between two versions, with a request that shows it if there is one. */
export interface VersionBlock {
  readonly kind: "version";
  readonly changes: readonly { readonly version: string; readonly text: string }[];
  readonly request?: string;
  readonly answers: readonly SideAnswer[];
  readonly notes: readonly string[];
}

/** Who can access what on a server. */
export interface ServerBlock {
  readonly kind: "server";
  readonly title: string;
  readonly releases: readonly string[];
  readonly rows: readonly ScopeRow[];
  readonly alike: readonly string[];
}

/** A group of paths with the access to them. */
export interface ScopeRow {
  readonly paths: string;
  readonly sections: string;
  /** For each version if they differ; otherwise for all. */
  readonly access: readonly string[];
  readonly differs: boolean;
  readonly isUnsure: boolean;
  /** Other paths with the same access; empty if there are none. */
  readonly same: string;
}

/** The change of a file. */
interface PatchBlock {
  readonly kind: "patch";
  readonly path: string;
  /** As binary strings. */
  readonly before: string;
  readonly after: string;
}

/** What blocks show. */
export interface BlockOptions {
  readonly places: PlaceResolver;
  /** Whether lists are complete, however long. */
  readonly isVerbose: boolean;
}

/** A whole report for layouts that are documents. */
export interface BlockReport {
  readonly title: string;
  /** The subject, as the user named it. */
  readonly subject: string;
  readonly blocks: Iterable<Block>;
}
