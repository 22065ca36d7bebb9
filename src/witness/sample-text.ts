/** A name that a wildcard pattern matches: `*.bak` gives `x.bak`. */
export function sampleOfWildcard(pattern: string): string {
  return pattern
    .replace(/\\(.)/g, "$1")
    .replace(/\[([^\]!^])[^\]]*\]/g, "$1")
    .replace(/[*?]/g, "x");
}

/**
 * A text that a regular expression matches, for the plain patterns that configurations are full of: the first of
 * alternatives, one of what may be repeated, none of what may be left out. Undefined for one with anything else in it;
 * whoever uses the text sees for himself whether it matches.
 */
export function sampleOfPattern(pattern: string): string | undefined {
  const reader = new PatternReader(pattern);
  const sample = reader.alternatives();
  return reader.isAtEnd && !reader.isLost ? sample : undefined;
}

class PatternReader {
  isLost = false;
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
    while (!this.isAtEnd && !this.isLost && !/[|)]/.test(this.next())) {
      const atom = this.atom();
      const isOptional = /^(?:[*?]|\{0)/.test(this.pattern.slice(this.at));
      this.at += /^(?:[*+?]|\{\d+(?:,\d*)?\})?[+?]?/.exec(this.pattern.slice(this.at))?.[0].length ?? 0;
      if (!isOptional) text += atom;
    }
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

  private group(): string {
    const named = /^\?(?::|P?<[A-Za-z]\w*>)/.exec(this.pattern.slice(this.at));
    if (named) this.at += named[0].length;
    else if (this.next() === "?") this.isLost = true;
    const text = this.alternatives();
    if (!this.take(")")) this.isLost = true;
    return text;
  }

  private characters(): string {
    const found = /^(\^?)((?:\\.|[^\]\\])[^\]\\]*(?:\\.[^\]\\]*)*)\]/.exec(this.pattern.slice(this.at));
    if (!found) {
      this.isLost = true;
      return "";
    }
    this.at += found[0].length;
    const [, negated, inside = ""] = found;
    if (negated) return ["x", "0", "_", "~"].find((each) => !inside.includes(each)) ?? "x";
    return inside.startsWith("\\") ? characterOf(inside[1] ?? "") : (inside[0] ?? "");
  }

  private escape(): string {
    const c = this.next();
    this.at++;
    if (/[1-9AbBGKQEZz]/.test(c)) this.isLost = true;
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
