import type { SourceFile } from "../text/source.js";
import type { Project } from "./project.js";

/** The file that the server's own directives start in; undefined where it was not read. */
export function mainFileOf({ entry, files }: Pick<Project, "entry" | "files">): SourceFile | undefined {
  return [...files.values()].find(({ source }) => source.path === entry)?.source;
}
