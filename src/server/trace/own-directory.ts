import type { Directive } from "../../config/model/directive.js";
import type { Pass } from "../model/pass.js";

/** A directory, with the path of its URL. */
export interface OwnDirectory {
  /** Without a slash at the end. */
  readonly path: string;
  /** With a slash at the end. */
  readonly url: string;
}

/** Returns the directory of the `.htaccess` file that has a line; undefined for a line of another file. */
export function ownDirectoryOf({ span }: Directive, { walked, mapping, path }: Pass): OwnDirectory | undefined {
  const found = walked?.htaccess.find(({ file }) => file.tree.source === span.file);
  if (found === undefined || mapping.kind !== "file") return undefined;
  const directory = found.file.directory.replace(/\/+$/, "");
  const rest = mapping.filename.startsWith(`${directory}/`) ? mapping.filename.slice(directory.length) : undefined;
  if (rest === undefined || !path.endsWith(rest)) return undefined;
  return { path: directory, url: path.slice(0, path.length - rest.length + 1) };
}
