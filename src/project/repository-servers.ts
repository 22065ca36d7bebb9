import { type Dirent, existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "./confined.js";
import { realOrSame } from "./file-content.js";
import { MainFileFinder } from "./main-file-finder.js";

/** A repository with more entries is not searched: the search is repeated for each run of a hook. */
const MOST_ENTRIES = 20_000;
const MOST_SERVERS = 20;

/** How the servers of repositories are searched for. */
export interface RepositoryOptions {
  /** The name of configuration files of httpd-lint. A folder with its own one has its own servers. */
  readonly settingsName: string;
  /** The folder of the configuration file that applies. */
  readonly settings: string | undefined;
  /** The directory outside of which nothing is read. */
  readonly confine: string | undefined;
}

/** Returns the main files in the repositories of files: one in another folder may read them. */
export function repositoryServers(paths: readonly string[], options: RepositoryOptions): readonly string[] {
  const roots = new Set(paths.map((path) => dirname(path)).map(rootFinder()));
  return [...roots].flatMap((root) => (root === undefined ? [] : serversBelow(root, options)));
}

function serversBelow(root: string, { settingsName, settings, confine }: RepositoryOptions): readonly string[] {
  if (confine !== undefined && !isWithin(realOrSame(root), realOrSame(confine))) return [];
  const contents = search(root, settingsName);
  const governed = contents.governed.filter((folder) => settings === undefined || !isWithin(settings, folder));
  const finder = new MainFileFinder(confine);
  const mains = contents.files.filter(
    (path) => !governed.some((folder) => isWithin(path, folder)) && finder.isMain(path),
  );
  return mains.length > MOST_SERVERS ? [] : mains;
}

/** Lists the possible main files of a repository, and the folders below its root with their own configuration file. */
function search(
  root: string,
  settingsName: string,
): { readonly files: readonly string[]; readonly governed: readonly string[] } {
  const files: string[] = [];
  const governed: string[] = [];
  const folders = [root];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const inside = entriesOf(folder);
    entries += inside.length;
    if (entries > MOST_ENTRIES) return { files: [], governed: [] };
    for (const entry of inside) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(...(passedOver.has(entry.name) ? [] : [path]));
      else if (entry.name.endsWith(".conf")) files.push(path);
      else if (entry.name === settingsName && folder !== root) governed.push(folder);
    }
  }
  return { files: files.sort(), governed };
}

const passedOver = new Set([".git", "node_modules"]);

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Finds the roots of repositories, for each folder once. */
function rootFinder(): (folder: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  const find = (folder: string): string | undefined => {
    if (known.has(folder)) return known.get(folder);
    const above = dirname(folder);
    const root = existsSync(join(folder, ".git")) ? folder : above === folder ? undefined : find(above);
    known.set(folder, root);
    return root;
  };
  return find;
}
