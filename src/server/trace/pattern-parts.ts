import { Oracle } from "../model/oracle.js";
import { compileRegexPattern } from "../model/patterns.js";

/** What a reader may not expect of a pattern that matches, and the pattern to write instead. */
export interface LooseMatch {
  /** A clause with the pattern as its subject. */
  readonly text: string;
  readonly corrected: string;
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
 * word. Undefined if neither is the reason: the corrected pattern does not match the text.
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
  return isPath ? findPartOfWord(pattern, found, subject, ignoreCase) : undefined;
}

/** A pattern without anchors, whose match is where its text is first. */
const FREE_PATTERN = /^(?:[\w/|():-]|\(\?:|\\[./-])+$/;

/** Returns the segment of a path in which a pattern matches a part of a word. */
function findPartOfWord(pattern: string, found: string, subject: string, ignoreCase: boolean): LooseMatch | undefined {
  if (!FREE_PATTERN.test(pattern)) return undefined;
  const start = subject.indexOf(found);
  const end = start + found.length;
  const isWord = (text: string) => /^\w\w$/.test(text);
  const [cutsStart, cutsEnd] = [isWord(subject.slice(start - 1, start + 1)), isWord(subject.slice(end - 1, end + 1))];
  if (start < 0 || (!(start > 0 && cutsStart) && !cutsEnd)) return undefined;
  const [before = ""] = /[^/]*$/.exec(subject.slice(0, start)) ?? [];
  const [after = ""] = /^[^/]*/.exec(subject.slice(end)) ?? [];
  const body = /\|/.test(pattern) && !/^\([^()]*\)$/.test(pattern) ? `(?:${pattern})` : pattern;
  const first = /^\w/.test(found) ? "(?:^|/)" : "";
  const last = /\w$/.test(found) ? "(?:/|$)" : "";
  const corrected = first + body + last;
  if (findMatch(corrected, subject, ignoreCase) !== undefined) return undefined;
  return { text: `\`${pattern}\` matches \`${found}\` in \`${before}${found}${after}\``, corrected };
}

/** Returns a pattern with a backslash before each dot between letters, as in a name, outside of brackets. */
function escapeDots(pattern: string): string {
  return pattern.replace(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?<=\w)\.(?=\w)/gs, (part) => (part === "." ? "\\." : part));
}
