import { findDirectiveFacts, type Release } from "../../src/lint/api/configuration.js";
import { type Edit, replaceSpan, type Span } from "../../src/lint/api/rule.js";

/** A quoted value that its author continued on the next lines without backslashes. */
export interface ValueOverLines {
  readonly quote: string;
  /** Number of its lines. */
  readonly count: number;
  /** The first word after its first line, which httpd reads as a directive. */
  readonly firstName: string;
  /** Its lines, from the name of the directive. */
  readonly whole: Span;
  /** Its last line, from the first word to the closing quote. */
  readonly end: Span;
  /** The edits that add the backslashes; none if a comment would become a part of the value. */
  readonly continuations: readonly (Edit | undefined)[];
}

/** A value of more lines is not expected: another line has the next quote. */
const MAX_LINES = 100;

/**
 * Finds the end of a quoted value on a later line. A quote that somebody forgot differs: before the next quote, there is
 * a line that begins with the name of a directive.
 *
 * @param line the span of the line whose last argument has no closing quote
 */
export function findValueOverLines(
  { file, start, end }: Span,
  quote: string,
  release: Release,
): ValueOverLines | undefined {
  const { text } = file;
  const endOf = (offset: number) => {
    const feed = text.indexOf("\n", offset);
    return feed < 0 ? text.length : feed;
  };
  const continuations = [continueLine({ file, start, end: endOf(end) }, quote)];
  let firstName: string | undefined;
  let hasComment = false;
  for (
    let from = endOf(end) + 1, count = 2;
    from < text.length && count <= MAX_LINES;
    from = endOf(from) + 1, count++
  ) {
    const span = { file, start: from, end: endOf(from) };
    const line = text.slice(span.start, span.end);
    const [name] = /\S+/.exec(line) ?? [];
    if (name?.startsWith("#")) hasComment = true;
    else if (name !== undefined) {
      if (isDirective(name, release)) return undefined;
      firstName ??= name;
      const close = closingQuote(line, quote);
      if (close !== undefined)
        return {
          ...{ quote, count, firstName, continuations: hasComment ? [] : continuations },
          whole: { file, start, end: span.end },
          end: { file, start: from + line.indexOf(name), end: from + close + 1 },
        };
    }
    continuations.push(continueLine(span, quote));
  }
  return undefined;
}

/** Returns whether a word is the name of a directive or section in the capitals of the manual: a text may contain `allow`. */
function isDirective(word: string, release: Release): boolean {
  const name = word.replace(/^<\/?/, "").replace(/>$/, "");
  const key = word.startsWith("<") ? `<${name}` : name;
  return findDirectiveFacts(release, key).some((each) => each.name === name);
}

/** Returns the offset of the quote that closes a value; undefined if the line has none, or opens another one. */
function closingQuote(line: string, quote: string): number | undefined {
  const quotes = [...line.matchAll(/\\.|["']/gs)].filter(([token]) => token === quote);
  return quotes.length % 2 === 1 ? quotes.at(-1)?.index : undefined;
}

/** Adds a backslash at the end of a line. */
function continueLine({ file, start, end }: Span, quote: string): Edit | undefined {
  const written = file.text.slice(start, end).replace(/\r$/, "");
  const at = start + written.length;
  return replaceSpan({ file, start: at, end: at }, written.endsWith(quote) ? "\\" : " \\");
}
