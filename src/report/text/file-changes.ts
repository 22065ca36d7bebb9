import { formatPatch as formatStructuredPatch, structuredPatch } from "diff";
import { fromReadable, toReadable } from "../../text/source.js";
import { dividePatch } from "./patch-pieces.js";
import { formatCount } from "./text-printer.js";

/**
 * Renders the change of a file as a readable diff with three context lines; `patch` and `git apply` accept it if it is
 * valid UTF-8.
 */
export function formatPatch(path: string, before: string, after: string): string {
  return toReadable(formatBinaryPatch(path, before, after));
}

/** Renders the diff byte for byte, as a binary string. */
export function formatBinaryPatch(path: string, before: string, after: string): string {
  const rooted = fromReadable(path.startsWith("/") ? path : `/${path}`);
  const hunks = dividePatch(before, after).flatMap((piece) =>
    structuredPatch("", "", piece.before, piece.after, undefined, undefined, { context: 3 }).hunks.map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldStart + piece.linesBefore,
      newStart: hunk.newStart + piece.linesAfter,
    })),
  );
  const patch = formatStructuredPatch({
    ...{ oldFileName: "", newFileName: "", oldHeader: undefined, newHeader: undefined, hunks },
  });
  const [firstHunk = patch.length] = [/^@@ /m.exec(patch)?.index];
  return `--- ${headerName(`a${rooted}`)}\n+++ ${headerName(`b${rooted}`)}\n${patch.slice(firstHunk)}`;
}

const letters: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\" };

/** Renders a binary name as git does: a name with special characters is quoted, and one with a space ends in a tab. */
function headerName(name: string): string {
  const quoted = name.replace(
    /[^\x20\x21\x23-\x5b\x5d-\x7e]/g,
    (byte) => letters[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  if (quoted !== name) return `"${quoted}"`;
  return name.includes(" ") ? `${name}\t` : name;
}

/** Files that were written. */
export interface WrittenFiles {
  readonly written: readonly string[];
  /** The directory whose `old` contains the originals; undefined if nothing was to be changed. */
  readonly backup?: string | undefined;
}

/**
 * Returns notes about the written files, how to restore the originals, and the next steps; empty if no file was
 * written.
 */
export function describeWrittenFiles({ written, backup }: WrittenFiles): readonly string[] {
  if (backup === undefined) return [];
  const old = `${backup}/old`;
  return [
    `${formatCount(written.length, "file")} written; the originals are in \`${old}\`; restore them with \`cp -a ${old}/. /\``,
  ];
}
