import { diskFileSystem, type FileSystem } from "../../src/transaction/file-system.js";
import type { JournalKey } from "../../src/transaction/journal-key.js";

/** The key of a user who is nobody's. */
export const testKey: JournalKey = { path: undefined, secret: "s".repeat(64), owner: "tests" };

/** The disk without a look for ACLs, which starts programs: these tests write hundreds of times. */
export const plainFiles: FileSystem = {
  ...diskFileSystem,
  extendedAttributes: () => ({ text: "", isComplete: true }),
};

/** The disk as if no new file got the attributes of the old one: each is written in place. */
export const attributedFiles: FileSystem = {
  ...plainFiles,
  extendedAttributes: (path) => ({ text: path, isComplete: true }),
  copyExtendedAttributes: () => {},
};
