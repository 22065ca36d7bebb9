import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import type { FileTree } from "../../server/model/file-tree.js";

/** A file name extension that a line sets a handler for. */
export interface HandledExtension {
  /** Without the dot. */
  readonly extension: string;
  readonly line: Directive;
}

/** Returns the extensions that AddHandler, and AddType with the type of a handler, name; each once. */
export function findHandledExtensions(project: Project): readonly HandledExtension[] {
  const found = new Map<string, HandledExtension>();
  for (const line of iterateDirectives(project)) {
    const [first = "", ...names] = argumentValuesOf(line);
    const isHandler = line.key === "addhandler" || (line.key === "addtype" && /^application\/x-httpd-/i.test(first));
    if (!isHandler) continue;
    for (const name of names) {
      const extension = name.replace(/^\./, "").toLowerCase();
      if (/^[\w-]+$/.test(extension) && !found.has(extension)) found.set(extension, { extension, line });
    }
  }
  return [...found.values()];
}

/** Returns a file tree in which one more file exists. */
export function withFile(files: FileTree, added: string): FileTree {
  return { ...files, kindOf: (path, mayBeFile) => (path === added ? "file" : files.kindOf(path, mayBeFile)) };
}
