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
 * Returns the pools of PHP-FPM of the server if a backend for a PHP file is one, and none of them listens there: httpd then cannot
 * connect (mod_proxy.c `ap_proxy_connect_backend`). Undefined if the backend may be another program.
 *
 * @param target as SetHandler and ProxyPass name it, without `proxy:`
 * @param path the path of the URL or of the file
 */
export function findOtherPools(target: string, path: string, files: FileTree): readonly FpmPool[] | undefined {
  if (files.isOfServer !== true || !/\.(?:php\d?|phar|phtml)$/i.test(path)) return undefined;
  const [, socket, host, port = "9000"] =
    /^(?:unix:([^|]*)\|)?fcgi:\/\/(localhost|127\.0\.0\.1|[^/:]*)(?::(\d+))?(?:\/|$)/i.exec(target) ?? [];
  if (host === undefined || (socket === undefined && !/^(?:localhost|127\.0\.0\.1)$/i.test(host))) return undefined;
  const pools = readPools(files) ?? [];
  const listensThere = ({ listen }: FpmPool) =>
    socket === undefined ? listen.replace(/^.*:/, "") === port : withoutLink(listen) === withoutLink(socket);
  return pools.length === 0 || pools.some(listensThere) ? undefined : pools;
}

/** `/var/run` is a link to `/run`. */
function withoutLink(path: string): string {
  return path.replace(/^\/var\/run\//, "/run/");
}
