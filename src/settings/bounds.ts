import { createScanner } from "jsonc-parser";

/** A settings file of more bytes is none: the largest that make sense are some thousand. */
export const LARGEST_SETTINGS = 1 << 20;
/** So many values stand in it, names among them. */
export const MOST_SETTINGS = 20_000;
/** So many lists and objects lie within each other; settings need five. */
export const DEEPEST_SETTINGS = 32;

/** Where a text goes beyond what settings are, and what it is beyond. */
export interface Beyond {
  readonly offset: number;
  readonly message: string;
}

/** Looks ahead of parsing, which goes as deep as the text does, whether a text can be settings at all. */
export function beyondSettings(text: string): Beyond | undefined {
  if (text.length > LARGEST_SETTINGS)
    return { offset: 0, message: `the file is larger than ${LARGEST_SETTINGS >> 20} MB, which no settings are` };
  const scanner = createScanner(text, true);
  let depth = 0;
  let values = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    const first = text.charAt(offset);
    if (first === "{" || first === "[") depth++;
    if (first === "}" || first === "]") depth--;
    else if (first !== "," && first !== ":") values++;
    if (depth > DEEPEST_SETTINGS)
      return { offset, message: `more than ${DEEPEST_SETTINGS} lists and objects lie within each other here` };
    if (values > MOST_SETTINGS)
      return { offset, message: `more than ${MOST_SETTINGS} names and values stand in the file` };
  }
  return undefined;
}
