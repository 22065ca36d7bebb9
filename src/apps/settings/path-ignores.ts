import { isAbsolute, relative } from "node:path";
import { RE2JS } from "re2js";
import type { FragmentContext } from "../../config/entry.js";
import { realPathOf } from "../../config/main-files.js";
import type { FragmentContexts, PathIgnore } from "./settings.js";

/** The entry of the configuration file that suppresses a finding by its path, and the glob that matches. */
export interface IgnoreMatch {
  readonly ignore: PathIgnore;
  readonly glob: string;
}

/** Returns a function that finds the entry that suppresses a rule's findings in a file. */
export function createIgnoreMatcher(
  ignores: readonly PathIgnore[],
): (rule: string, path: string) => IgnoreMatch | undefined {
  const matchers = ignores.flatMap((ignore) => {
    // Links are resolved as in the paths to check.
    const directory = realPathOf(ignore.directory) ?? ignore.directory;
    return ignore.paths.map((glob) => {
      const isMatch = compileGlob(glob.replace(/^\.\//, ""));
      const matches = (path: string) => {
        const matchablePath = toMatchablePath(directory, path, glob);
        return matchablePath !== undefined && isMatch(matchablePath);
      };
      return { ignore, glob, isMatch: matches };
    });
  });
  return (rule, path) =>
    matchers.find(({ ignore: { rules }, isMatch }) => (rules === undefined || rules.includes(rule)) && isMatch(path));
}

/**
 * Returns the context that a configuration file names for a fragment.
 *
 * @param path absolute, with links resolved, as in the path of the directory
 */
export function fragmentContextOf(fragments: FragmentContexts, path: string): FragmentContext {
  const isMatch = (directory: string, glob: string) => {
    const matchablePath = toMatchablePath(directory, path, glob);
    return matchablePath !== undefined && compileGlob(glob.replace(/^\.\//, ""))(matchablePath);
  };
  return fragments.find(({ directory, paths }) => paths.some((glob) => isMatch(directory, glob)))?.context ?? [];
}

/**
 * Returns the path to match a glob against, relative to the folder. A path outside the folder matches only globs that
 * start with `../`.
 */
function toMatchablePath(directory: string, path: string, glob: string): string | undefined {
  if (isAbsolute(glob)) return path;
  const seen = relative(directory, path);
  return seen.startsWith("../") && !glob.startsWith("../") ? undefined : seen;
}

/** Special glob syntax, as patterns: the longest first. */
const globSyntax: readonly (readonly [glob: RegExp, pattern: (found: string) => string])[] = [
  [/\*\*\//y, () => "(?:.*/)?"],
  [/\/\*\*$/y, () => "(?:/.*)?"],
  [/\*\*+/y, () => ".*"],
  [/\*/y, () => "[^/]*"],
  [/\?/y, () => "[^/]"],
  [/\[[!^]?(?:\][^\]/]*|[^\]/]+)\]/y, (found) => translateBracket(found)],
  [/\\./sy, (found) => RE2JS.quote(found.slice(1))],
];

/**
 * Compiles a glob to a predicate for paths: `*` and `?` within a name, `**` across folders, `[a-z]`, `{one,other}`.
 * Files that begin with a period are not special. The run time depends only on the length of the path, whatever the
 * glob.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const pattern = compilePattern(`^${globToPattern(glob)}$`);
  return (path) => pattern?.matcher(path).find() ?? path === glob;
}

/**
 * Returns undefined for a glob that is nested too deeply, too large, or has a reversed range: it is treated as a name.
 */
function compilePattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern, RE2JS.DOTALL);
  } catch {
    return undefined;
  }
}

function globToPattern(glob: string): string {
  const hasBraces = isBalanced(glob);
  let pattern = "";
  let depth = 0;
  for (let at = 0; at < glob.length; ) {
    const { found, written } = translateAt(glob, at);
    at += found.length;
    if (hasBraces && found === "{") depth++;
    if (hasBraces && found === "{") pattern += "(?:";
    else if (hasBraces && found === "}") pattern += ")";
    else pattern += depth > 0 && found === "," ? "|" : written;
    if (hasBraces && found === "}") depth--;
  }
  return pattern;
}

function translateAt(glob: string, at: number): { found: string; written: string } {
  for (const [meaning, pattern] of globSyntax) {
    meaning.lastIndex = at;
    const found = meaning.exec(glob)?.[0];
    if (found !== undefined) return { found, written: pattern(found) };
  }
  const found = String.fromCodePoint(glob.codePointAt(at) ?? 0);
  return { found, written: RE2JS.quote(found) };
}

/** Returns the characters of a bracket, which has at least one. */
function translateBracket(bracket: string): string {
  const negated = /^\[[!^]/.test(bracket);
  const listed = bracket.slice(negated ? 2 : 1, -1).replace(/[\\\][^&~]/g, "\\$&");
  return `[${negated ? "^/" : ""}${listed}]`;
}

function isBalanced(glob: string): boolean {
  let depth = 0;
  for (const [found] of glob.matchAll(/\\.|[{}]/gs)) {
    if (found === "{") depth++;
    if (found === "}" && --depth < 0) return false;
  }
  return depth === 0;
}
