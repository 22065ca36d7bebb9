/** The sections that a fragment is included in, outermost first, as their opening lines: `<Directory "/srv/app">`. */
export type FragmentContext = readonly string[];

/** The comment that names such a section: `# httpd-lint-context <Directory "/srv/app">`. */
export const CONTEXT_MARK = "httpd-lint-context";

/** The opening line of a section that a fragment can be included in. */
export const contextSection =
  /^<(?:[Vv]irtual[Hh]ost|[Dd]irectory(?:[Mm]atch)?|[Ll]ocation(?:[Mm]atch)?|[Ff]iles(?:[Mm]atch)?|[Pp]roxy(?:[Mm]atch)?)[\t ]+[^>\s][^>\n]*>$/;
const comment = /^[\t ]*#[\t ]*httpd-lint-context(?:[\t :]+(.*))?$/;

/** Whether a text is the opening line of a section that a fragment can be included in. */
export function isContextSection(text: string): boolean {
  return contextSection.test(text);
}

/** A comment that names a context, whether or not it has an effect. */
export interface ContextComment {
  /** What follows the mark. */
  readonly section: string;
  /** The offset of the line that it is in. */
  readonly start: number;
  readonly end: number;
  /** Whether it precedes all directives. Otherwise it has no effect. */
  readonly isLeading: boolean;
}

/** Finds the comments of a file that name its context. */
export function findContextComments(text: string): readonly ContextComment[] {
  if (!text.includes(CONTEXT_MARK)) return [];
  const found: ContextComment[] = [];
  let isLeading = true;
  let start = 0;
  for (const line of text.split("\n")) {
    const match = comment.exec(line.trimEnd());
    if (match) found.push({ section: (match[1] ?? "").trim(), start, end: start + line.trimEnd().length, isLeading });
    isLeading &&= /^\s*(?:#.*)?$/.test(line);
    start += line.length + 1;
  }
  return found;
}

/** Returns the context that the leading comments of a file name; empty if they name none. */
export function contextInComments(text: string): FragmentContext {
  return findContextComments(text)
    .filter((each) => each.isLeading && isContextSection(each.section))
    .map((each) => each.section);
}

/** Returns the lines that open and close the sections of a context. */
export function contextLines(context: FragmentContext): string {
  const closing = context.map((line) => `</${/^<(\w+)/.exec(line)?.[1] ?? ""}>`).reverse();
  return [...context, ...closing, ""].join("\n");
}
