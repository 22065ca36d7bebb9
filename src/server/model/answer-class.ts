import type { Answer } from "./answer.js";

/** What a client gets: the content, a redirect, a request to log in, a denial, or an answer without content. */
export type AnswerClass = "allowed" | "redirected" | "login" | "denied" | "not found" | "rejected" | "error";

/** Statuses of their own class; those of the same hundred differ. */
const classByStatus: ReadonlyMap<number, AnswerClass> = new Map([
  // The copy of the client is still valid.
  [304, "allowed"],
  [401, "login"],
  [403, "denied"],
  [404, "not found"],
  [407, "login"],
  [410, "not found"],
  // The server does not have the method.
  [501, "rejected"],
]);

/** Returns the class of an answer with a status (RFC 9110, section 15). */
export function answerClassOf(status: number): AnswerClass {
  const own = classByStatus.get(status);
  if (own !== undefined) return own;
  if (status >= 500) return "error";
  if (status >= 400) return "rejected";
  return status >= 300 ? "redirected" : "allowed";
}

/** The class of an answer in a report: a login, a denial and 500 are shown by their status, as `explain` does. */
export const shownClasses = ["allowed", "401", "403", "500", "redirected", "not found", "rejected", "error"] as const;
export type ShownClass = (typeof shownClasses)[number];

const shownClassByAnswer: Readonly<Record<AnswerClass, ShownClass>> = {
  allowed: "allowed",
  redirected: "redirected",
  login: "401",
  denied: "403",
  "not found": "not found",
  rejected: "rejected",
  error: "error",
};

/** Returns the class to show for an answer with a status. */
export function shownClassOf(status: number): ShownClass {
  return status === 500 ? "500" : shownClassByAnswer[answerClassOf(status)];
}

/** A view of an answer in which more than access control has a class. */
export interface ShownAnswer extends Pick<Answer, "log" | "decidedBy"> {
  /** That of the access decision, even if an error document replaces it. */
  readonly status: number;
  /** Only `allowed` gives the content. */
  readonly class: ShownClass;
  /** The class as far as the configuration decides it, whatever the files. */
  readonly access: AnswerClass;
}

/** Reports whether access control does not grant access. A redirect or a rejected method is a matter of the answer. */
export function isAccessDenied(access: AnswerClass): boolean {
  return access === "login" || access === "denied" || access === "error";
}

/** How access changes for a client. */
export const accessChanges = ["gain", "loss", "neither"] as const;
export type AccessChange = (typeof accessChanges)[number];

/**
 * Returns how access changes between two answers. Only the content is access: a client gains it or loses it. All other
 * answers give a client nothing, so a change from one of them to another is neither.
 */
export function accessChangeOf(before: AnswerClass, after: AnswerClass): AccessChange {
  if (before === after) return "neither";
  if (after === "allowed") return "gain";
  return before === "allowed" ? "loss" : "neither";
}
