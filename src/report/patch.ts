import { createTwoFilesPatch } from "diff";
import { fromReadable, toReadable } from "../text/source.js";

/** The change of a file as people read it, with three lines around; `patch` and `git apply` take it where it is all UTF-8. */
export function patchOf(path: string, before: string, after: string): string {
  return toReadable(binaryPatch(path, before, after));
}

/** The same to the byte, as a binary string. */
export function binaryPatch(path: string, before: string, after: string): string {
  const rooted = fromReadable(path.startsWith("/") ? path : `/${path}`);
  const patch = createTwoFilesPatch(`a${rooted}`, `b${rooted}`, before, after, undefined, undefined, { context: 3 });
  // The line above the names is no part of a unified diff.
  return patch.replace(/^(?:Index: .*\n)?=+\n/, "");
}
