import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readFoundFile, resolveOrKeepPath } from "../../../config/files/file-content.js";
import { isWithin } from "../../../config/files/paths.js";
import { statOf } from "../../../config/main-files.js";
import { nameRelease, type Release, releaseOfImage } from "../../../facts/release.js";
import { toReadable } from "../../../text/source.js";
import { shortenPath } from "../../short-path.js";
import { createImageMaps } from "./docker-images.js";
import { parseDockerfile } from "./dockerfile.js";

/** The release of a server that nobody named, and what it was taken from. */
export interface FoundRelease {
  /** Undefined if a Dockerfile does not say which one it is. */
  readonly release: Release | undefined;
  /** What to tell the user: at most one line. */
  readonly notes: readonly string[];
}

const dockerfileName = /^(?:(?:Dockerfile|Containerfile)(?:\.[^~]*)?|.+\.(?:Dockerfile|Containerfile))$/;
/** Limit of the folders above a main file. */
const MAX_FOLDERS = 12;

/** The release in an image of a Dockerfile. */
interface ImageRelease {
  readonly dockerfile: string;
  readonly image: string;
  readonly release: Release | undefined;
}

/**
 * Returns the release of the httpd in the image for which a configuration is: that of a Dockerfile in its folder, or of one
 * above it, within its repository, that copies it.
 *
 * @param path a main file, another file of a server, or its folder
 * @param confine the directory outside which nothing is read
 * @returns undefined if no Dockerfile has httpd
 */
export function findReleaseOfImage(path: string, confine?: string): FoundRelease | undefined {
  const file = resolveOrKeepPath(resolve(path));
  const folders = listFoldersInRepository(statOf(file)?.isDirectory() ? file : dirname(file), confine);
  for (const [index, folder] of folders.entries()) {
    const contexts = folders.slice(index);
    const found = listDockerfiles(folder).flatMap(
      (dockerfile) => readImage(dockerfile, file, index === 0, contexts, confine) ?? [],
    );
    if (found.length > 0) return chooseRelease(found);
  }
  return undefined;
}

/** Returns a folder, and those above it up to the top of its Git repository; only itself outside of one. */
function listFoldersInRepository(folder: string, confine: string | undefined): readonly string[] {
  const folders: string[] = [];
  const limit = confine === undefined ? undefined : resolveOrKeepPath(resolve(confine));
  for (let at = folder; folders.length < MAX_FOLDERS; at = dirname(at)) {
    if (limit !== undefined && !isWithin(at, limit)) break;
    folders.push(at);
    if (existsSync(join(at, ".git"))) return folders;
    if (dirname(at) === at) break;
  }
  return folders.slice(0, 1);
}

function listDockerfiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => dockerfileName.test(name) && !name.endsWith(".dockerignore"));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Returns the release in the image of a Dockerfile; undefined if the image is not about a configuration, or has no httpd. */
function readImage(
  dockerfile: string,
  file: string,
  isBeside: boolean,
  contexts: readonly string[],
  confine: string | undefined,
): ImageRelease | undefined {
  const content = readFoundFile(dockerfile, confine);
  if (!content.ok) return undefined;
  const files = parseDockerfile(toReadable(content.value.text));
  const { image, packages } = files;
  if (image === undefined) return undefined;
  const copies = () =>
    contexts.some((context) => createImageMaps(files, context).some(({ host }) => isWithin(file, host)));
  if (!isBeside && !copies()) return undefined;
  const release = releaseOfImage(image, packages);
  const hasHttpd = release !== undefined || packages.some((each) => /^(?:apache2|httpd)(?:[=-]|$)/.test(each));
  return hasHttpd ? { dockerfile, image, release } : undefined;
}

function chooseRelease(found: readonly ImageRelease[]): FoundRelease | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  const releases = [...new Set(found.map(({ release }) => release))];
  const from = `\`FROM ${first.image}\` in \`${shortenPath(first.dockerfile)}\``;
  const help = "name another one with --release";
  if (releases.length > 1)
    return {
      release: undefined,
      notes: [
        "httpd-lint: the Dockerfiles beside the configuration have several versions of httpd; name one with --release",
      ],
    };
  const { release } = first;
  if (release === undefined)
    return {
      release,
      notes: [`httpd-lint: the version of the httpd in ${from} is not known, so the newest one is assumed; ${help}`],
    };
  if (release === "2.4") return { release, notes: [] };
  return {
    release,
    notes: [`httpd-lint: the configuration is read as ${nameRelease(release)}, from ${from}; ${help}`],
  };
}
