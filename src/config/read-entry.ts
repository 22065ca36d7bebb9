import { resolve } from "node:path";
import { fromReadable } from "../text/source.js";
import { diskAccess } from "./files/disk.js";
import type { FileAccess } from "./files/file-access.js";
import { type ReadOptions, type ReadResult, readConfig } from "./read-config.js";

/** Options for reading a configuration; for Node programs. */
export interface LoadOptions extends Omit<ReadOptions, "access"> {
  /** The file access; this machine's disk if absent. */
  readonly access?: FileAccess;
}

/**
 * Reads an entry and everything it includes as the server would; for Node programs, with ordinary string paths.
 *
 * @param entry path of a file, relative to the working directory
 * @returns the configuration as read, or the reason why the entry cannot be read
 */
export function readEntry(entry: string, options: LoadOptions = {}): ReadResult {
  return readConfig(...toReadOptions(entry, options));
}

/** Returns an entry and options as `readConfig` and `openServer` take them. */
export function toReadOptions(
  entry: string,
  { access, serverRoot, ...others }: LoadOptions,
): [path: string, options: ReadOptions] {
  const options = {
    ...others,
    access: access ?? diskAccess(),
    ...(serverRoot === undefined ? {} : { serverRoot: fromReadable(resolve(serverRoot)) }),
  };
  return [fromReadable(access ? entry : resolve(entry)), options];
}
