import { createTwoFilesPatch } from "diff";
import { fromReadable, toReadable } from "../text/source.js";

/** The change of a file as people read it, with three lines around; `patch` and `git apply` take it where it is all UTF-8. */
export function patchOf(path: string, before: string, after: string): string {
  return toReadable(binaryPatch(path, before, after));
}

/** The same to the byte, as a binary string. */
export function binaryPatch(path: string, before: string, after: string): string {
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
