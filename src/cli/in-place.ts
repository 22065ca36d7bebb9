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

/** What was written, and how it is taken back; undefined where nothing was. */
export function writtenNote({ written, backup }: Written): string | undefined {
  if (backup === undefined) return undefined;
  const old = `${backup}/old`;
  return `httpd-lint: ${written.length === 1 ? "1 file" : `${written.length} files`} written; the old texts are in \`${old}\`, and \`cp -a ${old}/. /\` brings them back`;
}
