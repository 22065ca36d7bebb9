import { dirname, join } from "node:path";
import { mainIn, realPathOf, statOf } from "../project/main-files.js";
import { FolderSearches } from "./folder-searches.js";
import { fileAt, type Image, imageOf, imagesIn } from "./image-maps.js";
import { type Placement, place } from "./placement.js";

/** A server's main file, as it was found. */
export interface FoundServer {
  readonly main: string;
  /** Whose layout it is. */
  readonly layout?: string | undefined;
  /** The root of the system that it was found in; absent for this machine's own. */
  readonly sysroot?: string | undefined;
  /** The image that it is copied into. */
  readonly image?: Image | undefined;
}

/** Where systems have the main file, below their root. */
const layouts = [
  ["Debian", "etc/apache2/apache2.conf"],
  ["SUSE", "etc/apache2/httpd.conf"],
  ["Red Hat", "etc/httpd/conf/httpd.conf"],
  ["FreeBSD", "usr/local/etc/apache24/httpd.conf"],
  ["FreeBSD", "usr/local/etc/apache22/httpd.conf"],
  ["built from source", "usr/local/apache2/conf/httpd.conf"],
] as const;

/** Finds the servers of a folder: its own, those of a system whose root it is, those in its folders, and those that a Dockerfile copies. */
export function serversIn(folder: string): readonly FoundServer[] {
  const found = serversOnDisk(folder);
  const images = imagesIn(folder);
  const known = new Set(found.map(({ main }) => realPathOf(main)));
  const ofImages = new Map<string, FoundServer>();
  for (const image of images)
    for (const [, path] of layouts) {
      const main = fileAt(join("/", path), image);
      if (main !== undefined && !known.has(realPathOf(main)) && !ofImages.has(main)) ofImages.set(main, { main });
    }
  const withImage = (server: FoundServer): FoundServer =>
    server.sysroot === undefined ? { ...server, image: imageOf(server.main, images) } : server;
  return [...found, ...ofImages.values()].map(withImage);
}

function serversOnDisk(folder: string): readonly FoundServer[] {
  const main = mainIn(folder);
  if (main !== undefined) return [{ main }];
  const systems = systemServers(folder);
  if (systems.length > 0) return systems.map((server) => ({ ...server, sysroot: folder }));
  return placed(folder).servers.map(({ path }) => ({ main: path }));
}

/** The servers of this machine, or of the system with another root. */
export function systemServers(root: string): readonly FoundServer[] {
  return layouts.flatMap(([layout, path]) => {
    const main = join(root, path);
    // Debian once had an httpd.conf beside its main file, which reads it.
    const isMain = statOf(main)?.isFile() && (mainIn(dirname(main)) ?? main) === main;
    return isMain ? [{ main, layout }] : [];
  });
}

/** The pieces of configuration that a folder holds, such as `.htaccess` files. */
export function piecesIn(folder: string): readonly string[] {
  return placed(folder)
    .files.filter(({ isRecognized }) => isRecognized)
    .map(({ path }) => path);
}

function placed(folder: string): Pick<Placement, "servers" | "files"> {
  const placement = place([folder], { searches: new FolderSearches() });
  return "failed" in placement ? { servers: [], files: [] } : placement;
}
