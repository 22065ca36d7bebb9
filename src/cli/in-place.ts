import type { Project } from "../project/project.js";
import { toReadable } from "../text/source.js";
import type { Failed } from "../writing/failure.js";
import { diskFileSystem } from "../writing/file-system.js";
import { type Reading, reachInto } from "../writing/reach.js";
import { uninterrupted } from "../writing/uninterrupted.js";
import { type Written, writeChanges } from "../writing/write.js";

/** Puts new texts in place, all or none, where no server loads or hands out what is kept of the old ones. */
export function putInPlace(
  files: Parameters<typeof writeChanges>[0],
  directory: string,
  readings: readonly Reading[],
): Written | Failed {
  return reachInto(directory, readings) ?? uninterrupted(() => writeChanges(files, directory, diskFileSystem));
}

/** The main file of a server, with links resolved: copies are kept beside it. */
export function mainFileOf({ entry, files }: Project): string {
  return [...files.values()].find(({ source }) => toReadable(source.path) === entry)?.source.realPath ?? entry;
}
