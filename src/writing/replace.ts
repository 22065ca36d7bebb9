import { dirname } from "node:path";
import { type Failed, refusedBySystem } from "./failure.js";
import type { Attributes, FileSystem } from "./file-system.js";

/**
 * Puts a text in the place of a file, or makes it: at any time the file is there whole, as it was or as it is to be.
 *
 * @param path absolute, with links resolved; a link that is there all the same is replaced itself
 * @param temporary a name beside it that no server loads
 * @param attributes where no file was there
 */
export function replaceFile(
  path: string,
  text: string,
  temporary: string,
  attributes: Attributes,
  system: FileSystem,
): Failed | undefined {
  try {
    const before = system.look(path);
    // Of a link, which leads nowhere or is to go, the permission bits are nobody's word.
    system.write(temporary, text, before?.kind === "file" ? before : attributes);
    system.rename(temporary, path);
    system.sync(dirname(path));
    return undefined;
  } catch (error) {
    if (system.look(temporary)?.kind === "file") system.remove(temporary);
    return refusedBySystem(error, path, "nothing was changed");
  }
}
