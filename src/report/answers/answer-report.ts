import type { Branch } from "../../config/model/project.js";
import type { Finding } from "../../lint/finding.js";
import type { Answer, Miss } from "../../server/model/answer.js";

/** The answer if conditional sections apply that the server skips. */
export interface OtherReading {
  readonly answer: Answer;
  /** Those with the lines that decide it; otherwise all that apply then. */
  readonly branches: readonly Branch[];
  /** Why httpd skips the first one, as a clause, and what to change, if the server lacks its module. */
  readonly reason?: string;
  readonly help?: readonly string[];
}

/** An answer to be rendered, and the findings that prevent the server from starting. */
export interface AnswerReport {
  readonly answer: Answer;
  readonly startup: readonly Finding[];
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
  /** What a check reports on the lines of the answer. */
  readonly advice?: readonly Finding[];
  /** The different answers if conditional sections apply that the server skips. */
  readonly others?: readonly OtherReading[];
  /** How to allow the client, if access control denies the request: one imperative clause each. */
  readonly remedy?: readonly string[];
  /** Whether to show all cases, and all lines that do not apply. */
  readonly showsAll?: boolean;
}

/** Returns the lines that do not apply, to be shown. */
export function missesToShow({ answer, showsAll = false }: AnswerReport): readonly Miss[] {
  return answer.misses.filter(({ isClose }) => showsAll || isClose);
}
