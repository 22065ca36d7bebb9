/** A text in another file. */
export interface EmbeddedText {
  /** The path of the file that it becomes, or the key that names it, as written; empty if nothing names it. */
  readonly target: string;
  /** Whether it is added to the end of a file, which has other lines. */
  readonly isAppended: boolean;
  /** The beginning of its first line. */
  readonly start: number;
  readonly end: number;
  /** The texts in it. A text with others is not a configuration itself. */
  readonly inner: readonly EmbeddedText[];
  /** How it is written. */
  readonly form: TextForm;
}

/** How a text is written in another file. */
export type TextForm =
  /** Whole lines. */
  | { readonly kind: "lines"; readonly values: ValueSyntax }
  /** Lines of which those with the same indentation are joined. */
  | { readonly kind: "folded" }
  /** Parts of lines, such as the arguments of `echo`, each of which ends in a line ending. */
  | { readonly kind: "words"; readonly parts: readonly WordRange[] }
  /** Text that a command writes or changes in a way that cannot be read. It has no content. */
  | { readonly kind: "unread"; readonly command: string };

/** What replaces values in a text: a shell, also its escapes; Terraform or Puppet, `${…}`; or nothing. */
export type ValueSyntax = "shell" | "braces" | "none";

/** Some words of a command, or a quoted text. */
export interface WordRange {
  readonly start: number;
  readonly end: number;
  readonly syntax: WordSyntax;
  /** What is written in place of the range, of the same length, if the syntax alone does not tell. */
  readonly content?: string;
}

/**
 * The syntax of a range. The first ones are words of a shell with their quotes: `echo` replaces escapes such as `\n`, `lines`
 * writes each word as a line, and `format` fills in `%s`. `raw` and `quoted` are the content of quotes in Puppet.
 */
export type WordSyntax = "echo" | "lines" | "format" | "raw" | "quoted";

/** A physical line. */
export interface OuterLine {
  readonly start: number;
  readonly end: number;
  /** Without the line ending. */
  readonly text: string;
}

/** Returns a function for the beginnings of the lines that contain some offsets, in ascending order. */
export function createLineFinder(text: string): (offset: number) => number {
  let start = 0;
  let feed = text.indexOf("\n");
  return (offset) => {
    while (feed >= 0 && feed < offset) {
      start = feed + 1;
      feed = text.indexOf("\n", start);
    }
    return start;
  };
}
