import { Oracle } from "../httpd/model/oracle.js";
import { compileRegexPattern } from "../httpd/model/patterns.js";

/** A name that a wildcard pattern matches: `*.bak` gives `x.bak`. */
export function sampleWildcard(pattern: string): string {
  return pattern.replace(
    /\\(.)|\[([!^]?)(\]?[^\]]*)\]|[*?]/g,
    (_, escaped?: string, negated?: string, inside?: string) => {
      if (escaped !== undefined) return escaped;
      if (inside === undefined) return "x";
      return negated ? outside(`[^${inside.replace(/[\\\]]/g, "\\$&")}]`) : (inside[0] ?? "");
    },
  );
}

/**
 * A text that a regular expression matches, for the plain patterns that configurations are full of: the first of
 * alternatives, one of what may be repeated, none of what may come once or not. Undefined for one with anything else in it;
 * whoever uses the text sees for himself whether it matches.
 */
export function samplePattern(pattern: string): string | undefined {
  const reader = new PatternSampler(pattern);
  const sample = reader.alternatives();
  return reader.isAtEnd && !reader.isUnsupported ? sample : undefined;
}

/** A text for a pattern that names are held against: `\.bak$` is asked for as `x.bak`, which says more than `.bak`. */
export function sampleNameFor(pattern: string): string | undefined {
  const sample = samplePattern(pattern);
  return sample?.startsWith(".") && !/^\(*\^/.test(pattern) ? `x${sample}` : sample;
}

class PatternSampler {
  isUnsupported = false;
  private at = 0;

  constructor(private readonly pattern: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.pattern.length;
  }

  /** Up to the end of the group: the first alternative; the others are read past. */
  alternatives(): string {
    const first = this.sequence();
    while (this.take("|")) this.sequence();
    return first;
  }

  private sequence(): string {
    let text = "";
    while (!this.isAtEnd && !this.isUnsupported && !/[|)]/.test(this.next())) text += this.atom().repeat(this.times());
    return text;
  }

  private atom(): string {
    const c = this.next();
    this.at++;
    switch (c) {
      case "^":
      case "$":
        return "";
      case ".":
        return "x";
      case "(":
        return this.group();
      case "[":
        return this.characters();
      case "\\":
        return this.escape();
      default:
        return c;
    }
  }

  /** How often what was read is to come: once where any number of times will do, for nothing between two slashes is no path. */
  private times(): number {
    const found = /^(?:(\?)|[*+]|\{(\d+)(?:,\d*)?\})[+?]?/.exec(this.pattern.slice(this.at));
    if (found === null) return 1;
    this.at += found[0].length;
    const [, optional, count = "1"] = found;
    if (Number(count) > MAX_REPEATS) this.isUnsupported = true;
    return optional || this.isUnsupported ? 0 : Number(count);
  }

  private group(): string {
    const named = /^\?(?::|P?<[A-Za-z]\w*>|[ims]+\))/.exec(this.pattern.slice(this.at));
    if (named) this.at += named[0].length;
    // Case and the like change nothing in what is written as it is matched.
    if (named?.[0].endsWith(")")) return "";
    if (!named && this.next() === "?") this.isUnsupported = true;
    const text = this.alternatives();
    if (!this.take(")")) this.isUnsupported = true;
    return text;
  }

  private characters(): string {
    const found = /^\^?(?:\]|\\.|\[:\^?[a-z]+:\]|[^\]\\])(?:\\.|\[:\^?[a-z]+:\]|[^\]\\])*\]/s.exec(
      this.pattern.slice(this.at),
    );
    if (!found) {
      this.isUnsupported = true;
      return "";
    }
    this.at += found[0].length;
    const [first = "", second = ""] = found[0];
    if (first === "\\") return characterOf(second);
    return first === "^" || first === "[" ? outside(`[${found[0]}`) : first;
  }

  private escape(): string {
    const c = this.next();
    this.at++;
    if (c === "" || !/[dDsSwW]|\W|_/.test(c)) this.isUnsupported = true;
    return characterOf(c);
  }

  private next(): string {
    return this.pattern[this.at] ?? "";
  }

  private take(c: string): boolean {
    if (this.next() !== c) return false;
    this.at++;
    return true;
  }
}

const MAX_REPEATS = 100;

/** A character of a class that is told by what it leaves out or by a name. */
function outside(pattern: string): string {
  const matcher = compileRegexPattern(`^${pattern}$`);
  return ["x", "0", "_", "~", "X", "-", " "].find((each) => matcher.find(each, new Oracle(new Map()))) ?? "";
}

/** A character of a class by its letter, or the character itself. */
function characterOf(letter: string): string {
  switch (letter) {
    case "d":
      return "0";
    case "w":
    case "S":
    case "D":
      return "x";
    case "s":
      return " ";
    case "W":
      return "-";
    default:
      return letter;
  }
}
