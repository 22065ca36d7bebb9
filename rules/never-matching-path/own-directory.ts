import { urlPathsOf } from "../../src/lint/api/access.js";
import { comparePatterns, escapePattern, type Project, type RewriteRule } from "../../src/lint/api/configuration.js";
import type { RuleContext } from "../../src/lint/api/rule.js";

/** A pattern that begins with the directory whose rules it is in. */
export interface OwnDirectoryPattern {
  /** The directory as the pattern has it, such as `ic/standards/`. */
  readonly repeated: string;
  /** The pattern without it, if it can be written. */
  readonly corrected: string | undefined;
}

/**
 * Finds a rule of a directory whose pattern begins with the path of this directory. The server has removed that path
 * (mod_rewrite.c `apply_rewrite_rule`), so that the rule applies only to a directory of the same name further in.
 *
 * @param directory the path on the server, without a slash at the end
 * @param rules all rules of the directory: they may lead to such a path
 * @returns undefined also if there is such a directory
 */
export function findOwnDirectory(
  { pattern, flags }: RewriteRule,
  directory: string,
  rules: readonly RewriteRule[],
  { project, files }: Pick<RuleContext, "project" | "files">,
): OwnDirectoryPattern | undefined {
  if (!/^\^[\w(/.\\?-]/.test(pattern)) return undefined;
  const texts = textsOf(pattern);
  const repeated = ownPathsOf(directory, project).find(
    (path) => comparePatterns(texts, `^/?${escapePattern(path)}`, flags.names.has("nocase")) === "all",
  );
  if (repeated === undefined) return undefined;
  const [first = ""] = repeated.split("/");
  const isInside = files?.kindOf(`${directory}/${first}`) === "directory";
  if (isInside || rules.some(({ output }) => output?.startsWith(repeated))) return undefined;
  return { repeated, corrected: correct(pattern, repeated) };
}

/** Returns the paths by which a browser may know a directory, the longest first; each ends in a slash. */
function ownPathsOf(directory: string, project: Project): readonly string[] {
  const path = `${directory}/`;
  if (project.kind === "server") return urlPathsOf(path, project);
  // The last name alone may be that of a working copy.
  const names = path.split("/").slice(1, -1);
  return names.slice(0, -1).map((_, index) => `${names.slice(index).join("/")}/`);
}

/** Returns a pattern of the texts that a pattern with `^` matches, as a whole; anything if `|` may end the `^`. */
function textsOf(pattern: string): string {
  const body = pattern.slice(1).replace(/(?<!\\)\$$/, "");
  return `${splitsAtTop(body) ? "" : body}.*`;
}

function splitsAtTop(pattern: string): boolean {
  let depth = 0;
  for (const [token] of pattern.matchAll(/\\.|\[[^\]]*\]|[()|]/gs)) {
    if (token === "|" && depth === 0) return true;
    depth += token === "(" ? 1 : token === ")" ? -1 : 0;
  }
  return false;
}

function correct(pattern: string, repeated: string): string | undefined {
  const spellings = [repeated, repeated.replaceAll("/", "\\/"), escapePattern(repeated)];
  const start = ["^", "^/?"]
    .flatMap((each) => spellings.map((text) => each + text))
    .find((each) => pattern.startsWith(each));
  return start === undefined ? undefined : `^${pattern.slice(start.length)}`;
}
