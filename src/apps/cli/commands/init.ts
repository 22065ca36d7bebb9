import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { FileAccess } from "../../../config/files/file-access.js";
import { resolveOrKeepPath } from "../../../config/files/file-content.js";
import type { PathMap } from "../../../config/files/path-maps.js";
import { realPathOf, sortPartsLast, statOf } from "../../../config/main-files.js";
import type { ReadConfig } from "../../../config/model/project.js";
import { readEntry } from "../../../config/read-entry.js";
import { replacementRootOf, serverRootAround } from "../../../config/server-root.js";
import type { Result } from "../../../text/result.js";
import { countLines, fromReadable, toReadable } from "../../../text/source.js";
import { formatCount } from "../../../text/words.js";
import { replaceFile } from "../../file-changes/atomic-write.js";
import { diskFileSystem } from "../../file-changes/file-system.js";
import { findLineIncluding } from "../../file-changes/include-lines.js";
import { findSettingsSchemaUrl } from "../../package-files.js";
import { SETTINGS_FILE } from "../../settings/settings.js";
import { renderStarterSettings, type StarterServer } from "../../settings/starter.js";
import { shortenPath } from "../../short-path.js";
import { createFileAttributes } from "../check/baseline.js";
import { pathInImage } from "../inputs/docker-images.js";
import { EXPECTATIONS_FILE } from "../inputs/expectations.js";
import { switchFlag } from "../inputs/flags.js";
import { createReadingOptions } from "../inputs/reading-options.js";
import {
  chooseMaps,
  type DiscoveredServer,
  discoverFragments,
  discoverServers,
  discoverSystemServers,
} from "../inputs/server-discovery.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { defineCommand } from "./command.js";

interface InitFlags {
  /**
   * The folder for the configuration file, and the folder that it covers. If omitted, the current folder, or this
   * machine.
   */
  readonly directory?: string | undefined;
  readonly force: boolean;
}

export const initCommand = defineCommand({
  describe: "Write a configuration file for the servers found",
  arguments: {
    directory: { type: "string", describe: "Directory of the project (default: . or this machine)" },
  },
  flags: { force: switchFlag("Changes", "Replace an existing configuration file") },
  handler: (flags) => runInit(flags),
});

/** Path of the schema in projects that have httpd-lint as a package. */
const PACKAGED_SCHEMA = "./node_modules/httpd-lint/dist/schemas/settings.schema.json";

/** Writes an initial configuration file for the servers found, and reports them. */
function runInit({ directory, force }: InitFlags): CommandResult {
  const requested = resolve(directory ?? ".");
  if (!statOf(requested)?.isDirectory())
    return createFailure(exitCodes.unreadable, `\`${directory}\` is not a directory; name one`);
  const folder = realPathOf(requested) ?? requested;
  const path = join(folder, SETTINGS_FILE);
  if (existsSync(path) && !force)
    return createFailure(exitCodes.usage, `\`${shortenPath(path)}\` exists already; --force replaces it`);
  const inFolder = discoverServers(folder);
  const pieces = inFolder.length === 0 ? discoverFragments(folder) : [];
  const isElsewhere = directory === undefined && inFolder.length === 0 && pieces.length === 0;
  const servers = dropIncludedServers(
    (isElsewhere ? discoverSystemServers("/") : inFolder).map((server) => inspectServer(server)),
  );
  if (servers.length === 0 && pieces.length === 0)
    return createFailure(
      exitCodes.unreadable,
      `no httpd configuration was found in \`${shortenPath(folder)}\`; name its directory`,
    );
  const line = servers
    .map((server) => (server.loaded.ok ? findLineIncluding(path, server.loaded.value, server.access) : undefined))
    .find(Boolean);
  if (line !== undefined)
    return createFailure(
      exitCodes.usage,
      `\`${shortenPath(path)}\` was not written: ${line} would load it as configuration; name another directory`,
    );
  const text = renderStarterSettings({
    schema: existsSync(join(folder, PACKAGED_SCHEMA)) ? PACKAGED_SCHEMA : findSettingsSchemaUrl(),
    servers: servers.map((server) => createServerSettings(server, folder)),
    expectations: existsSync(join(folder, EXPECTATIONS_FILE)) ? EXPECTATIONS_FILE : undefined,
  });
  const failed = replaceFile(path, text, `${path}.${process.pid}.tmp`, createFileAttributes(), diskFileSystem);
  if (failed) return createFailure(exitCodes.unreadable, failed.message);
  const summary = servers.length > 0 ? servers.flatMap(describeServer) : [describeFragments(pieces)];
  const output = [
    ...summary,
    `wrote ${shortenPath(path)}`,
    servers.length > 0
      ? "run `httpd-lint` to report problems; you can omit ENTRY in all commands"
      : "run `httpd-lint` to report problems; commands that need a server take one of these files as ENTRY",
  ];
  return { output: output.map((each) => `${each}\n`), notes: [], exitCode: exitCodes.clean };
}

/** A server that was found and read. */
interface InspectedServer extends DiscoveredServer {
  /** The image's path maps to write. */
  readonly maps: readonly PathMap[];
  readonly access: FileAccess;
  /** Its configuration, or the reason why it cannot be read. */
  readonly loaded: Result<ReadConfig, string>;
  /** The directory for relative paths if its ServerRoot does not exist here: a copy of that directory. */
  readonly serverRoot?: string | undefined;
  /** Whether its ServerRoot is here, outside its repository. */
  readonly isOutside?: boolean | undefined;
}

/** Removes servers whose main files others read: these only look like main files. */
function dropIncludedServers(servers: readonly InspectedServer[]): readonly InspectedServer[] {
  const kept: InspectedServer[] = [];
  for (const main of sortPartsLast(servers.map((server) => server.main))) {
    const real = resolveOrKeepPath(main);
    const isPart = kept.some(
      ({ loaded }) => loaded.ok && [...loaded.value.files.values()].some((each) => each.source.realPath === real),
    );
    if (!isPart) kept.push(...servers.filter((server) => server.main === main));
  }
  return servers.filter((server) => kept.includes(server));
}

function inspectServer(server: DiscoveredServer, serverRoot?: string): InspectedServer {
  const { image, main, sysroot } = server;
  const copied = image?.maps ?? [];
  const options = createReadingOptions({ release: "2.4", sysroot, serverRoot, moreMaps: copied }, main);
  if (!options.ok) throw new Error(options.error);
  const { load, access, guess } = options.value;
  const loaded = readEntry(main, { ...load, kind: "server" });
  if (!loaded.ok) return { ...server, access, maps: [], loaded };
  const config = loaded.value;
  const place = image && pathInImage(main, image);
  // Without a ServerRoot line, the one of the image applies.
  if (place !== undefined && serverRoot === undefined && config.serverRoot === dirname(main))
    return inspectServer(server, serverRootAround(place));
  const maps = [...chooseMaps(copied, main, config), ...(guess?.part ? [guess.part] : [])];
  const root = serverRoot ?? replacementRootOf(guess);
  const rootExists = root !== undefined || access.isDirectory(fromReadable(config.serverRoot));
  return rootExists
    ? { ...server, sysroot: options.value.sysroot, access, maps, loaded, serverRoot: root, isOutside: guess?.isHere }
    : inspectServer(server, serverRootAround(main));
}

function createServerSettings({ main, maps, sysroot, serverRoot }: InspectedServer, folder: string): StarterServer {
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

/** Returns the first map of each local path: the configuration file allows one server path for each. */
function firstOfEach(maps: readonly PathMap[]): readonly PathMap[] {
  return maps.filter(({ host }, index) => maps.findIndex((other) => other.host === host) === index);
}

/** Returns the configuration lines for a server that follow from its Dockerfile. */
function describeImage({ image, main, maps }: InspectedServer): string[] {
  const place = image && pathInImage(main, image);
  if (image === undefined || place === undefined) return [];
  const written = firstOfEach(maps);
  const omitted = maps.filter((map) => !written.includes(map));
  return [
    `  ${shortenPath(image.dockerfile)} copies it to ${place}`,
    ...written.filter(({ server }) => server !== place).map(describeMap),
    ...omitted.map(
      ({ host, server }) => `  ${shortenPath(host)} is also copied to ${server}: add --map to have it read there`,
    ),
    ...image.fromStages.map((path) => `  ${path} is copied from another stage or image and is not read`),
  ];
}

function describeMap({ host, server }: PathMap): string {
  return `  ${server} is read from ${shortenPath(host)}`;
}

/** Returns the facts found about a server, one per line. */
function describeServer(server: InspectedServer): string[] {
  const { main, layout, sysroot, serverRoot, isOutside, loaded, image, maps } = server;
  const whose = layout === undefined ? "" : ` (${layout})`;
  const lines = [`found the server ${shortenPath(main)}${whose}`];
  lines.push(...(image ? describeImage(server) : maps.map(describeMap)));
  if (sysroot !== undefined) lines.push(`  absolute paths are read below ${shortenPath(sysroot)}`);
  if (existsSync(join(dirname(main), "envvars")))
    lines.push(`  its environment: ${shortenPath(join(dirname(main), "envvars"))}`);
  const isOfImage = serverRoot !== undefined && image !== undefined && !existsSync(serverRoot);
  if (isOfImage) lines.push(`  it has no ServerRoot line; relative paths start in ${serverRoot}, as in the image`);
  else if (serverRoot !== undefined)
    lines.push(
      `  its ServerRoot ${isOutside ? "is outside the repository" : "does not exist here"}; relative paths start in ${shortenPath(serverRoot)}`,
    );
  if (!loaded.ok) return [...lines, `  it cannot be read: ${loaded.error}`];
  const config = loaded.value;
  const sources = [...config.files.values()].map(({ source }) => source);
  const count = sources.reduce((sum, source) => sum + countLines(source), 0);
  const htaccess = config.htaccess.length;
  lines.push(
    `  it reads ${formatCount(sources.length, "file")}, ${formatCount(count, "line")}${htaccess > 0 ? `, among them ${formatCount(htaccess, ".htaccess file")}` : ""}`,
  );
  if (serverRoot === undefined) lines.push(`  its ServerRoot: ${toReadable(config.serverRoot)}`);
  return lines;
}

function describeFragments(pieces: readonly string[]): string {
  return `found no server, but ${formatCount(pieces.length, "fragment")}: ${pieces.slice(0, 3).map(shortenPath).join(", ")}${pieces.length > 3 ? ", …" : ""}`;
}
