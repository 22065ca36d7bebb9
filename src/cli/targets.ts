import { basename, dirname, resolve } from "node:path";
import { globSync } from "tinyglobby";
import { mainIn, mainNames, nearestMain, realPathOf, statOf } from "../project/main-files.js";
import { backupName } from "../writing/journal.js";
import { placeName } from "../writing/place.js";
import { looksLikeHttpd } from "./looks-like-httpd.js";

/** What is to be analysed as one: a main file with the paths asked for in it, or a file on its own. */
export interface Target {
  /** A main file, where one was found. */
  readonly main: string | undefined;
  /** Whether everything that the main file reaches is asked for. */
  readonly whole: boolean;
  /** The files asked for beside that. */
  readonly paths: readonly string[];
}

export type Targets = { readonly targets: readonly Target[] } | { readonly failed: string };

/** Where configuration lies in a folder, by the layouts of the distributions. */
const patterns = [
  "**/*.conf",
  "**/*.load",
  "**/.htaccess",
  "**/{sites,conf,mods}-{available,enabled}/*",
  "**/{sites,conf,mods,vhosts}.d/*",
];
/** Also what is kept of files that were changed. */
const passedOver = [
  ...["**/node_modules/**", "**/.git/**", "**/*~", "**/*.{bak,orig,rej,swp,dpkg-*,rpmsave,rpmnew}"],
  ...[`**/${placeName}/**`, `**/${backupName}[0-9][0-9][0-9][0-9]-*T*Z/**`],
];

/**
 * Sorts the paths of the command line into analyses: those of one server come together with its main file, which is the
 * path itself, one in the folder, or the nearest one upwards.
 *
 * @param named main files that settings name, by real path, whatever they are called
 */
export function targetsOf(paths: readonly string[], named: ReadonlySet<string> = new Set()): Targets {
  const byMain = new Map<string, { whole: boolean; paths: Set<string> }>();
  const alone = new Set<string>();
  const mains = new Map<string, string | undefined>();
  const add = (main: string | undefined, path: string, whole: boolean) => {
    if (main === undefined) {
      alone.add(path);
      return;
    }
    const target = byMain.get(main) ?? { whole: false, paths: new Set<string>() };
    target.whole ||= whole;
    if (!whole) target.paths.add(path);
    byMain.set(main, target);
  };
  const isMainFile = (path: string) =>
    mainNames.includes(basename(path)) || (named.size > 0 && named.has(realPathOf(path) ?? path));
  for (const path of paths) {
    // A script's variable without a value: taken as a path it would mean the folder that one is in.
    if (path === "") return { failed: "a path is empty; name a file or a folder" };
    const absolute = resolve(path);
    if (!statOf(absolute)?.isDirectory()) {
      const isMain = isMainFile(absolute);
      add(isMain ? absolute : nearestMain(dirname(absolute), mains), absolute, isMain);
      continue;
    }
    const main = mainIn(absolute);
    const files = configurationFiles(absolute);
    if (main === undefined && files.length === 0) return { failed: `no httpd configuration was found in \`${path}\`` };
    if (main !== undefined) add(main, main, true);
    const outer = main ?? nearestMain(absolute, mains);
    // Where the folder belongs to no server, those that lie in it are servers of their own.
    const inner = files.filter((file) =>
      outer === undefined ? isMainFile(file) : named.has(realPathOf(file) ?? file),
    );
    for (const file of inner) add(file, file, true);
    for (const file of files)
      if (file !== main && !inner.includes(file)) add(outer ?? nearestMain(dirname(file), mains), file, false);
  }
  const ofServers = [...byMain].map(([main, { whole, paths: asked }]) => ({ main, whole, paths: [...asked] }));
  const ofFiles = [...alone].map((path) => ({ main: undefined, whole: false, paths: [path] }));
  return { targets: [...ofServers, ...ofFiles] };
}

/** The files of a folder that hold httpd's configuration; a link and its target count once. */
function configurationFiles(directory: string): string[] {
  const found = globSync(patterns, {
    cwd: directory,
    absolute: true,
    dot: true,
    ignore: passedOver,
    followSymbolicLinks: false,
  });
  const byRealPath = new Map<string, string>();
  for (const path of found.sort()) {
    const real = realPathOf(path);
    if (real !== undefined && !byRealPath.has(real) && looksLikeHttpd(real)) byRealPath.set(real, path);
  }
  return [...byRealPath.values()];
}
