import { dirname } from "node:path";
import { type Failed, failed } from "./failure.js";
import type { FileSystem } from "./file-system.js";
import type { Place } from "./place.js";

/** A file to be changed. */
export interface FileChange {
  /** Absolute, with links resolved. */
  readonly path: string;
  /** Its text as it was read, a binary string. */
  readonly before: string;
  /** The text to put in its place, a binary string. */
  readonly after: string;
}

/** What keeps a file from being replaced in one step, as far as it can be seen beforehand; throws what the system says. */
export function whyNotReplaceable({ path, before }: FileChange, place: Place, system: FileSystem): Failed | undefined {
  const facts = system.look(path);
  if (facts === undefined) return changed(path, "is gone");
  const refuse = (what: string, remedy: string) =>
    failed("not-replaceable", path, `\`${path}\` ${what}, so nothing was changed; ${remedy}`);
  if (facts.kind !== "file" || system.realPath(path) !== path)
    return refuse("is no regular file or is reached by a link", "name the file that the link leads to");
  if (facts.names > 1)
    return refuse(
      `has ${facts.names} names (hard links), and the others would keep the old text`,
      `leave it one of those that \`find / -xdev -samefile ${path}\` lists, or change it by hand`,
    );
  if (system.user !== 0 && facts.uid !== system.user)
    return refuse("belongs to somebody else, and only root can give a new file to them", "run it as root");
  if (system.read(path) !== before) return changed(path, "was changed since it was read");
  system.checkWritable(path);
  system.checkWritable(dirname(path));
  // A file that is mounted on its own may lie elsewhere than its directory: the system tells when it is replaced.
  if (system.look(dirname(path))?.device !== place.device)
    return refuse(
      `lies on another file system than the backup directory \`${place.path}\`, and cannot be replaced from there in one step`,
      "name a directory on the same file system with --backup-dir",
    );
  return undefined;
}

export function changed(path: string, how: string): Failed {
  return failed("changed", path, `\`${path}\` ${how}, so nothing was written; run it again`);
}
