import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { toReadable } from "../../text/source.js";
import { argumentValuesOf } from "../model/config-layer.js";
import type { Pass } from "../model/pass.js";
import { quoteLine } from "./step.js";

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

/** Returns the URL of the directory of a section or, without one, of a file; undefined for a pattern. */
export function urlOfSection(section: Directive | undefined, { mapping, path }: Pass): string | undefined {
  if (mapping.kind !== "file") return undefined;
  const [written = ""] = section?.key === "<directory" ? argumentValuesOf(section) : [];
  const folder = written.replace(/\/+$/, "");
  const rest = mapping.filename.slice(folder.length);
  if (!folder.startsWith("/") || !mapping.filename.startsWith(folder) || !path.endsWith(rest)) return undefined;
  const url = path.slice(0, path.length - rest.length);
  return url === "" ? "/" : url;
}

/** Names the section or file with the settings of a directory: the innermost that applies, or a new one. */
export function nameDirectory({ state, walked }: Pass): string {
  const folder = walked?.filename.replace(walked.kind === "directory" ? /\/+$/ : /\/[^/]*$/, "") ?? "/";
  const section = state?.layers.map((layer) => layer.section).findLast((each) => each?.key === "<directory");
  const written = section && argumentValuesOf(section)[0]?.replace(/(?<=.)\/+$/, "");
  return section && written === folder ? quoteLine(section) : `\`<Directory "${nativePath(toReadable(folder))}">\``;
}
