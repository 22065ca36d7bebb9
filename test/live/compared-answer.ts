import type { Decision } from "../../src/simulate/decide.js";
import type { LiveAnswer } from "../support/httpd/live-requests.js";

/**
 * What a live answer and a decision disagree about: the status, and the whole lines of both logs. Where the decision does
 * not commit itself, the answer must be among those that it says there may be.
 *
 * @returns a line for each thing that is not the same
 */
export function disagreements(live: LiveAnswer, decision: Decision): string[] {
  if (decision.unknown.length > 0)
    return isAmong(live, decision) ? [] : [differing("answer", live.status, "none of those that there may be")];
  // Where a rule of rewriting is not followed the answer is that without it.
  if (decision.notes.length > 0) return [];
  const { status, accessLog, answeredBy, logsMayDiffer } = decision;
  // Of lines in `.htaccess` files that it passes over the server does not say for which request it reads them.
  const errorLog = decision.errorLog.filter((line) => !/^AH0229[56]:/.test(line));
  // Both speak for themselves.
  const hasOwnWords = answeredBy === "listing" || answeredBy === "program";
  return [
    ...(status === live.status ? [] : [differing("status", live.status, status)]),
    ...(logsMayDiffer || accessLog === live.accessLog ? [] : [differing("access log", live.accessLog, accessLog)]),
    ...(logsMayDiffer || hasOwnWords || String(errorLog) === String(live.errorLog)
      ? []
      : [differing("error log", live.errorLog.join("\n  "), errorLog.join("\n  "))]),
  ];
}

function isAmong({ status }: LiveAnswer, { alternatives }: Decision): boolean {
  return alternatives.length === 0 || alternatives.some((each) => each.status === status);
}

function differing(what: string, live: unknown, here: unknown): string {
  return `${what}\n  server\n  ${live}\n  here\n  ${here}`;
}

/** An answer by its kind: the status and the codes of the messages. */
export function kindOfAnswer({ status, errorLog }: LiveAnswer): string {
  const codes = errorLog.map((line) => /^AH\d{5}/.exec(line)?.[0] ?? "without a number");
  return [status, ...new Set(codes)].join(" ");
}
