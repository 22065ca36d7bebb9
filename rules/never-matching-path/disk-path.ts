import { type Argument, type Directive, indexDirectives, type Project } from "../../src/lint/api/configuration.js";
import { memoize, stripTrailingSlash } from "../../src/lint/api/rule.js";

/** A path of the disk where httpd takes the path of a URL. */
export interface DiskPath {
  /** The document root that the text begins with. */
  readonly root: string;
  /** The text without the document root; undefined if it is not known that it is one. */
  readonly corrected: string | undefined;
}

/** Document roots that systems and hosting companies use: no site has such URLs. */
const usualRoot =
  /^\/(?:var\/www(?:\/html)?|srv\/www(?:\/htdocs)?|home\/[\w.-]+\/(?:public_html|www)|opt\/lampp\/htdocs)(?=\/)/;

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

/** The argument that is the path of a URL, or a pattern for one, by directive; others are checked with their scope. */
const urlArguments: ReadonlyMap<string, number> = new Map([
  ["<locationmatch", 0],
  ["alias", 0],
  ["aliasmatch", 0],
  ["errordocument", 1],
  ["proxypass", 0],
  ["proxypassmatch", 0],
  ["scriptalias", 0],
  ["scriptaliasmatch", 0],
]);

/** Returns the word of a line that is a URL path or a pattern for one; that of redirects may follow a status. */
export function findUrlWord({ key, arguments: words }: Directive): Argument | undefined {
  if (/^redirect/.test(key)) return words.slice(0, -1).find(({ value }) => /^\^?\//.test(value));
  const word = words[urlArguments.get(key) ?? words.length];
  // An Alias from a path to itself makes it a URL path, and text in quotes after ErrorDocument is a message.
  const isOfDisk =
    key === "alias" && stripTrailingSlash(word?.value ?? "") === stripTrailingSlash(words[1]?.value ?? "");
  return isOfDisk ? undefined : word;
}

export function mayHaveUrlWord(key: string): boolean {
  return urlArguments.has(key) || /^redirect(?:match|permanent|temp)?$/.test(key);
}
