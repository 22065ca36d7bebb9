import { isAbsolute, relative } from "node:path";
import { RE2JS } from "re2js";
import type { FragmentContext } from "../project/discovery/entry.js";
import type { FragmentContexts, PathIgnore, Settings } from "./settings.js";

/** What keeps a finding quiet by its path: the entry of the settings, and the glob of it that matches. */
export interface IgnoreMatch {
  readonly ignore: PathIgnore;
  readonly glob: string;
}

/**
 * What the settings ignore, as a question about a rule's finding in a file.
 *
 * @param directory the folder of the settings with links resolved, as the paths that are asked about have them
 */
export function createIgnoreMatcher(
  { ignores }: Pick<Settings, "ignores">,
  directory: string,
): (rule: string, path: string) => IgnoreMatch | undefined {
  const matchers = ignores.flatMap((ignore) =>
    ignore.paths.map((glob) => {
      const isMatch = compileGlob(glob.replace(/^\.\//, ""));
      const matches = (path: string) => {
        const asked = toMatchablePath(directory, path, glob);
        return asked !== undefined && isMatch(asked);
      };
      return { ignore, glob, isMatch: matches };
    }),
  );
  return (rule, path) =>
    matchers.find(({ ignore: { rules }, isMatch }) => (rules === undefined || rules.includes(rule)) && isMatch(path));
}

/**
 * Returns the context that a configuration file names for a fragment.
 *
 * @param path absolute, with links resolved, as in the path of the directory
 */
export function fragmentContextOf({ fragments, directory }: FragmentContexts, path: string): FragmentContext {
  const isMatch = (glob: string) => {
    const asked = toMatchablePath(directory, path, glob);
    return asked !== undefined && compileGlob(glob.replace(/^\.\//, ""))(asked);
  };
  return fragments.find(({ paths }) => paths.some(isMatch))?.context ?? [];
}

/** What a path is asked as: relative to the folder. What lies outside is met by globs that say so alone. */
function toMatchablePath(directory: string, path: string, glob: string): string | undefined {
  if (isAbsolute(glob)) return path;
  const seen = relative(directory, path);
  return seen.startsWith("../") && !glob.startsWith("../") ? undefined : seen;
}

/** What has a meaning of its own in a glob, as patterns: the longest first. */
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
 * A glob as a question about paths: `*` and `?` within a name, `**` over folders, `[a-z]`, `{one,other}`. Files that begin
 * with a period are files like others. The time it takes grows with the length of the path alone, whatever the glob.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const pattern = compilePattern(`^${globToPattern(glob)}$`);
  return (path) => pattern?.matcher(path).find() ?? path === glob;
}

/** Undefined for what is nested too deep, too large, or has a range that runs backwards: that is taken for a name. */
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

/** The characters of a bracket, which holds at least one. */
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
