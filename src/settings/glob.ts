import { RE2JS } from "re2js";

/** What has a meaning of its own in a glob, as patterns: the longest first. */
const meanings: readonly (readonly [glob: RegExp, pattern: (found: string) => string])[] = [
  [/\*\*\//y, () => "(?:.*/)?"],
  [/\/\*\*$/y, () => "(?:/.*)?"],
  [/\*\*+/y, () => ".*"],
  [/\*/y, () => "[^/]*"],
  [/\?/y, () => "[^/]"],
  [/\[[!^]?(?:\][^\]/]*|[^\]/]+)\]/y, (found) => characters(found)],
  [/\\./sy, (found) => RE2JS.quote(found.slice(1))],
];

/**
 * A glob as a question about paths: `*` and `?` within a name, `**` over folders, `[a-z]`, `{one,other}`. Files that begin
 * with a period are files like others. The time it takes grows with the length of the path alone, whatever the glob.
 */
export function globPattern(glob: string): (path: string) => boolean {
  const pattern = compiled(`^${patternOf(glob)}$`);
  return (path) => pattern?.matcher(path).find() ?? path === glob;
}

/** Undefined for what is nested too deep, too large, or has a range that runs backwards: that is taken for a name. */
function compiled(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern, RE2JS.DOTALL);
  } catch {
    return undefined;
  }
}

function patternOf(glob: string): string {
  const hasBraces = isBalanced(glob);
  let pattern = "";
  let depth = 0;
  for (let at = 0; at < glob.length; ) {
    const { found, written } = meaningAt(glob, at);
    at += found.length;
    if (hasBraces && found === "{") depth++;
    if (hasBraces && found === "{") pattern += "(?:";
    else if (hasBraces && found === "}") pattern += ")";
    else pattern += depth > 0 && found === "," ? "|" : written;
    if (hasBraces && found === "}") depth--;
  }
  return pattern;
}

function meaningAt(glob: string, at: number): { found: string; written: string } {
  for (const [meaning, pattern] of meanings) {
    meaning.lastIndex = at;
    const found = meaning.exec(glob)?.[0];
    if (found !== undefined) return { found, written: pattern(found) };
  }
  const found = String.fromCodePoint(glob.codePointAt(at) ?? 0);
  return { found, written: RE2JS.quote(found) };
}

/** The characters of a bracket, which holds at least one. */
function characters(bracket: string): string {
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
