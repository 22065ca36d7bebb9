import type { Groups } from "./patterns.js";
import type { Questions } from "./questions.js";
import { LONGEST_VALUE, replaceGroups, tooLongText } from "./value-length.js";

/** What the first of some lines finds that finds anything. */
export function firstOf<T, F>(lines: readonly T[], find: (line: T) => F | undefined): F | undefined {
  for (const line of lines) {
    const found = find(line);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a pattern leads to, with what its groups found for `$1` and the like. */
export function substituted(text: string, groups: Groups, questions: Questions): string {
  const result = replaceGroups(text, groups);
  if (result !== undefined && result.length <= LONGEST_VALUE) return result;
  questions.leaveOpen(tooLongText("what a pattern leads to"));
  return text.slice(0, LONGEST_VALUE);
}

/**
 * What is left of a path behind the prefix that an Alias names: at the boundary of a component, with any number of slashes
 * for one (mod_alias.c `alias_matches`). Undefined where the path does not start so.
 */
export function restBehind(prefix: string, path: string): string | undefined {
  let i = 0;
  let j = 0;
  while (i < prefix.length) {
    if (prefix[i] === "/") {
      if (path[j] !== "/") return undefined;
      while (prefix[i] === "/") i++;
      while (path[j] === "/") j++;
    } else if (path[j++] !== prefix[i++]) return undefined;
  }
  if (prefix.at(-1) !== "/" && j < path.length && path[j] !== "/") return undefined;
  return path.slice(j);
}
