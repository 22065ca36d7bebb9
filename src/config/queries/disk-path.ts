import { memoize } from "../../text/memoize.js";
import { stripTrailingSlash } from "../files/paths.js";
import type { Project } from "../model/project.js";
import { indexDirectives } from "./directive-index.js";

/** A path of the disk where httpd takes the path of a URL. */
export interface DiskPath {
  /** The document root that the text begins with. */
  readonly root: string;
  /** The text without the document root; undefined if it is not known that it is one. */
  readonly corrected: string | undefined;
}

/** Document roots that systems and hosting companies use: no site has such URLs. */
const usualRoot =
  /^\/(?:var\/www(?:\/html)?|srv\/www(?:\/htdocs)?|home\/[\w.-]+\/(?:public_html|www)|opt\/lampp\/htdocs)(?=[/%])/;

/**
 * Finds a document root at the start of a URL path, or of a pattern for one.
 *
 * @param text as written
 */
export function findDiskPath(text: string, project: Project): DiskPath | undefined {
  const [, start = "", path = ""] = /^(\^?)(.*)$/s.exec(text) ?? [];
  const plain = path.replace(/\\([/.-])/g, "$1");
  const root = findRootAround(plain, documentRootsOf(project));
  if (root === undefined) {
    const [usual] = usualRoot.exec(plain) ?? [];
    return usual === undefined ? undefined : { root: usual, corrected: undefined };
  }
  const rest = path === plain ? `${start}${path.slice(root.length)}` : undefined;
  return { root, corrected: rest === "" || rest === "^" ? `${rest}/` : rest };
}

/** Returns the longest of some directories that a path is in, or is the path of. */
function findRootAround(path: string, roots: ReadonlySet<string>): string | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const directory = stripTrailingSlash(path.slice(0, end));
    if (roots.has(directory)) return directory;
  }
  return undefined;
}

/** Returns the document roots; the name of a directory at the top may be that of a URL path as well. */
const documentRootsOf = memoize((project: Project): ReadonlySet<string> => {
  const roots = indexDirectives(project)
    .named("documentroot")
    .map(({ arguments: [word] }) => stripTrailingSlash(word?.value ?? ""));
  return new Set(roots.filter((root) => /^\/[^/]+\/./.test(root)));
});
