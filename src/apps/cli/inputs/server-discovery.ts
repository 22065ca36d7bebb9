import { dirname, join } from "node:path";
import { resolveOrKeepPath } from "../../../config/files/file-content.js";
import type { PathMap } from "../../../config/files/path-maps.js";
import { isWithin, resolvePath } from "../../../config/files/paths.js";
import { findMainFile, realPathOf, statOf } from "../../../config/main-files.js";
import type { ReadConfig } from "../../../config/model/project.js";
import { iterateDirectives } from "../../../config/queries/directive-tree.js";
import { fromReadable, toReadable } from "../../../text/source.js";
import { type DockerImage, findImageOfMain, findImages, localFileOf } from "./docker-images.js";
import { FolderSearches } from "./folder-search.js";
import { type PathPlacement, placePaths } from "./path-placement.js";

/** A server's main file, as found. */
export interface DiscoveredServer {
  readonly main: string;
  /** The name of its layout. */
  readonly layout?: string | undefined;
  /** Root of the system in which it was found; absent for this machine's own. */
  readonly sysroot?: string | undefined;
  /** The image that it is copied into. */
  readonly image?: DockerImage | undefined;
}

/** Paths of main files in known systems, relative to their root. */
const systemLayouts = [
  ["Debian", "etc/apache2/apache2.conf"],
  ["SUSE", "etc/apache2/httpd.conf"],
  ["Red Hat", "etc/httpd/conf/httpd.conf"],
  ["FreeBSD", "usr/local/etc/apache24/httpd.conf"],
  ["FreeBSD", "usr/local/etc/apache22/httpd.conf"],
  ["built from source", "usr/local/apache2/conf/httpd.conf"],
] as const;

/**
 * Returns the servers of a folder: its own, those of a system with this root, those in its subfolders, and those that a
 * Dockerfile copies.
 */
export function discoverServers(folder: string): readonly DiscoveredServer[] {
  const found = discoverServersOnDisk(folder);
  const images = findImages(folder);
  const known = new Set(found.map(({ main }) => realPathOf(main)));
  const ofImages = new Map<string, DiscoveredServer>();
  for (const image of images)
    for (const [, path] of systemLayouts) {
      const main = localFileOf(join("/", path), image);
      if (main !== undefined && !known.has(realPathOf(main)) && !ofImages.has(main)) ofImages.set(main, { main });
    }
  const withImage = (server: DiscoveredServer): DiscoveredServer =>
    server.sysroot === undefined ? { ...server, image: findImageOfMain(server.main, images) } : server;
  return [...found, ...ofImages.values()].map(withImage);
}

function discoverServersOnDisk(folder: string): readonly DiscoveredServer[] {
  const main = findMainFile(folder);
  if (main !== undefined) return [{ main }];
  const systems = discoverSystemServers(folder);
  if (systems.length > 0) return systems.map((server) => ({ ...server, sysroot: folder }));
  return placeFolder(folder).servers.map(({ path }) => ({ main: path }));
}

/** Returns the servers of this machine, or of the system with another root. */
export function discoverSystemServers(root: string): readonly DiscoveredServer[] {
  return systemLayouts.flatMap(([layout, path]) => {
    const main = join(root, path);
    // Debian once had an httpd.conf next to its main file, which reads it.
    const isMain = statOf(main)?.isFile() && (findMainFile(dirname(main)) ?? main) === main;
    return isMain ? [{ main, layout }] : [];
  });
}

/** Returns the configuration fragments in a folder, such as `.htaccess` files. */
export function discoverFragments(folder: string): readonly string[] {
  return placeFolder(folder)
    .files.filter(({ isRecognized }) => isRecognized)
    .map(({ path }) => path);
}

function placeFolder(folder: string): Pick<PathPlacement, "servers" | "files"> {
  const placement = placePaths([folder], { search: new FolderSearches().under(undefined) });
  return placement.ok ? placement.value : { servers: [], files: [] };
}

/** Directives that name document folders. */
const documentRoots: ReadonlySet<string> = new Set(["documentroot", "alias", "scriptalias"]);

/**
 * Returns the maps that a configuration needs: those of files that it reads or names, of its documents, and of folders
 * with configuration.
 */
export function chooseMaps(maps: readonly PathMap[], main: string, config: ReadConfig): readonly PathMap[] {
  const read = [main, ...[...config.files.values()].map(({ source }) => source.realPath)].map(resolveOrKeepPath);
  const root = fromReadable(config.serverRoot);
  const named = new Set<string>();
  const documents = new Set<string>();
  for (const { key, arguments: words } of iterateDirectives(config))
    for (const { value } of words) {
      const path = toReadable(resolvePath(root, value)).replace(/(?<=.)\/$/, "");
      named.add(path);
      if (documentRoots.has(key) && value.includes("/")) documents.add(path);
    }
  return maps.filter(({ host, server }) => {
    if (read.some((path) => isWithin(path, host)) || named.has(server)) return true;
    if (!statOf(host)?.isDirectory()) return false;
    const isDocuments = [...documents].some((path) => isWithin(server, path) || isWithin(path, server));
    const isOfServer = isWithin(server, config.serverRoot);
    return isDocuments || (isOfServer && discoverFragments(host).length > 0);
  });
}
