import { Oracle } from "../httpd/model/oracle.js";
import { compileRegexPattern } from "../httpd/model/patterns.js";

/**
 * Returns a text that a simple regular expression matches. It takes the first alternative, repeats once, and omits
 * optional parts. Returns undefined for other constructs. The caller must check that the text matches.
 */
export function samplePattern(pattern: string): string | undefined {
  const reader = new PatternSampler(pattern);
  const sample = reader.alternatives();
  return reader.isAtEnd && !reader.isUnsupported ? sample : undefined;
}

/** Returns a file name for a pattern: `\.bak$` gives `x.bak`, which is clearer than `.bak`. */
export function sampleNameFor(pattern: string): string | undefined {
  const sample = samplePattern(pattern);
  return sample?.startsWith(".") && !/^\(*\^/.test(pattern) ? `x${sample}` : sample;
}

class PatternSampler {
  isUnsupported = false;
  private at = 0;
  private depth = 0;

  constructor(private readonly pattern: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.pattern.length;
  }

  /** Parses to the end of the group and returns the first alternative; the others are skipped. */
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

  /**
   * Returns how often to repeat the last part: once if any number is allowed, because an empty part between two slashes
   * is not a path.
   */
  private times(): number {
    const found = /^(?:(\?)|[*+]|\{(\d+)(?:,\d*)?\})[+?]?/.exec(this.pattern.slice(this.at));
    if (found === null) return 1;
    this.at += found[0].length;
    const [, optional, count = "1"] = found;
    if (Number(count) > MAX_REPEATS) this.isUnsupported = true;
    return optional || this.isUnsupported ? 0 : Number(count);
  }

  private group(): string {
    if (++this.depth > DEEPEST_GROUP) {
      this.isUnsupported = true;
      return "";
    }
    const named = /^\?(?::|P?<[A-Za-z]\w*>|[ims]+\))/.exec(this.pattern.slice(this.at));
    if (named) this.at += named[0].length;
    // Modifiers such as case-insensitivity do not affect the sample.
    if (named?.[0].endsWith(")")) {
      this.depth--;
      return "";
    }
    if (!named && this.next() === "?") this.isUnsupported = true;
    const text = this.alternatives();
    if (!this.take(")")) this.isUnsupported = true;
    this.depth--;
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
/** PCRE takes no more groups inside each other. */
const DEEPEST_GROUP = 250;

/** Returns a character for a negated or named class. */
function outside(pattern: string): string {
  const matcher = compileRegexPattern(`^${pattern}$`);
  return ["x", "0", "_", "~", "X", "-", " "].find((each) => matcher.find(each, new Oracle(new Map()))) ?? "";
}

/** Returns the character of an escaped letter: of its class, or the character itself. */
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
