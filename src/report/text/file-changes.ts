import { createTwoFilesPatch } from "diff";
import { fromReadable, toReadable } from "../../text/source.js";
import { formatCount } from "./text-printer.js";

/** The change of a file as people read it, with three lines around; `patch` and `git apply` take it where it is all UTF-8. */
export function formatPatch(path: string, before: string, after: string): string {
  return toReadable(formatBinaryPatch(path, before, after));
}

/** The same to the byte, as a binary string. */
export function formatBinaryPatch(path: string, before: string, after: string): string {
  const rooted = fromReadable(path.startsWith("/") ? path : `/${path}`);
  const patch = createTwoFilesPatch("", "", before, after, undefined, undefined, { context: 3 });
  const [firstHunk = patch.length] = [/^@@ /m.exec(patch)?.index];
  return `--- ${headerName(`a${rooted}`)}\n+++ ${headerName(`b${rooted}`)}\n${patch.slice(firstHunk)}`;
}

const letters: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\" };

/** A binary name as git writes it: one of more than plain characters is quoted, one with a space ends in a tab. */
function headerName(name: string): string {
  const quoted = name.replace(
    /[^\x20\x21\x23-\x5b\x5d-\x7e]/g,
    (byte) => letters[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  if (quoted !== name) return `"${quoted}"`;
  return name.includes(" ") ? `${name}\t` : name;
}

/** Files that were put in place. */
export interface WrittenFiles {
  readonly written: readonly string[];
  /** The directory whose `old` holds the texts before; undefined where nothing was to be changed. */
  readonly backup?: string | undefined;
}

/**
 * What was written, how it is taken back, and what the new files want; nothing where no file was written.
 */
export function describeWrittenFiles({ written, backup }: WrittenFiles): readonly string[] {
  if (backup === undefined) return [];
  const old = `${backup}/old`;
  return [
    `${formatCount(written.length, "file")} written; the old texts are in \`${old}\`, and \`cp -a ${old}/. /\` brings them back`,
  ];
}
