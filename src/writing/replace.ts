import { dirname } from "node:path";
import { type Failed, refusedBySystem } from "./failure.js";
import type { Attributes, FileSystem } from "./file-system.js";

/**
 * Puts a text in the place of a file, or makes it: at any time the file is there whole, as it was or as it is to be.
 *
 * @param path absolute, with links resolved
 * @param temporary a name beside it that no server loads
 * @param attributes of a file that was not there
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
    system.write(temporary, text, before ?? attributes);
    system.rename(temporary, path);
    system.sync(dirname(path));
    return undefined;
  } catch (error) {
    if (system.look(temporary)?.kind === "file") system.remove(temporary);
    return refusedBySystem(error, path, "nothing was changed");
  }
}
