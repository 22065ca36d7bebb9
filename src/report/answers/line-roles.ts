import type { Answer } from "../../server/model/answer.js";
import type { Span } from "../../text/source.js";
import { followsGrant } from "./answer-words.js";

/** What a deciding line does to the request of an answer, by its name as written in lower case. */
const roles: readonly (readonly [names: RegExp, roleOf: (answer: Answer, key: string) => string | undefined])[] = [
  [/^(?:require|order|allow|deny|satisfy|sslrequire|sslrequiressl)$/, roleOfAccess],
  [/^allowmethods$/, (answer) => (statusOf(answer) === 405 ? "does not allow this method" : roleOfAccess(answer))],
  [/^(?:redirect\w*|rewriterule)$/, roleOfRule],
  [/^(?:documentroot|alias|aliasmatch|scriptalias|scriptaliasmatch|userdir)$/, () => "maps the URL to this path"],
  [/^(?:set|add)handler$/, () => "sets the handler"],
  [/^proxypass(?:match)?$/, () => "passes the request to the backend"],
  [/^<virtualhost$/, () => "handles the request"],
  [/^server(?:name|alias)$/, () => "selects the virtual host"],
  [/^allowoverride(?:list)?$/, () => "applies to the `.htaccess` file"],
  [/^errordocument$/, () => "sets the error document"],
  [/^auth(?!z|merging)/, () => "sets up the login"],
];

/** Returns what a line does, as a predicate to follow its place; "decides" for a line of another kind. */
export function roleOfLine({ file, start }: Span, answer: Answer): string {
  const line = file.text.lastIndexOf("\n", start - 1) + 1;
  const [, name = ""] = /^\s*"?(<?\w+)/.exec(file.text.slice(line, line + MAX_NAME)) ?? [];
  const key = name.toLowerCase();
  const role = roles.find(([names]) => names.test(key))?.[1](answer, key);
  return role ?? "decides";
}

/** Returns the role of a line to change, or of a section to add lines to. */
export function roleOfChange({ file, start }: Span): string {
  return file.text.startsWith("<", start) ? "change this section" : "change this line";
}

/** Longer than the name of any directive with the spaces before it. */
const MAX_NAME = 128;

/** A grant is one also if the server then refuses to run a program. */
function roleOfAccess(answer: Answer): string | undefined {
  switch (answer.class) {
    case "allowed":
      return "grants access";
    case "401":
      return "requires a login";
    case "403":
      return followsGrant(answer) ? "grants access" : "denies this request";
    case "500":
    case "unknown":
      return undefined;
  }
}

function statusOf({ cases: [usual], status = usual?.status }: Answer): number | undefined {
  return status;
}

function roleOfRule(answer: Answer, key: string): string {
  const {
    cases: [usual],
  } = answer;
  const status = statusOf(answer);
  const { location, file } = usual?.destination ?? {};
  if (location !== undefined) return "redirects the request";
  // A rule may also lead to a file, which is missing.
  const isFileMissing = status === 404 && file !== undefined && key === "rewriterule";
  return status !== undefined && status >= 400 && !isFileMissing ? `returns ${status}` : "leads to another URL";
}
