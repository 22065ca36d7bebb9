import { readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { globSync } from "tinyglobby";
import { readFoundFile, resolveOrKeepPath } from "../../../config/files/file-content.js";
import { type PathMap, PathMaps } from "../../../config/files/path-maps.js";
import { compareByDepth, isWithin } from "../../../config/files/paths.js";
import { statOf } from "../../../config/main-files.js";
import { toReadable } from "../../../text/source.js";
import { type ImageCopy, type ImageFiles, parseDockerfile } from "./dockerfile.js";

/** The files that a Dockerfile copies from a folder into an image, as local paths. */
export interface DockerImage {
  readonly dockerfile: string;
  readonly maps: readonly PathMap[];
  /** Paths in the image of files from other stages, which are not on this machine. */
  readonly fromStages: readonly string[];
}

const patterns = [
  "**/{Dockerfile,Containerfile}",
  "**/*.{Dockerfile,Containerfile}",
  "**/{Dockerfile,Containerfile}.*",
];
const skippedFolders = ["**/node_modules/**", "**/.git/**", "**/*~", "**/*.dockerignore"];
/** A repository has a few. Of more, only the nearest to the folder are read. */
const MAX_DOCKERFILES = 50;

/**
 * Returns the images that the Dockerfiles in a folder describe. The build context is the Dockerfile's folder or one
 * above it.
 */
export function findImages(folder: string): readonly DockerImage[] {
  const dockerfiles = globSync(patterns, {
    cwd: folder,
    absolute: true,
    dot: true,
    ignore: skippedFolders,
    followSymbolicLinks: false,
  });
  const sorted = dockerfiles.sort(compareByDepth).slice(0, MAX_DOCKERFILES);
  return sorted.flatMap((dockerfile) => {
    const content = readFoundFile(dockerfile, folder);
    if (!content.ok) return [];
    const files = parseDockerfile(toReadable(content.value.text));
    return listFoldersUp(dirname(dockerfile), folder).map((context) => {
      return { dockerfile, maps: createImageMaps(files, context), fromStages: files.fromStages };
    });
  });
}

/** Returns the image that a main file is copied into: by a Dockerfile next to or above it, or else by another one. */
export function findImageOfMain(main: string, images: readonly DockerImage[]): DockerImage | undefined {
  const real = resolveOrKeepPath(main);
  const mounting = images.filter(({ maps }) => maps.some(({ host }) => isWithin(real, host)));
  const nearby = mounting.filter(({ dockerfile }) => isWithin(real, dirname(dockerfile)));
  // The nearest Dockerfile is in the longest folder path; within one folder, the first is used.
  const [nearest] = nearby.sort((a, b) => dirname(b.dockerfile).length - dirname(a.dockerfile).length);
  return nearest ?? mounting[0];
}

/** Returns the path in an image of a file on this machine. */
export function pathInImage(path: string, { maps }: DockerImage): string | undefined {
  const real = resolveOrKeepPath(path);
  const map = maps.findLast(({ host }) => isWithin(real, host));
  return map === undefined ? undefined : join(map.server, relative(map.host, real));
}

/** Returns the local file that is copied to a path of an image. */
export function localFileOf(path: string, { maps }: DockerImage): string | undefined {
  return new PathMaps(maps).hostsOf(path).find((host) => statOf(host)?.isFile());
}

/** Returns a folder and the folders above it, up to another one. */
function listFoldersUp(folder: string, top: string): readonly string[] {
  const folders = [folder];
  for (let above = folder; above !== top && dirname(above) !== above; ) {
    above = dirname(above);
    folders.push(above);
  }
  return folders;
}

/** Image directories that are often copied to without a trailing slash. */
const usualDirectories = [
  ...["/usr/local/apache2/conf/extra", "/usr/local/apache2/htdocs", "/usr/local/apache2/cgi-bin"],
  ...["/etc/apache2/sites-available", "/etc/apache2/sites-enabled", "/etc/apache2/conf-available"],
  ...["/etc/apache2/conf-enabled", "/etc/apache2/mods-enabled", "/etc/apache2/conf.d", "/etc/apache2/vhosts.d"],
  ...["/etc/httpd/conf", "/etc/httpd/conf.d", "/etc/httpd/conf.modules.d", "/var/www/html"],
];

/** Returns the files that an image gets from a build context. */
export function createImageMaps({ copies, directories }: ImageFiles, context: string): readonly PathMap[] {
  const known = new Set([...usualDirectories, ...directories].flatMap((path) => listFoldersUp(path, "/")));
  const maps: PathMap[] = [];
  for (const copy of copies) {
    const taken = mapsOfCopy(copy, context, known);
    maps.push(...taken);
    for (const { host, server } of taken) {
      const directory = statOf(host)?.isDirectory() ? server : dirname(server);
      for (const each of listFoldersUp(directory, "/")) known.add(each);
    }
  }
  return maps;
}

function mapsOfCopy({ sources, target, isIntoDirectory }: ImageCopy, context: string, known: ReadonlySet<string>) {
  const found = sources.flatMap((source) => expandCopySource(source, context));
  const isInto = isIntoDirectory || found.length > 1 || known.has(target);
  return found.map((path): PathMap => {
    const host = resolveOrKeepPath(path);
    const isFolder = statOf(host)?.isDirectory() === true;
    return { host, server: !isFolder && isInto ? join(target, basename(path)) : target };
  });
}

/** Returns the files and folders of the build context that a source names: the folder itself if all its files match. */
function expandCopySource(source: string, context: string): readonly string[] {
  const path = join("/", source).slice(1).replace(/\/$/, "");
  if (source.startsWith("<<") || /^(?:[a-z+]+:\/\/|git@)/i.test(source)) return [];
  if (!/[*?[]/.test(path)) return statOf(join(context, path)) === undefined ? [] : [join(context, path)];
  const pattern = path.replaceAll(/[(){}!@+]/g, "\\$&");
  const found = globSync(pattern, {
    cwd: context,
    absolute: true,
    dot: true,
    onlyFiles: false,
    expandDirectories: false,
    followSymbolicLinks: true,
  }).map((each) => each.replace(/\/$/, ""));
  const folder = join(context, dirname(path));
  const isWhole =
    !/[*?[]/.test(dirname(path)) &&
    found.length > 1 &&
    found.length === readdirSync(folder).length &&
    found.every((each) => statOf(each)?.isFile());
  return isWhole ? [folder] : found.sort();
}
