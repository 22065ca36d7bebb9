import { mainFileOf } from "../project/main-file.js";
import type { Project } from "../project/project.js";
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

/** The path of a server's main file, with links resolved: copies are kept beside it. */
export function mainPathOf(project: Project): string {
  return mainFileOf(project)?.realPath ?? project.entry;
}
