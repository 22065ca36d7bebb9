import { findFirstSorted, getOrCreate } from "../src/text/collections.js";
import { computeOnce } from "../src/text/memoize.js";
import { createLineFinder, type EmbeddedText, type WordSyntax } from "./embedded-text.js";

/** The type and title of a resource, the beginning of a here-document, or the value of `content`. */
const piece =
  /#[^\n]*|(?<![\w:])([\w:]+)[ \t]*\{[ \t\r\n]*(?:"([^"\n]*)"|'([^'\n]*)')[ \t]*:|@\([ \t]*("?)([^")/:\n]+?)\4[ \t]*(?:[:/][^)\n]*)?\)|\bcontent[ \t]*=>[ \t\r\n]*(?:'((?:\\[\s\S]|[^'\\])*)'|"((?:\\[\s\S]|[^"\\])*)")/g;

/** Finds the texts in a manifest of Puppet: here-documents, and the values of `content`; not those of parts of files. */
export function findPuppetTexts(text: string): readonly EmbeddedText[] {
  const found: EmbeddedText[] = [];
  const lineStartOf = createLineFinder(text);
  const endings = computeOnce(() => new Endings(text));
  let target = "";
  let isPart = false;
  for (let match = piece.exec(text); match; match = piece.exec(text)) {
    const [whole, type, double, single, quote, tag, raw, quoted] = match;
    if (type !== undefined) {
      target = double ?? single ?? "";
      isPart = type === "concat::fragment";
    }
    const value = raw ?? quoted;
    if (tag !== undefined) {
      const body = endings().findBody(piece.lastIndex, tag.trim());
      if (body === undefined) continue;
      piece.lastIndex = body.next;
      const values = quote === "" ? "none" : "braces";
      if (body.end > body.start && !isPart)
        found.push({
          target,
          start: body.start,
          end: body.end,
          isAppended: false,
          inner: [],
          form: { kind: "lines", values },
        });
    } else if (value !== undefined && value !== "" && !isPart) {
      const end = match.index + whole.length - 1;
      const start = end - value.length;
      const syntax: WordSyntax = raw === undefined ? "quoted" : "raw";
      const first = lineStartOf(start);
      found.push({
        target,
        isAppended: false,
        start: first,
        end,
        inner: [],
        form: { kind: "words", parts: [{ start, end, syntax }] },
      });
    }
  }
  piece.lastIndex = 0;
  return found;
}

/** The lines that may end here-documents, by their words: `| END`, `|- END` or `END`. */
class Endings {
  private readonly ends = new Map<string, { readonly start: number; readonly end: number }[]>();

  constructor(private readonly text: string) {
    for (const line of text.matchAll(/^[ \t]*(?:\|[ \t]*)?-?[ \t]*(\w[^\r\n]*?)[ \t]*\r?$/gm))
      getOrCreate(this.ends, line[1] ?? "", () => []).push({ start: line.index, end: line.index + line[0].length });
  }

  /** Returns the lines after an offset up to the ending with a tag. */
  findBody(from: number, tag: string): { start: number; end: number; next: number } | undefined {
    const ends = this.ends.get(tag) ?? [];
    const ending = ends[findFirstSorted(ends, (each) => each.start > from)];
    return ending && { start: this.text.indexOf("\n", from) + 1, end: ending.start, next: ending.end };
  }
}
