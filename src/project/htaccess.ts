import type { Directive } from "./directive.js";
import type { FileAccess } from "./files.js";
import { absolutePath, parentOf } from "./paths.js";

const DEFAULT_NAMES = [".htaccess"];

/**
 * The per-directory files below the document roots: in each directory the first existing name of AccessFileName. Every
 * directory is entered once, whatever links lead to it.
 *
 * @returns paths as binary strings, in the order of the document roots, directories before what is in them
 */
export function findHtaccessFiles(directives: readonly Directive[], serverRoot: string, access: FileAccess): string[] {
  const roots = new Set<string>();
  const names = new Set<string>();
  for (const directive of serverLevel(directives)) {
    if (directive.key === "documentroot") {
      const value = directive.arguments[0]?.value;
      if (value) roots.add(absolutePath(serverRoot, value));
    } else if (directive.key === "accessfilename") {
      for (const word of directive.arguments) names.add(word.value);
    }
  }
  const wanted = names.size > 0 ? [...names] : DEFAULT_NAMES;
  const entered = new Set<string>();
  const found: string[] = [];
  const isDirectory = knowingParents(access);
  for (const root of roots) if (isDirectory(root)) walk(root, wanted, access, entered, found);
  return found;
}

/** Asks for directories, but for those of one missing parent only once: hosts by the thousand often share theirs. */
function knowingParents(access: FileAccess): (path: string) => boolean {
  const parents = new Map<string, boolean>();
  return (path) => {
    const parent = parentOf(path);
    const exists = parents.get(parent) ?? access.isDirectory(parent);
    parents.set(parent, exists);
    return exists && access.isDirectory(path);
  };
}

function walk(root: string, names: readonly string[], access: FileAccess, entered: Set<string>, found: string[]): void {
  const waiting = [root];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const real = access.realPath(directory);
    if (entered.has(real)) continue;
    entered.add(real);
    const inside = access.list(directory) ?? [];
    const files = new Set(inside.filter((entry) => entry.kind !== "directory").map((entry) => entry.name));
    const name = names.find((each) => files.has(each));
    if (name !== undefined) found.push(absolutePath(directory, name));
    const directories = inside.filter(
      (entry) =>
        entry.kind === "directory" ||
        (entry.kind === "link" && access.isDirectory(absolutePath(directory ?? "", entry.name))),
    );
    for (const entry of directories.reverse()) waiting.push(absolutePath(directory, entry.name));
  }
}

/** The directives of the main server and of its virtual hosts. */
function* serverLevel(directives: readonly Directive[]): Generator<Directive> {
  for (const directive of directives) {
    if (directive.key === "<virtualhost") yield* directive.children ?? [];
    else yield directive;
  }
}
