import { diskFileSystem, type FileSystem } from "../../../src/apps/file-changes/file-system.js";
import type { JournalKey } from "../../../src/apps/file-changes/journal-key.js";

/** The key of a fictitious user. */
const key: JournalKey = { path: undefined, secret: "s".repeat(64), owner: "tests" };
export const testKey = { ok: true, value: key } as const;

/** The disk without ACL checks, which start programs and are too slow for hundreds of writes. */
export const plainFiles: FileSystem = {
  ...diskFileSystem,
  extendedAttributes: () => ({ text: "", isComplete: true }),
};

/** The disk as if a new file never had the attributes of the original, so that each file is overwritten. */
export const attributedFiles: FileSystem = {
  ...plainFiles,
  extendedAttributes: (path) => ({ text: path, isComplete: true }),
  copyExtendedAttributes: () => {},
};
