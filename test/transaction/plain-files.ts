import { diskFileSystem, type FileSystem } from "../../src/transaction/file-system.js";
import type { JournalKey } from "../../src/transaction/journal-key.js";

/** The key of a fictitious user. */
export const testKey: JournalKey = { path: undefined, secret: "s".repeat(64), owner: "tests" };

/** The disk without ACL checks, which start programs: these tests write hundreds of times. */
export const plainFiles: FileSystem = {
  ...diskFileSystem,
  extendedAttributes: () => ({ text: "", isComplete: true }),
};

/** The disk as if a new file never got the attributes of the old one: each is overwritten. */
export const attributedFiles: FileSystem = {
  ...plainFiles,
  extendedAttributes: (path) => ({ text: path, isComplete: true }),
  copyExtendedAttributes: () => {},
};
