import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fromReadable, toReadable } from "../../src/text/source.js";

interface JsonPosition {
  readonly line: number;
  readonly column: number;
}

/** A changed file in the JSON of `migrate`. */
export interface EditedFile {
  readonly path: string;
  readonly edits: readonly { readonly start: JsonPosition; readonly end: JsonPosition; readonly text: string }[];
}

/** Returns the new contents of a changed file, as a binary string. The edits are sorted, so the last one is applied first. */
export function readEdited({ path, edits }: EditedFile): string {
  const text = toReadable(readFileSync(resolve(path), "latin1"));
  const lines = text.split(/(?<=\n)/);
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length);
  const offsetOf = ({ line, column }: JsonPosition) => (starts[line - 1] ?? text.length) + column - 1;
  const edited = edits.reduceRight(
    (before, { start, end, text: inserted }) =>
      before.slice(0, offsetOf(start)) + inserted + before.slice(offsetOf(end)),
    text,
  );
  return fromReadable(edited);
}
