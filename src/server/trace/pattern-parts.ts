import { Oracle } from "../model/oracle.js";
import { compileRegexPattern } from "../model/patterns.js";

/** What a reader may not expect of a pattern that matches, and the pattern to write instead. */
export interface LooseMatch {
  /** A clause with the pattern as its subject. */
  readonly text: string;
  /** Undefined if another pattern could let through what the author excludes. */
  readonly corrected?: string | undefined;
  /** What the corrected pattern is for, if it matches less in other texts as well: a clause to put before the change. */
  readonly purpose?: string;
}

/** Returns what a pattern matches in a text without unknown facts; undefined if it does not match, or if that is not known. */
export function findMatch(
  pattern: string,
  subject: string,
  ignoreCase = false,
): readonly (string | undefined)[] | undefined {
  const oracle = new Oracle(new Map());
  const groups = compileRegexPattern(pattern, { ignoreCase }).find(subject, oracle);
  return oracle.answered.size > 0 ? undefined : groups;
}

/**
 * Returns why a pattern matches a text that it was probably not written for: a dot that stands for any character, or a part of a
 * word. Undefined if neither is the reason.
 *
 * @param isPath whether the text is a path, so that whole segments can be required
 */
export function findLooseMatch(
  pattern: string,
  subject: string,
  ignoreCase: boolean,
  isPath: boolean,
): LooseMatch | undefined {
  const [found] = findMatch(pattern, subject, ignoreCase) ?? [];
  if (found === undefined || found === "") return undefined;
  const withDots = escapeDots(pattern);
  if (withDots !== pattern && findMatch(withDots, subject, ignoreCase) === undefined)
    return {
      text: `\`${pattern}\` matches \`${found}\`: a \`.\` stands for any character, \`\\.\` for a dot`,
      corrected: withDots,
    };
  return isPath ? findPartOfWord(pattern, subject, ignoreCase) : undefined;
}

/** A part of a pattern without anchors, whose match is where its text is first. */
const FREE_PATTERN = /^(?:[\w/|():-]|\(\?:|\\[./-])+$/;

/** Returns the segment of a path in which a pattern matches a part of a word. */
function findPartOfWord(pattern: string, subject: string, ignoreCase: boolean): LooseMatch | undefined {
  // A rest of any text adds nothing to what is before it.
  const [, anchor = "", body = ""] = /^(\^\/?)?(.*?)(?:\.\*\$?)?$/s.exec(pattern) ?? [];
  const [found] = findMatch(anchor + body, subject, ignoreCase) ?? [];
  if (found === undefined || found === "" || !FREE_PATTERN.test(body)) return undefined;
  const start = subject.indexOf(found);
  const end = start + found.length;
  const isWord = (text: string) => /^\w\w$/.test(text);
  const cutsStart = start > 0 && isWord(subject.slice(start - 1, start + 1));
  const cutsEnd = isWord(subject.slice(end - 1, end + 1));
  if (start < 0 || (!cutsStart && !cutsEnd)) return undefined;
  const [before = ""] = /[^/]*$/.exec(subject.slice(0, start)) ?? [];
  const [after = ""] = /^[^/]*/.exec(subject.slice(end)) ?? [];
  const text = `\`${pattern}\` matches \`${found}\` in \`${before}${found}${after}\``;
  // Each alternative gets the same ends: `\\.` for hidden files is not to end in a slash.
  const parts = body.split("|").map((part) => part.replace(/^\((?:\?:)?|\)$/g, ""));
  if (!parts.every((part) => /^\/?\w.*\w$|^\/?\w$/.test(part))) return { text };
  const isOpen = body.includes("|") && !/^\([^()]*\)$/.test(body);
  const first = anchor !== "" ? anchor : /^\w/.test(found) ? "(?:^|/)" : "";
  const last = /\w$/.test(found) ? "(?:/|$)" : "";
  const corrected = first + (isOpen ? `(?:${body})` : body) + last;
  if (findMatch(corrected, subject, ignoreCase) !== undefined) return undefined;
  return { text, corrected, purpose: "to match only whole names in the path, " };
}

/** Returns a pattern with a backslash before each dot before a letter, as in a name, outside of brackets. */
function escapeDots(pattern: string): string {
  return pattern.replace(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?<=^|[\w^(|/])\.(?=\w)/gs, (part) =>
    part === "." ? "\\." : part,
  );
}
