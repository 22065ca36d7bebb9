/**
 * File name patterns as apr_fnmatch has them, for one path component: `*`, `?`, `[a-z]`, `[!a]`, `[^a]`, backslash
 * escapes. A leading period is matched only by a period (APR_FNM_PERIOD, which Include uses).
 */
export function hasWildcard(pattern: string): boolean {
  let open = false;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "?" || c === "*") return true;
    if (c === "\\") i++;
    else if (c === "[") open = true;
    else if (c === "]" && open) return true;
  }
  return false;
}

/** Compiles a pattern for one path component; a bracket that never closes stands for itself. */
export function compileFnmatch(pattern: string): (name: string) => boolean {
  let source = "";
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i] ?? "";
    if (c === "*") source += source.endsWith("[^]*") ? "" : "[^]*";
    else if (c === "?") source += "[^]";
    else if (c === "[") {
      const bracket = readBracket(pattern, i);
      source += bracket ? bracket.source : "\\[";
      i = bracket ? bracket.end : i;
    } else if (c === "\\" && i + 1 < pattern.length) source += quoted(pattern[++i] ?? "");
    else source += quoted(c);
  }
  const expression = new RegExp(`^${source}$`);
  const matchesPeriod = pattern.startsWith(".") || pattern.startsWith("\\.");
  return (name) => (matchesPeriod || !name.startsWith(".")) && expression.test(name);
}

function readBracket(pattern: string, start: number): { source: string; end: number } | undefined {
  let i = start + 1;
  const negated = pattern[i] === "!" || pattern[i] === "^";
  if (negated) i++;
  let inside = "";
  for (let first = true; i < pattern.length; first = false) {
    let c = pattern[i++] ?? "";
    if (c === "]" && !first) {
      // Ranges that run backwards hold nothing; all others than that are any.
      return { source: `[${negated ? "^" : ""}${inside}]`, end: i - 1 };
    }
    if (c === "\\" && i < pattern.length) c = pattern[i++] ?? "";
    if (pattern[i] === "-" && i + 1 < pattern.length && pattern[i + 1] !== "]") {
      const to = pattern[i + 1] === "\\" ? (pattern[i + 2] ?? "") : (pattern[i + 1] ?? "");
      i += pattern[i + 1] === "\\" ? 3 : 2;
      if (c <= to) inside += `${quoted(c)}-${quoted(to)}`;
    } else inside += quoted(c);
  }
  return undefined;
}

function quoted(c: string): string {
  return c.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&");
}
