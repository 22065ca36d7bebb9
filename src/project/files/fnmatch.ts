/**
 * Reports whether a pattern has wildcards. Patterns are those of apr_fnmatch, for one path component: `*`, `?`,
 * `[a-z]`, `[!a]`, `[^a]`, backslash escapes. A leading period is matched only by a period (APR_FNM_PERIOD, which
 * Include uses).
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

/** A predicate for one character of a name; `*` matches any number of characters. */
type PatternPiece = "*" | ((character: string) => boolean);

/**
 * Compiles a pattern for one path component; an unclosed bracket matches literally. Patterns come from the
 * configuration: matching time is bounded by the product of the lengths of pattern and name.
 */
export function compileFnmatch(pattern: string): (name: string) => boolean {
  const pieces = piecesOf(pattern);
  const matchesPeriod = pattern.startsWith(".") || pattern.startsWith("\\.");
  return (name) => (matchesPeriod || !name.startsWith(".")) && matchesAll(pieces, name);
}

function piecesOf(pattern: string): PatternPiece[] {
  const pieces: PatternPiece[] = [];
  for (let i = 0; i < pattern.length; i++) {
    let c = pattern[i] ?? "";
    if (c === "*") {
      if (pieces.at(-1) !== "*") pieces.push("*");
      continue;
    }
    const bracket = c === "[" ? readBracket(pattern, i) : undefined;
    if (bracket) {
      pieces.push(bracket.fits);
      i = bracket.end;
    } else if (c === "?") pieces.push(() => true);
    else {
      if (c === "\\" && i + 1 < pattern.length) c = pattern[++i] ?? "";
      const letter = c;
      pieces.push((character) => character === letter);
    }
  }
  return pieces;
}

/** Backtracks only to the last `*`: backtracking to earlier ones cannot find another match. */
function matchesAll(pieces: readonly PatternPiece[], name: string): boolean {
  let piece = 0;
  let star: number | undefined;
  let behindStar = 0;
  for (let at = 0; at < name.length; ) {
    const wanted = pieces[piece];
    if (wanted === "*") {
      star = piece++;
      behindStar = at;
    } else if (wanted?.(name[at] ?? "")) {
      piece++;
      at++;
    } else if (star === undefined) return false;
    else {
      piece = star + 1;
      at = ++behindStar;
    }
  }
  return piece === pieces.length || (piece === pieces.length - 1 && pieces[piece] === "*");
}

function readBracket(
  pattern: string,
  start: number,
): { fits: (character: string) => boolean; end: number } | undefined {
  let i = start + 1;
  const negated = pattern[i] === "!" || pattern[i] === "^";
  if (negated) i++;
  const ranges: (readonly [from: string, to: string])[] = [];
  for (let first = true; i < pattern.length; first = false) {
    let c = pattern[i++] ?? "";
    if (c === "]" && !first) {
      const fits = (character: string) => ranges.some(([from, to]) => from <= character && character <= to) !== negated;
      return { fits, end: i - 1 };
    }
    if (c === "\\" && i < pattern.length) c = pattern[i++] ?? "";
    if (pattern[i] === "-" && i + 1 < pattern.length && pattern[i + 1] !== "]") {
      const to = pattern[i + 1] === "\\" ? (pattern[i + 2] ?? "") : (pattern[i + 1] ?? "");
      i += pattern[i + 1] === "\\" ? 3 : 2;
      // A reversed range is empty.
      ranges.push([c, to]);
    } else ranges.push([c, c]);
  }
  return undefined;
}
