import { resolve } from "node:path";
import { fromReadable } from "../text/source.js";
import { diskAccess } from "./files/disk.js";
import type { FileAccess } from "./files/file-access.js";
import { type LoadResult, type OpenedServer, openServer, type ReadOptions, readProject } from "./read-project.js";

export type { LoadResult } from "./read-project.js";

/** How a configuration is loaded. */
export interface LoadOptions extends Omit<ReadOptions, "access"> {
  /** How files are reached; this machine's disk where absent. */
  readonly access?: FileAccess;
}

/**
 * Reads an entry and all that it includes as the server would; in a program of Node, with paths as people write them.
 *
 * @param entry path of a file, relative to the working directory
 * @returns the project, or in words why the entry itself cannot be read
 */
export function loadProject(entry: string, options: LoadOptions = {}): LoadResult {
  return readProject(...toReadOptions(entry, options));
}

/** The same without its `.htaccess` files, which can be read some at a time. */
export function openEntry(entry: string, options: LoadOptions = {}): OpenedServer | { readonly failed: string } {
  return openServer(...toReadOptions(entry, options));
}

function toReadOptions(
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
