import { mainFileOf } from "../project/main-file.js";
import type { Project } from "../project/project.js";
import type { Failed } from "../writing/failure.js";
import { diskFileSystem } from "../writing/file-system.js";
import { makeJournalKey } from "../writing/journal-key.js";
import { type Reading, reachInto } from "../writing/reach.js";
import { uninterrupted } from "../writing/uninterrupted.js";
import { type Written, writeChanges } from "../writing/write.js";

/** Puts new texts in place, all or none, where no server loads or hands out what is kept of the old ones. */
export function putInPlace(
  files: Parameters<typeof writeChanges>[0],
  directory: string,
  readings: readonly Reading[],
): Written | Failed {
  const write = () => writeChanges(files, directory, diskFileSystem, makeJournalKey());
  return reachInto(directory, readings) ?? uninterrupted(write);
}

/** Reports that --recover could not have helped with a run, had it been interrupted. */
export function unsignedNotes({ unsigned }: Written): readonly string[] {
  return unsigned === undefined
    ? []
    : [`the journal of this run was not signed, since ${unsigned}: an interrupted run needs recovery by hand`];
}

/** The path of a server's main file, with links resolved: copies are kept beside it. */
export function mainPathOf(project: Project): string {
  return mainFileOf(project)?.realPath ?? project.entry;
}
