import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Where a document that an editor names lies. */
export interface Place {
  /** Absolute; for a document that is no file, where it would lie. */
  readonly path: string;
  /** Whether it stands for the file at the path; else nothing reads it but its own analysis. */
  readonly isFile: boolean;
}

/**
 * The place of a document. One that is no file of this machine (`untitled:`, `git:`, a file of another host) is taken for a
 * piece of a configuration in a folder.
 *
 * @param folder where documents that are no files are taken to lie
 */
export function placeOf(uri: string, folder: string): Place {
  try {
    const url = new URL(uri);
    if (url.protocol === "file:") return { path: fileURLToPath(url), isFile: true };
    return { path: join(folder, basename(decodeURIComponent(url.pathname)) || "untitled"), isFile: false };
  } catch {
    return { path: join(folder, "untitled"), isFile: false };
  }
}

/** The address of a file. */
export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}
