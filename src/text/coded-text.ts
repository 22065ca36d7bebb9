/**
 * A code with its values, as one text: equal texts mean the same, so that they are keys of maps and sets. Its words are made
 * only for output.
 */
export type CodedText = `${string}\0${string}`;

/** The words of each code, made of its values. */
export type WordsByCode = ReadonlyMap<string, (...values: string[]) => string>;

export function createCodedText(code: string, values: readonly string[]): CodedText {
  return `${code}\0${values.join("\0")}`;
}

/** Returns the code of a text. */
export function codeOf(text: CodedText): string {
  return text.slice(0, text.indexOf("\0"));
}

/**
 * Returns the words of a text; undefined if its code is not in the table. Its last value may be such a text, which has values of
 * its own.
 */
export function renderCodedText(text: string, wordsByCode: WordsByCode): string | undefined {
  const [code = "", ...values] = text.split("\0");
  const render = wordsByCode.get(code);
  if (render === undefined) return undefined;
  const last = Math.max(render.length - 1, 0);
  return render(...values.slice(0, last), values.slice(last).join("\0"));
}
