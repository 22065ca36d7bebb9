import type { FileAccess } from "../project/files.js";

/** From this many bytes on, a file is worth preparing for. */
const LARGE = 1 << 20;

/**
 * Nearly all that a run over a large file makes it keeps to its end: a young generation that grows fast copies it less
 * often. The module that says so takes milliseconds to load, so small runs do without.
 */
export function withRoomToGrow(access: FileAccess): FileAccess {
  let isPrepared = false;
  return {
    ...access,
    read(path) {
      const content = access.read(path);
      if (!isPrepared && "text" in content && content.text.length > LARGE) {
        isPrepared = true;
        process.getBuiltinModule?.("node:v8").setFlagsFromString("--semi-space-growth-factor=8");
      }
      return content;
    },
  };
}
