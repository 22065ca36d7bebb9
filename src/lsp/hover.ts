import { type Hover, MarkupKind } from "vscode-languageserver/node";
import type { Release } from "../directives/directives.js";
import { directiveText } from "./directive-text.js";
import type { Cursor } from "./documents.js";
import type { WhoIsTold } from "./jobs.js";

/** Lines of which it is told who gets in: sections for paths, and what access control is made of. */
const ofAccess =
  /^(?:<(?:virtualhost|(?:directory|files|location|proxy)(?:match)?|limit|limitexcept|require(?:all|any|none))|require|order|allow|deny|satisfy)$/;

/** Whether it is told who gets in at a line. */
export function isOfAccess({ read }: Cursor): boolean {
  return read !== undefined && ofAccess.test(read.key);
}

/**
 * What a directive or section is, and who gets in there.
 *
 * @param who undefined where that is not asked, or nothing is to be told of it
 */
export function hoverText(cursor: Cursor, release: Release, who: WhoIsTold | "not yet" | undefined): Hover | undefined {
  const { read, document } = cursor;
  const facts = read && directiveText(read.key, release);
  if (read === undefined || facts === undefined) return undefined;
  const told =
    who === "not yet" ? "Who gets in here is still being worked out: look again in a moment." : who?.markdown;
  const value = told === undefined ? facts : `${told}\n\n---\n\n${facts}`;
  const end = read.words.at(-1)?.end ?? read.name.end;
  return {
    contents: { kind: MarkupKind.Markdown, value },
    range: document.placed.rangeOf({ start: read.name.start, end }),
  };
}
