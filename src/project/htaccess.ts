import type { Directive } from "./directive.js";
import type { FileAccess } from "./files.js";
import { absolutePath } from "./paths.js";
import { rewriteWords } from "./rewrite-words.js";

const DEFAULT_NAMES = [".htaccess"];

/** Directives that say where files lie, with the position of the word that does. */
const rootPositions: ReadonlyMap<string, number> = new Map([
  ["documentroot", 0],
  ["alias", 1],
  ["scriptalias", 1],
]);

/**
 * The per-directory files below the document roots and what Alias and RewriteRule lead to: in each directory the first
 * existing name of AccessFileName. Every directory is entered once, whatever links lead to it.
 *
 * @returns paths as binary strings, in the order of the document roots, directories before what is in them
 */
export function findHtaccessFiles(directives: readonly Directive[], serverRoot: string, access: FileAccess): string[] {
  const roots = new Set<string>();
  const mayExist = parentsOf(serverRoot, access);
  const names = new Set<string>();
  for (const directive of serverLevel(directives)) {
    const value = rootIn(directive);
    if (value !== undefined) {
      if (mayExist(value)) roots.add(absolutePath(serverRoot, value));
    } else if (directive.key === "accessfilename") {
      for (const word of directive.arguments) names.add(word.value);
    }
  }
  const wanted = names.size > 0 ? [...names] : DEFAULT_NAMES;
  const entered = new Set<string>();
  const found: string[] = [];
  for (const root of roots) if (access.isDirectory(root)) walk(root, wanted, access, entered, found);
  return found;
}

/** The folder that a line leads to, as written. */
function rootIn(directive: Directive): string | undefined {
  const position = rootPositions.get(directive.key);
  if (position !== undefined) return directive.arguments[position]?.value || undefined;
  if (directive.key !== "rewriterule") return undefined;
  // A rule may lead to a file by its path. One at the top is as good as always a path of the URL.
  const [, folder] =
    /^(\/[^/$%\\?]+(?:\/[^/$%\\?]+)+)\//.exec(rewriteWords(directive.argumentText)?.[1].value ?? "") ?? [];
  return folder;
}

/** Whether the folder around a document root is there: hosts by the thousand often share one, and it is asked for once. */
function parentsOf(serverRoot: string, access: FileAccess): (root: string) => boolean {
  const known = new Map<string, boolean>();
  return (root) => {
    const parent = root.slice(0, root.lastIndexOf("/") + 1);
    const exists = known.get(parent) ?? access.isDirectory(absolutePath(serverRoot, parent));
    known.set(parent, exists);
    return exists;
  };
}

function walk(root: string, names: readonly string[], access: FileAccess, entered: Set<string>, found: string[]): void {
  const waiting = [root];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const real = access.realPath(directory);
    if (entered.has(real)) continue;
    entered.add(real);
    const inside = access.list(directory);
    if ("failed" in inside) continue;
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
