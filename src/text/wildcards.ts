/**
 * Wildcards as in apr_fnmatch (apr: strings/apr_fnmatch.c): `*`, `?`, `[a-z]`, `[!a]`, `[^a]`, backslash escapes. A
 * wildcard is parsed once; the matchers here, the samples and the languages of src/regex interpret its tokens.
 */
export type WildcardToken =
  | { readonly kind: "anySequence" | "anyCharacter" }
  | { readonly kind: "literal"; readonly character: string }
  | WildcardBracket;

interface WildcardBracket {
  readonly kind: "bracket";
  /** A range is empty if it is reversed. */
  readonly ranges: readonly (readonly [from: string, to: string])[];
  readonly isNegated: boolean;
}

/** Reports whether a text has wildcards (`apr_fnmatch_test`). */
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

/** Parses a wildcard. An unclosed bracket and a backslash at the end are literal. */
export function parseWildcard(pattern: string): readonly WildcardToken[] {
  const tokens: WildcardToken[] = [];
  for (let at = 0; at < pattern.length; ) {
    const c = pattern.charAt(at);
    const bracket = c === "[" ? parseBracket(pattern, at) : undefined;
    if (bracket) {
      tokens.push(bracket.token);
      at = bracket.end;
    } else if (c === "*" || c === "?") {
      tokens.push({ kind: c === "*" ? "anySequence" : "anyCharacter" });
      at++;
    } else {
      const { character, end } = readCharacter(pattern, at);
      tokens.push({ kind: "literal", character });
      at = end;
    }
  }
  return tokens;
}

/** Splits a wildcard for a path, in which only a slash matches a slash; an escaped slash is still a slash. */
export function splitPathWildcard(pattern: string): readonly string[] {
  return pattern.replace(/\\([\s\S])/g, (escaped, byte: string) => (byte === "/" ? byte : escaped)).split("/");
}

/** Parses `[…]`; returns undefined if it is never closed. */
function parseBracket(
  pattern: string,
  start: number,
): { readonly token: WildcardBracket; readonly end: number } | undefined {
  const isNegated = /[!^]/.test(pattern.charAt(start + 1));
  const first = start + (isNegated ? 2 : 1);
  const ranges: (readonly [from: string, to: string])[] = [];
  for (let at = first; at < pattern.length; ) {
    if (pattern.charAt(at) === "]" && at > first) return { token: { kind: "bracket", ranges, isNegated }, end: at + 1 };
    const from = readCharacter(pattern, at);
    const isRange = pattern.charAt(from.end) === "-" && !["", "]"].includes(pattern.charAt(from.end + 1));
    const to = isRange ? readCharacter(pattern, from.end + 1) : from;
    ranges.push([from.character, to.character]);
    at = to.end;
  }
  return undefined;
}

function readCharacter(pattern: string, at: number): { readonly character: string; readonly end: number } {
  const isEscape = pattern.charAt(at) === "\\" && at + 1 < pattern.length;
  return { character: pattern.charAt(isEscape ? at + 1 : at), end: at + (isEscape ? 2 : 1) };
}

/**
 * Compiles a wildcard for names of files in a directory: a leading period is matched only by a period (APR_FNM_PERIOD,
 * which Include uses).
 */
export function compileFileWildcard(pattern: string): (name: string) => boolean {
  const matches = compileNameWildcard(pattern);
  const matchesPeriod = pattern.startsWith(".") || pattern.startsWith("\\.");
  return (name) => (matchesPeriod || !name.startsWith(".")) && matches(name);
}

/**
 * Compiles a wildcard for names as the server compares them: a leading period is not special. Patterns come from the
 * configuration: matching time is bounded by the product of the lengths of pattern and name.
 */
export function compileNameWildcard(pattern: string): (name: string) => boolean {
  const isRepeated = (token: WildcardToken, before: WildcardToken | undefined) =>
    token.kind === "anySequence" && before?.kind === "anySequence";
  const tokens = parseWildcard(pattern).filter((token, index, all) => !isRepeated(token, all[index - 1]));
  return (name) => matchesAll(tokens, name);
}

/** Compiles a wildcard for a whole path, in which only a slash matches a slash, escaped or not. */
export function compilePathWildcard(pattern: string): (path: string) => boolean {
  const parts = splitPathWildcard(pattern).map(compileNameWildcard);
  return (path) => {
    const names = path.split("/");
    return names.length === parts.length && parts.every((fits, index) => fits(names[index] ?? ""));
  };
}

function matchesAll(tokens: readonly WildcardToken[], name: string): boolean {
  return matchesSequence(tokens, name.length, {
    isAny: (token) => token.kind === "anySequence",
    fits: (token, at) => matchesCharacter(token, name.charAt(at)),
  });
}

/**
 * Reports whether steps match all items of a sequence: characters of a name, or names of a path. A step matches one item, or
 * any number of them. Backtracks only to the last step of the second kind: backtracking to earlier ones cannot find another match.
 */
export function matchesSequence<Step>(
  steps: readonly Step[],
  length: number,
  { isAny, fits }: { readonly isAny: (step: Step) => boolean; readonly fits: (step: Step, at: number) => boolean },
): boolean {
  let next = 0;
  let any: number | undefined;
  let afterAny = 0;
  for (let at = 0; at < length; ) {
    const step = steps[next];
    if (step !== undefined && isAny(step)) {
      any = next++;
      afterAny = at;
    } else if (step !== undefined && fits(step, at)) {
      next++;
      at++;
    } else if (any === undefined) return false;
    else {
      next = any + 1;
      at = ++afterAny;
    }
  }
  return steps.slice(next).every(isAny);
}

function matchesCharacter(token: WildcardToken, character: string): boolean {
  if (token.kind === "literal") return token.character === character;
  return token.kind !== "bracket" || matchesBracket(token, character);
}

function matchesBracket({ ranges, isNegated }: WildcardBracket, character: string): boolean {
  return ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
}

/** Returns a name that a wildcard matches: `*.bak` gives `x.bak`. */
export function sampleWildcard(pattern: string): string {
  return parseWildcard(pattern).map(sampleToken).join("");
}

function sampleToken(token: WildcardToken): string {
  if (token.kind === "literal") return token.character;
  if (token.kind !== "bracket") return "x";
  if (!token.isNegated) return token.ranges[0]?.[0] ?? "";
  return ["x", "0", "_", "~", "X", "-", " "].find((each) => matchesBracket(token, each)) ?? "";
}
