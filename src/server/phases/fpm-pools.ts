import { parentOf } from "../../config/files/paths.js";
import type { FileTree } from "../model/file-tree.js";

/** A pool of PHP-FPM, as its file configures it. */
export interface FpmPool {
  readonly file: string;
  /** The path of a socket, or an address with a port. */
  readonly listen: string;
}

/** The folders with files of pools: of Debian, of Red Hat and others, and of the images of PHP. */
function poolFolders(files: FileTree): readonly string[] {
  const versions = files.list?.("/etc/php") ?? [];
  const ofDebian = versions.map(({ name }) => `/etc/php/${name}/fpm/pool.d`);
  return [...ofDebian, "/etc/php-fpm.d", "/etc/php/php-fpm.d", "/usr/local/etc/php-fpm.d"];
}

/** Returns the pools of PHP-FPM on the disk of the server; undefined if one listens at an address that is not known. */
function readPools(files: FileTree): readonly FpmPool[] | undefined {
  const pools: FpmPool[] = [];
  for (const folder of poolFolders(files)) {
    if (files.kindOf(folder) !== "directory") continue;
    for (const { name } of files.list?.(folder) ?? []) {
      const file = `${folder}/${name}`;
      const text = name.endsWith(".conf") ? files.textOf?.(file) : undefined;
      let pool = "";
      for (const line of text?.split("\n") ?? []) {
        pool = /^\s*\[([^\]]+)\]/.exec(line)?.[1] ?? pool;
        const [, written] = /^\s*listen\s*=\s*"?([^\s;"]+)/.exec(line) ?? [];
        const listen = written?.replace("$pool", () => pool);
        if (listen?.includes("$")) return undefined;
        if (listen !== undefined) pools.push({ file, listen });
      }
    }
  }
  return pools;
}

/**
 * Returns a pool of PHP-FPM whose socket is in the folder of the one of a backend for PHP, if no known pool listens at that, and it is not on
 * the disk. Files of pools may be in other folders, so that another pool may listen there. Undefined for Debian's link to the socket
 * of one version, which `php-fpm-socket-helper` makes when a pool starts.
 *
 * @param socket the path that a line names
 * @param path the path of the URL or of the file
 */
export function findNearbyPool(socket: string, path: string, files: FileTree): FpmPool | undefined {
  if (files.isOfServer !== true || !/\.(?:php\d?|phar|phtml)$/i.test(path)) return undefined;
  const own = withoutLink(socket);
  if (own === "/run/php/php-fpm.sock" || [socket, own, `/var${own}`].some((each) => mayExist(each, files)))
    return undefined;
  const pools = readPools(files) ?? [];
  if (pools.some(({ listen }) => withoutLink(listen) === own)) return undefined;
  return pools.find(({ listen }) => listen.startsWith("/") && parentOf(withoutLink(listen)) === parentOf(own));
}

/** Reports whether a socket is at a path, or a link. */
function mayExist(path: string, files: FileTree): boolean {
  return files.kindOf(path, true) !== "missing" || files.linkAt?.(path) !== undefined;
}

/** `/var/run` is a link to `/run`. */
function withoutLink(path: string): string {
  return path.replace(/^\/var\/run\//, "/run/");
}
