import { basename, dirname, join } from "node:path";
import { type Failed, failed } from "./failure.js";
import type { FileSystem } from "./file-system.js";

/** What the directory with copies and the journal is called unless the user names one: no wildcard meets it. */
export const placeName = ".httpd-lint";

/** Where copies and the journal are kept unless said otherwise: beside the main file. */
export function defaultBackupDirectory(mainFile: string): string {
  return `${dirname(mainFile)}/${placeName}`;
}

/** A backup directory with links resolved, and the file system that it lies on. */
export interface Place {
  readonly path: string;
  readonly device: number;
  readonly isThere: boolean;
}

/**
 * Looks at a backup directory. What is there must be ours: whoever may write there could lay a journal that has us replace
 * any file.
 */
export function placeAt(directory: string, system: FileSystem): Place | Failed {
  const wrong = (what: string, remedy = "name another with --backup-dir") =>
    failed("place", directory, `the backup directory \`${directory}\` ${what}, so nothing was changed; ${remedy}`);
  if (system.look(directory) === undefined) {
    const parent = system.look(dirname(directory)) && system.realPath(dirname(directory));
    const above = parent === undefined ? undefined : system.look(parent);
    if (parent === undefined || above?.kind !== "directory")
      return wrong("is in no directory that is there", "make that, or name another");
    return { path: join(parent, basename(directory)), device: above.device, isThere: false };
  }
  // A clone can bring a link, which may lead to any directory of this user.
  if (system.look(directory)?.kind === "link")
    return wrong("is a symbolic link", "name the directory that it leads to with --backup-dir if you trust it");
  const path = system.realPath(directory);
  const facts = system.look(path);
  if (facts?.kind !== "directory") return wrong("is no directory");
  if (facts.uid !== system.user && facts.uid !== 0) return wrong("belongs to somebody else");
  if ((facts.mode & 0o022) !== 0)
    return wrong("may be written to by others", "take that right away, or name another with --backup-dir");
  return { path, device: facts.device, isThere: true };
}
