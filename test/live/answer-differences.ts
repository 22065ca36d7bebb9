import type { Answer } from "../../src/server/model/answer.js";
import type { LiveAnswer } from "../support/httpd/live-requests.js";

/**
 * Returns the differences between a live response and a decision: the status, and the whole lines of both logs. If the
 * decision is uncertain, the response must be among its alternatives.
 *
 * @returns a line for each difference
 */
export function disagreements(live: LiveAnswer, decision: Answer): string[] {
  if (decision.unknown.length > 0)
    return isAmong(live, decision) ? [] : [describeDifference("answer", live.status, "none of the possible answers")];
  // If a rewrite rule cannot be evaluated, the decision disregards it.
  if (decision.notes.length > 0) return [];
  const { status, accessLog, answeredBy, logsMayDiffer } = decision;
  // The status of a backend is not known before it answers.
  const loggedLine = answeredBy === "backend" ? live.accessLog?.replace(/ \d{3}$/, " -") : live.accessLog;
  // The server does not log the request for which it skips lines in `.htaccess` files.
  const errorLog = decision.errorLog.filter((line) => !/^AH0229[56]:/.test(line));
  // Listings and programs produce their own responses.
  const hasOwnResponse = answeredBy === "listing" || answeredBy === "program";
  return [
    ...(status === live.status ? [] : [describeDifference("status", live.status, status)]),
    ...(logsMayDiffer || accessLog === loggedLine ? [] : [describeDifference("access log", loggedLine, accessLog)]),
    ...(logsMayDiffer || hasOwnResponse || String(errorLog) === String(live.errorLog)
      ? []
      : [describeDifference("error log", live.errorLog.join("\n  "), errorLog.join("\n  "))]),
  ];
}

function isAmong({ status }: LiveAnswer, { alternatives }: Answer): boolean {
  return alternatives.length === 0 || alternatives.some((each) => each.status === status);
}

function describeDifference(what: string, live: unknown, decided: unknown): string {
  return `${what}\n  server\n  ${live}\n  simulator\n  ${decided}`;
}

/** Classifies a response by its status and message codes. */
export function kindOfAnswer({ status, errorLog }: LiveAnswer): string {
  const codes = errorLog.map((line) => /^AH\d{5}/.exec(line)?.[0] ?? "without a number");
  return [status, ...new Set(codes)].join(" ");
}
