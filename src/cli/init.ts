import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { realOrSame } from "../project/file-content.js";
import type { FileAccess } from "../project/files.js";
import { folderAround } from "../project/guessed-root.js";
import { loadProject } from "../project/load.js";
import { partsLast } from "../project/main-file-order.js";
import { realPathOf, statOf } from "../project/main-files.js";
import type { PathMap } from "../project/path-maps.js";
import type { Project } from "../project/project.js";
import { counted } from "../report/painter.js";
import { SETTINGS_FILE } from "../settings/settings.js";
import { type StarterServer, starterText } from "../settings/starter.js";
import { countLines } from "../text/position.js";
import { fromReadable, toReadable } from "../text/source.js";
import { diskFileSystem } from "../writing/file-system.js";
import { lineThatIncludes } from "../writing/include-lines.js";
import { replaceFile } from "../writing/replace.js";
import { exitCodes } from "./exit-codes.js";
import { EXPECTATIONS_FILE } from "./expectations.js";
import { placeInImage } from "./image-maps.js";
import { ofNewFile } from "./known-findings.js";
import { type FoundServer, piecesIn, serversIn, systemServers } from "./layouts.js";
import { chooseMaps } from "./needed-maps.js";
import { readingOptions } from "./options.js";
import { failure, type Outcome } from "./outcome.js";
import { shortPath } from "./settings.js";

export interface InitFlags {
  /** The folder that gets the settings, and what they are about lies in; this one, or this machine, where it is left out. */
  readonly directory?: string | undefined;
  readonly force: boolean;
}

/** Where schemas lie for those who have httpd-lint among the packages of a project. */
const PACKAGED_SCHEMA = "./node_modules/httpd-lint/dist/schemas/settings.schema.json";

/** Writes a first settings file from what is found, and says what that is. */
export function init({ directory, force }: InitFlags): Outcome {
  const asked = resolve(directory ?? ".");
  if (!statOf(asked)?.isDirectory()) return failure(exitCodes.unreadable, `\`${directory}\` is no folder; name one`);
  const folder = realPathOf(asked) ?? asked;
  const path = join(folder, SETTINGS_FILE);
  if (existsSync(path) && !force)
    return failure(exitCodes.usage, `\`${shortPath(path)}\` is there already; --force writes it anew`);
  const inFolder = serversIn(folder);
  const pieces = inFolder.length === 0 ? piecesIn(folder) : [];
  const isElsewhere = directory === undefined && inFolder.length === 0 && pieces.length === 0;
  const servers = withoutParts((isElsewhere ? systemServers("/") : inFolder).map((server) => look(server)));
  if (servers.length === 0 && pieces.length === 0)
    return failure(
      exitCodes.unreadable,
      `no httpd configuration was found in \`${shortPath(folder)}\`; name the folder that holds it`,
    );
  const line = servers
    .map((server) => server.loaded && lineThatIncludes(path, server.loaded, server.access))
    .find(Boolean);
  if (line !== undefined)
    return failure(
      exitCodes.usage,
      `\`${shortPath(path)}\` was not written: ${line} would load it as configuration; name another folder`,
    );
  const text = starterText({
    schema: existsSync(join(folder, PACKAGED_SCHEMA)) ? PACKAGED_SCHEMA : undefined,
    servers: servers.map((server) => settingsOf(server, folder)),
    expectations: existsSync(join(folder, EXPECTATIONS_FILE)) ? EXPECTATIONS_FILE : undefined,
  });
  const failed = replaceFile(path, text, `${path}.${process.pid}.tmp`, ofNewFile(), diskFileSystem);
  if (failed) return failure(exitCodes.unreadable, failed.failed.message);
  const told = servers.length > 0 ? servers.flatMap(wordsOf) : [piecesWords(pieces)];
  const output = [
    ...told,
    `wrote ${shortPath(path)}`,
    "now `httpd-lint` says what is wrong, and each command takes its server from there",
  ];
  return { output: output.map((each) => `${each}\n`), notes: [], exitCode: exitCodes.clean };
}

/** A server that was found, and read. */
interface LookedAt extends FoundServer {
  /** The maps of its image that are written. */
  readonly maps: readonly PathMap[];
  readonly access: FileAccess;
  readonly loaded: Project | undefined;
  /** Why it cannot be read. */
  readonly failed?: string | undefined;
  /** Where relative paths start, where its ServerRoot is not there: a copy of what lies there elsewhere. */
  readonly serverRoot?: string | undefined;
  /** Whether its ServerRoot is here, outside its repository. */
  readonly isOutside?: boolean | undefined;
}

/** Removes servers whose main files others read: these only look like main files. */
function withoutParts(servers: readonly LookedAt[]): readonly LookedAt[] {
  const kept: LookedAt[] = [];
  for (const main of partsLast(servers.map((server) => server.main))) {
    const real = realOrSame(main);
    const isPart = kept.some(({ loaded }) =>
      [...(loaded?.files.values() ?? [])].some((each) => each.source.realPath === real),
    );
    if (!isPart) kept.push(...servers.filter((server) => server.main === main));
  }
  return servers.filter((server) => kept.includes(server));
}

function look(server: FoundServer, serverRoot?: string): LookedAt {
  const { image, main, sysroot } = server;
  const copied = image?.maps ?? [];
  const options = readingOptions({ release: "2.4", sysroot, serverRoot, moreMaps: copied }, main);
  if ("failed" in options) throw new Error(options.failed);
  const { load, access, guess } = options;
  const loaded = loadProject(main, { ...load, kind: "server" });
  if ("failed" in loaded) return { ...server, access, maps: [], loaded: undefined, failed: loaded.failed };
  const { project } = loaded;
  const place = image && placeInImage(main, image);
  // Without a ServerRoot line, the one of the image applies.
  if (place !== undefined && serverRoot === undefined && project.serverRoot === dirname(main))
    return look(server, folderAround(place));
  const maps = chooseMaps(copied, main, project);
  const root = serverRoot ?? guess?.root;
  const isThere = root !== undefined || access.isDirectory(fromReadable(project.serverRoot));
  return isThere
    ? { ...server, access, maps, loaded: project, serverRoot: root, isOutside: guess?.isHere }
    : look(server, folderAround(main));
}

function settingsOf({ main, maps, sysroot, serverRoot }: LookedAt, folder: string): StarterServer {
  const from = (path: string) => {
    const short = relative(folder, path);
    return short.startsWith("..") ? path : short || ".";
  };
  return {
    entry: from(main),
    ...(sysroot === undefined ? {} : { sysroot: from(sysroot) }),
    ...(serverRoot === undefined ? {} : { serverRoot: from(serverRoot) }),
    ...(maps.length === 0
      ? {}
      : { map: Object.fromEntries(firstOfEach(maps).map(({ host, server }) => [from(host), server])) }),
  };
}

/** Returns the first map of each path here: the configuration file has one path on the server for each. */
function firstOfEach(maps: readonly PathMap[]): readonly PathMap[] {
  return maps.filter(({ host }, index) => maps.findIndex((other) => other.host === host) === index);
}

/** Returns the lines about a server that its Dockerfile yields. */
function wordsOfImage({ image, main, maps }: LookedAt): string[] {
  const place = image && placeInImage(main, image);
  if (image === undefined || place === undefined) return [];
  const written = firstOfEach(maps);
  const leftOut = maps.filter((map) => !written.includes(map));
  return [
    `  ${shortPath(image.dockerfile)} copies it to ${place}`,
    ...written
      .filter(({ server }) => server !== place)
      .map(({ host, server }) => `  ${server} is read from ${shortPath(host)}`),
    ...leftOut.map(
      ({ host, server }) => `  ${shortPath(host)} is also copied to ${server}: add --map to have it read there`,
    ),
    ...image.fromStages.map((path) => `  ${path} is copied from another stage or image and is not read`),
  ];
}

/** What was found of a server, a line each. */
function wordsOf(server: LookedAt): string[] {
  const { main, layout, sysroot, serverRoot, isOutside, loaded, failed, image } = server;
  const whose = layout === undefined ? "" : ` (${layout})`;
  const lines = [`found the server ${shortPath(main)}${whose}`];
  lines.push(...wordsOfImage(server));
  if (sysroot !== undefined) lines.push(`  absolute paths are read below ${shortPath(sysroot)}`);
  if (existsSync(join(dirname(main), "envvars")))
    lines.push(`  its environment: ${shortPath(join(dirname(main), "envvars"))}`);
  const isOfImage = serverRoot !== undefined && image !== undefined && !existsSync(serverRoot);
  if (isOfImage) lines.push(`  it has no ServerRoot line; relative paths start in ${serverRoot}, as in the image`);
  else if (serverRoot !== undefined)
    lines.push(
      `  its ServerRoot is ${isOutside ? "outside the repository" : "not here"}; relative paths start in ${shortPath(serverRoot)}`,
    );
  if (loaded === undefined) return [...lines, `  it cannot be read: ${failed}`];
  const sources = [...loaded.files.values()].map(({ source }) => source);
  const count = sources.reduce((sum, source) => sum + countLines(source), 0);
  const htaccess = loaded.htaccess.length;
  lines.push(
    `  it reads ${counted(sources.length, "file")}, ${counted(count, "line")}${htaccess > 0 ? `, among them ${counted(htaccess, ".htaccess file")}` : ""}`,
  );
  if (serverRoot === undefined) lines.push(`  its ServerRoot: ${toReadable(loaded.serverRoot)}`);
  return lines;
}

function piecesWords(pieces: readonly string[]): string {
  return `found no server, but ${counted(pieces.length, "piece")} of configuration: ${pieces.slice(0, 3).map(shortPath).join(", ")}${pieces.length > 3 ? ", …" : ""}`;
}
