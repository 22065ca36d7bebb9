import type { DirectoryEntry, FileAccess, LinkFacts } from "../config/files/file-access.js";
import {
  isUtf8Path,
  isWithin,
  pathKey,
  resolvePath,
  stripTrailingSlash,
  toAbsolutePath,
} from "../config/files/paths.js";
import type { Directive } from "../config/model/directive.js";
import type { Project, ReadConfig } from "../config/model/project.js";
import { mapFromServer, placeAccess } from "../config/place-on-server.js";
import { indexDirectives } from "../config/queries/directive-index.js";
import { directoryMappingOf, findNamingDirectives } from "../config/queries/named-directories.js";
import { getOrCreate } from "../text/collections.js";
import { computeOnce, memoize } from "../text/memoize.js";
import { fromReadable } from "../text/source.js";
import { membersIn } from "./member-files.js";
import { createListedFiles, type FileKind, type FileTree } from "./model/file-tree.js";

/** Maximum number of cached lookups. */
const MAX_KNOWN_PATHS = 100_000;
/** Maximum number of cached texts. */
const MAX_KNOWN_TEXTS = 20;
/** Maximum number of cached directory listings. */
const MAX_KNOWN_LISTS = 1000;

/**
 * Returns a file tree of the disk that the configuration was read from, with its password and group files.
 *
 * @param isAbove whether an unreadable path is a parent directory of a readable one
 */
export function diskFiles(access: FileAccess, isAbove: (path: string) => boolean = () => false): FileTree {
  const kinds = new Map<string, FileKind>();
  const kindOf = (path: string): FileKind => {
    const known = kinds.get(path);
    if (known !== undefined) return known;
    if (kinds.size >= MAX_KNOWN_PATHS) kinds.clear();
    const kind = isAbove(path) ? "directory" : isUtf8Path(path) ? kindOnDisk(path, access) : kindInList(path);
    kinds.set(path, kind);
    return kind;
  };
  /** Returns the kind of a path that no program can open by name: the list of its directory shows it. */
  const kindInList = (path: string): FileKind => {
    const slash = path.lastIndexOf("/");
    const parent = kindOf(path.slice(0, slash) || "/");
    if (parent !== "directory") return parent === "unknown" ? "unknown" : "missing";
    const entries = list(path.slice(0, slash));
    if (entries === undefined) return "unknown";
    const entry = entries.find(({ name }) => name === path.slice(slash + 1));
    return entry === undefined
      ? "missing"
      : entry.kind === "file" || entry.kind === "directory"
        ? entry.kind
        : "unknown";
  };
  const lists = new Map<string, readonly DirectoryEntry[] | "unknown">();
  const links = new Map<string, LinkFacts | "none">();
  const linkAt = (path: string): LinkFacts | undefined => {
    const known = links.get(path);
    if (known !== undefined) return known === "none" ? undefined : known;
    if (links.size >= MAX_KNOWN_PATHS) links.clear();
    const link = path === "" || isAbove(path) ? undefined : access.linkAt?.(path);
    links.set(path, link ?? "none");
    return link;
  };
  const list = (path: string): readonly DirectoryEntry[] | undefined => {
    const known = lists.get(path);
    if (known !== undefined) return known === "unknown" ? undefined : known;
    if (lists.size >= MAX_KNOWN_LISTS) lists.clear();
    const entries = access.list(path === "" ? "/" : path);
    const isMissing = !entries.ok && entries.error.isAbsent === true && entries.error.system !== undefined;
    const found = isMissing ? [] : entries.ok ? entries.value : undefined;
    lists.set(path, found ?? "unknown");
    return found;
  };
  return {
    kindOf: (path) => kindOf(path === "" ? "/" : path),
    linkAt,
    realPathOf: (path) => fromReadable(access.realPath(path)),
    list,
    ...contentsIn(access),
  };
}

/** Returns lookups for the content of files, and for the members of password and group files. */
function contentsIn(access: FileAccess) {
  const texts = new Map<string, string>();
  return {
    ...membersIn(access),
    textOf: (path: string) => {
      const known = texts.get(path);
      if (known !== undefined) return known;
      if (texts.size >= MAX_KNOWN_TEXTS) texts.clear();
      const content = access.read(path);
      if (!content.ok) return undefined;
      texts.set(path, content.value.text);
      return content.value.text;
    },
  };
}

function kindOnDisk(path: string, access: FileAccess): FileKind {
  if (access.isDirectory(path)) return "directory";
  if (access.exists(path)) return "file";
  const content = access.read(path);
  // A file that only this process cannot read may exist for the server.
  return !content.ok && content.error.system !== undefined ? "missing" : "unknown";
}

/**
 * Returns a tree of the directories that the configuration names, and their parents. Anything else may or may not
 * exist.
 */
export function createAssumedFiles(project: Project): FileTree {
  return { kindOf: (path) => (path === "" || isNamed(project, path) ? "directory" : "unknown") };
}

/**
 * Returns a tree in which every requested file exists: the directories that the configuration names, files in them, and
 * the rest.
 */
export function createPermissiveFileTree(project: Project): FileTree {
  return {
    kindOf: (path, mayBeFile = false) => (mayBeFile && path !== "" && !isNamed(project, path) ? "file" : "directory"),
  };
}

/** Returns a tree of listed paths, and of the password and group files that the configuration names. */
function createListedTree(project: Project, paths: Iterable<string>): FileTree {
  const files = memberFilesOf(project);
  const listed = createListedFiles([...paths].map((path) => toAbsolutePath(path, project.serverRoot) ?? path));
  return { ...listed, kindOf: (path) => (files.has(pathKey(path)) ? "file" : listed.kindOf(path)) };
}

/**
 * Limits a disk tree: a missing document root, as of another machine, makes its contents unknown. On the disk of the server, it is
 * known to be missing if that has what is around it.
 */
function createFoundTree(project: Project, disk: FileTree, isOfServer: boolean): FileTree {
  const surroundings = memoize(() => new RootSurroundings(project, documentRoots(project), disk));
  const exists = (root: string) => {
    const kind = disk.kindOf(root);
    return kind === "directory" || kind === "file" || (isOfServer && surroundings(project).lack(root));
  };
  const roots = memoize(() => new DirectoryRoots(documentRoots(project), exists));
  const assumed = memoize(() => createAssumedFiles(project));
  const files = memoize(() => memberFilesOf(project));
  const isElsewhere = (path: string) => roots(project).isMissingAt(path);
  const isAssumed = (path: string) =>
    isElsewhere(path) || (files(project).has(pathKey(path)) && roots(project).isAnyMissing());
  return {
    ...disk,
    kindOf: (path) => {
      const kind = disk.kindOf(path);
      return kind === "missing" && isAssumed(path) ? assumed(project).kindOf(path) : kind;
    },
    list: (path) => (roots(project).isUnlisted(path) ? undefined : disk.list?.(path)),
  };
}

/**
 * The document roots of a server, with those that exist. Looking for each of thousands takes longer than many checks,
 * so only those around a path are looked for.
 */
class DirectoryRoots {
  /** The roots in each directory above them. */
  private readonly below = new Map<string, string[]>();
  private readonly missingBelow = new Map<string, boolean>();

  constructor(
    private readonly roots: ReadonlySet<string>,
    private readonly exists: (root: string) => boolean,
  ) {
    for (const root of roots) for (const above of parentsOf(root)) getOrCreate(this.below, above, () => []).push(root);
  }

  /** Reports whether a root at or above a path does not exist. */
  private isBelowMissing(path: string): boolean {
    return this.rootsAround(path).some((each) => !this.exists(each));
  }

  /** Returns the roots at or above a path. */
  private rootsAround(path: string): readonly string[] {
    const key = pathKey(path);
    return [key, ...parentsOf(key)].filter((each) => this.roots.has(each));
  }

  /**
   * Reports whether the entries of a directory may be those of another machine. In a root that exists, they are not, even
   * if another root below it is missing.
   */
  isUnlisted(path: string): boolean {
    const isInRoot = this.rootsAround(path).some((each) => this.exists(each));
    return isInRoot ? this.isBelowMissing(path) : this.isMissingAt(path);
  }

  /** Reports whether a root at, above or below a path does not exist. */
  isMissingAt(path: string): boolean {
    if (this.isBelowMissing(path)) return true;
    const inside = this.below.get(pathKey(path));
    return (
      inside !== undefined &&
      getOrCreate(this.missingBelow, pathKey(path), () => inside.some((root) => !this.exists(root)))
    );
  }

  isAnyMissing(): boolean {
    return [...this.roots].some((root) => !this.exists(root));
  }
}

/**
 * What a copy of a server's disk has around its document roots. A copy may have the configuration only, so entries that lead to its
 * files do not count.
 */
class RootSurroundings {
  private readonly withDocuments = new Map<string, boolean>();

  constructor(
    private readonly project: Project,
    private readonly roots: ReadonlySet<string>,
    private readonly disk: FileTree,
  ) {}

  /**
   * Reports whether the directory of a root has other documents, but not the root. A directory further above counts if it has another
   * root of the configuration.
   */
  lack(root: string): boolean {
    const { disk, roots } = this;
    const above = parentsOf(root).filter((each) => each !== "");
    const nearest = above.find((each) => disk.kindOf(each) === "directory");
    if (nearest === undefined) return false;
    const next = [root, ...above][above.indexOf(nearest)] ?? root;
    if (!this.hasDocuments(nearest) || this.listed(nearest).includes(next)) return false;
    const isBesideRoot = (each: string) => roots.has(pathKey(each)) && disk.kindOf(each) === "directory";
    return nearest === above[0] || this.listed(nearest).some(isBesideRoot);
  }

  private hasDocuments(directory: string): boolean {
    return getOrCreate(this.withDocuments, directory, () =>
      this.listed(directory).some((path) => !leadsToConfiguration(this.project, path, this.disk)),
    );
  }

  private listed(directory: string): readonly string[] {
    return (this.disk.list?.(directory) ?? []).map(({ name }) => `${directory}/${name}`);
  }
}

/** Reports whether a path is that of a file of the configuration, or of a directory above one. */
function leadsToConfiguration(project: Project, path: string, { realPathOf }: FileTree): boolean {
  const { own, members } = configurationPaths(project);
  return members.has(pathKey(path)) || own.has(pathKey(realPathOf?.(path) ?? path));
}

/** The real paths of the files that are read, and the password and group files, each with the directories above. */
const configurationPaths = memoize((project: Project) => {
  const htaccess = new Set(project.htaccess.map(({ tree }) => tree));
  const read = [...project.files.values()].flatMap((tree) =>
    htaccess.has(tree) ? [] : [fromReadable(tree.source.realPath)],
  );
  const withParents = (paths: Iterable<string>) =>
    new Set([...paths].flatMap((path) => [path, ...parentsOf(path)]).map(pathKey));
  return { own: withParents(read), members: withParents(memberFilesOf(project)) };
});

/** Returns the directories above a path, without slashes at the end; the root is the empty text. */
function parentsOf(path: string): readonly string[] {
  const found: string[] = [];
  for (let slash = path.lastIndexOf("/"); slash >= 0; slash = slash === 0 ? -1 : path.lastIndexOf("/", slash - 1))
    found.push(path.slice(0, slash));
  return found;
}

/**
 * Limits a tree to the files that a fragment decides: those below the directories that it maps URLs to. The rest of the
 * server maps other URLs, so other files are unknown. On the disk of the server, those in an existing directory are known as well.
 */
export function limitToFragment(fragment: ReadConfig, files: FileTree): FileTree {
  const roots = [...documentRoots(fragment)];
  const named = memberFilesOf(fragment);
  const isMapped = (path: string) => roots.some((root) => isWithin(path, root) || isWithin(root, path));
  const isInDirectory = (path: string) => files.kindOf(path.slice(0, path.lastIndexOf("/"))) === "directory";
  const isKnown = (path: string) =>
    path === "" || isMapped(path) || named.has(pathKey(path)) || (files.isOfServer === true && isInDirectory(path));
  const { mayChange, groupsOf } = files;
  return {
    ...(mayChange === undefined ? {} : { mayChange }),
    kindOf: (path, mayBeFile) => (isKnown(path) ? files.kindOf(path, mayBeFile) : "unknown"),
    linkAt: (path) => (isKnown(path) ? files.linkAt?.(path) : undefined),
    isExecutable: (path) => (isKnown(path) ? files.isExecutable?.(path) : undefined),
    list: (path) => (isKnown(path) ? files.list?.(path) : undefined),
    textOf: (path) => files.textOf?.(path),
    ownerOf: (path) => files.ownerOf?.(path),
    passwordEntryOf: (path, user, realm, password) => files.passwordEntryOf?.(path, user, realm, password),
    usersOf: (path) => files.usersOf?.(path),
    ...(groupsOf ? { groupsOf: (path, user, source) => groupsOf.call(files, path, user, source) } : {}),
  };
}

/** Returns the same files for a request whose user sends a password: password files then have only entries for it. */
export function withPassword(files: FileTree, password: string): FileTree {
  const tree: FileTree = Object.create(files);
  return Object.assign(tree, {
    passwordEntryOf: (path: string, user: string, realm: string | undefined) =>
      files.passwordEntryOf?.(path, user, realm, password),
  });
}

/** The source for file existence. */
export type FilesChoice =
  | { readonly by: "disk" }
  /** The disk if the document root exists, else the assumptions of the configuration. */
  | {
      readonly by: "existing disk";
      /** Whether a user says that it is the disk of the server, by naming its root. */
      readonly isOfServer?: boolean;
    }
  | { readonly by: "configuration" }
  /** Absolute paths; binary strings. */
  | { readonly by: "list"; readonly paths: readonly string[] };

/** The source without `--files`. */
export const defaultFilesChoice = { by: "existing disk" } as const satisfies FilesChoice;

/** Returns the file tree for a choice. @param isReadAbove see `diskFiles`, for paths as they are read */
export function createFileTree(
  choice: FilesChoice,
  project: Project,
  readable: FileAccess,
  isReadAbove: (path: string) => boolean = () => false,
): FileTree {
  const access = placeAccess(readable, project);
  const located = mapFromServer(project.read);
  const isAbove = (path: string) => isReadAbove(located(path));
  const hosts = { hostsText: createHostsReader(project, readable, choice.by === "disk") };
  switch (choice.by) {
    case "disk":
      return { ...diskFiles(access, isAbove), ...hosts, ...modesIn(access) };
    case "existing disk":
      return {
        ...createFoundTree(project, diskFiles(access, isAbove), choice.isOfServer === true),
        ...hosts,
        ...(choice.isOfServer ? { isOfServer: true, ...modesIn(access) } : {}),
      };
    case "configuration":
      return { ...createAssumedFiles(project), ...contentsIn(access), ...hosts };
    case "list":
      return { ...createListedTree(project, choice.paths), ...contentsIn(access), ...hosts };
  }
}

/** Returns the default file tree of a configuration: a copy of a server's disk shows what the server lacks. */
export function createDefaultFiles(project: Project, access: FileAccess): FileTree {
  return createFileTree({ ...defaultFilesChoice, isOfServer: access.isCopy === true }, project, access);
}

/** Returns lookups for the modes of files. Those of a disk that may be another one do not count. */
function modesIn(access: FileAccess): Pick<FileTree, "isExecutable"> {
  return { isExecutable: (path) => access.isExecutable?.(path) };
}

const HOSTS_FILE = "/etc/hosts";

/**
 * Returns a reader of the server's hosts file. That of this machine is not the server's, unless the disk is said to be, or
 * the main file is in the ServerRoot on it.
 *
 * @param isOwnDisk whether this machine is known to be the server
 */
function createHostsReader(project: Project, access: FileAccess, isOwnDisk: boolean): () => string | undefined {
  const read = computeOnce(() => {
    const content = access.read(HOSTS_FILE);
    if (!content.ok) return { text: undefined };
    const main = [...project.files.values()][0]?.source.realPath;
    const isInstalled =
      project.kind === "server" && main?.startsWith(`${stripTrailingSlash(project.read.serverRoot)}/`) === true;
    return { text: content.value.realPath !== HOSTS_FILE || isOwnDisk || isInstalled ? content.value.text : undefined };
  });
  return () => read().text;
}

/** The lines that name paths, and the directory where relative ones start. */
type NamedPaths = Pick<Project, "directives" | "htaccess" | "serverRoot">;

const mappingKeys = ["documentroot", "alias", "scriptalias"] as const;

const patternKeys = ["aliasmatch", "scriptaliasmatch"] as const;

function documentRoots(project: NamedPaths): ReadonlySet<string> {
  const written = pathsOf(project, mappingKeys, (directive) => directoryMappingOf(directive)?.to);
  const ofPatterns = pathsOf(project, patternKeys, knownDirectoryOf);
  return ofPatterns.size === 0 ? written : new Set([...written, ...ofPatterns]);
}

/** Returns the directory that all targets of an AliasMatch are in: what is before its first group. Undefined for the root. */
function knownDirectoryOf({ arguments: [, to] }: Directive): string | undefined {
  const [known = ""] = /^(?:[^$\\]*$|[^$\\]*(?=\/))/.exec(to?.value ?? "") ?? [];
  return known === "" || known === "/" ? undefined : known;
}

/** Reports whether the configuration names a directory, or a file or directory below it. */
function isNamed(project: Project, path: string): boolean {
  return namedDirectories(project).has(pathKey(path)) || project.view?.hasFilesBelow(path) === true;
}

const namedDirectories = memoize((project: Project): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const directive of findNamingDirectives(project)) {
    const target = directive.key === "<directory" ? literalPath(directive) : directoryMappingOf(directive)?.to;
    const written = directive.key === "alias" && target !== undefined ? target.replace(FILE_NAME, "") : target;
    if (written !== undefined) found.add(pathKey(stripTrailingSlash(resolvePath(project.serverRoot, written))));
  }
  for (const { directory } of project.htaccess) found.add(pathKey(stripTrailingSlash(fromReadable(directory))));
  for (const path of [...found])
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
      const above = path.slice(0, slash);
      if (found.has(above)) break;
      found.add(above);
    }
  return found;
});

/** The last part of a path that is the name of a file, as in `Alias /favicon.ico /srv/www/favicon.ico`. */
const FILE_NAME = /\/[^/]+\.(?:css|gif|html?|ico|jpe?g|js|json|pdf|php|png|svg|txt|webmanifest|xml)$/i;

function literalPath({ arguments: [first] }: Directive): string | undefined {
  if (first === undefined || /[*?[~]/.test(first.value)) return undefined;
  return toAbsolutePath(first.value) === undefined ? undefined : first.value;
}

const memberFileKeys = ["authuserfile", "authgroupfile", "authdbmuserfile", "authdbmgroupfile"] as const;

/** Returns the password and group files that the configuration names. */
export function memberFilesOf(project: NamedPaths): ReadonlySet<string> {
  return pathsOf(project, memberFileKeys, (directive) => directive.arguments[0]?.value);
}

/** Returns the keys of the paths that directives of some names have, absolute and without a trailing slash. */
function pathsOf(
  project: NamedPaths,
  keys: readonly string[],
  path: (directive: Directive) => string | undefined,
): ReadonlySet<string> {
  const index = indexDirectives(project);
  const found = new Set<string>();
  for (const directive of keys.flatMap((key) => index.named(key))) {
    const written = path(directive);
    if (written !== undefined) found.add(pathKey(stripTrailingSlash(resolvePath(project.serverRoot, written))));
  }
  return found;
}
