import { dirname, resolve } from "node:path";
import { allRules } from "../../../../rules/index.js";
import { diskAccess } from "../../../config/files/disk.js";
import { findKernelPath } from "../../../config/files/kernel-files.js";
import { isWithin } from "../../../config/files/paths.js";
import { statOf } from "../../../config/main-files.js";
import type { Release } from "../../../facts/release.js";
import type { Semantics } from "../../../server/model/answer.js";
import type { Result } from "../../../text/result.js";
import { toReadable } from "../../../text/source.js";
import type { SettingsAccess } from "../../settings/layers.js";
import {
  type FragmentContexts,
  findSettings,
  fragmentContextsOf,
  loadSettings,
  mainFileOfEntry,
  pathMapsOf,
  type ServerSettings,
  type Settings,
  serverSettingsOf,
} from "../../settings/settings.js";
import { shortenPath } from "../../short-path.js";
import { type CommandResult, exitCodes, failWith } from "../output/command-result.js";
import { findPathOutsideConfine, isLinkOutOfConfine } from "./confined-paths.js";
import { findReleaseOfImage } from "./image-release.js";
import { type ReadingFlags, readNamedModules } from "./reading-options.js";

/** The flags that select the configuration file. */
export interface SettingsFlags {
  /** The configuration file. */
  readonly config?: string | undefined;
  /** Whether configuration files are ignored. */
  readonly noConfig?: boolean | undefined;
  /** The folder to which the paths in a found, rather than named, configuration file are confined. */
  readonly confine?: string | undefined;
}

/** The read options given by the user; the configuration file may supply those omitted. */
export type InputFlags = Omit<ReadingFlags, "release" | "moreModules" | "moreMaps" | "bySettings">;

/** Returns the configuration file that applies in a directory, if any, or the reason why it is invalid. */
export function loadSettingsAt(
  { config, noConfig, confine }: SettingsFlags,
  directory: string,
): Result<Settings | undefined, CommandResult> {
  if (config !== undefined && noConfig)
    return failWith(exitCodes.usage, "--config and --no-config cannot be used together");
  if (noConfig) return { ok: true, value: undefined };
  const loaded =
    config === undefined
      ? findSettings(resolve(directory), createSettingsAccess(confine), allRules)
      : loadSettings(resolve(config), diskAccess(), allRules);
  if (loaded === undefined) return { ok: true, value: undefined };
  const at = loaded.ok ? loaded.value.path : loaded.error.path;
  if (config === undefined && confine !== undefined && isLinkOutOfConfine(at, confine)) {
    const message = `\`${shortenPath(at)}\` is a link to a file outside \`${confine}\` (--confine); if you trust it, name it with --config`;
    return failWith(exitCodes.usage, message);
  }
  if (loaded.ok) {
    const settings = loaded.value;
    const outside =
      config === undefined && confine !== undefined ? findPathOutsideConfine(settings, confine) : undefined;
    return outside === undefined
      ? { ok: true, value: settings }
      : failWith(exitCodes.usage, `\`${shortenPath(settings.path)}\`: ${outside}`);
  }
  const { path, mistakes, chain } = loaded.error;
  const name = shortenPath(path);
  const notes = mistakes.map(({ line, column, message }) => `httpd-lint: ${name}:${line}:${column}: ${message}`);
  const error = { output: [], notes: [...notes, ...describeChain(chain)], exitCode: exitCodes.usage };
  return { ok: false, error: { ...error, read: chain } };
}

/** Returns a note on how a configuration file extends another one. */
function describeChain(chain: readonly string[]): readonly string[] {
  const [first = "", next, ...others] = chain.map((path) => `\`${shortenPath(path)}\``);
  if (next === undefined) return [];
  return [`httpd-lint: ${first} extends ${[next, ...others].join(", which extends ")}`];
}

/**
 * Returns the access to found configuration files: those in the directory of `--confine` must not be links out of it, and
 * must not extend files outside.
 */
function createSettingsAccess(confine: string | undefined): SettingsAccess {
  const disk = diskAccess();
  if (confine === undefined) return disk;
  const confined = diskAccess({ confine });
  const directory = resolve(confine);
  return {
    read: (path) => (isWithin(toReadable(path), directory) ? confined : disk).read(path),
    readBase: (path) => confined.read(path),
  };
}

/** Maximum number of files named in a message. */
const MAX_SHOWN_FILES = 3;

/** Returns the first paths, and the number of the others. */
export function formatSomePaths(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_SHOWN_FILES).map((path) => `\`${shortenPath(path)}\``);
  const more = paths.length - named.length;
  return more > 0 ? `${named.join(", ")} (${more} more)` : named.join(", ");
}

/** Combines flags with the configuration file's options for a server; flags take precedence. */
export function mergeReadingFlags(
  flags: InputFlags & Pick<ServerChoice, "files" | "config">,
  server: ServerSettings,
  settings: Settings | undefined,
) {
  const replaced = settingNames
    .filter(([, key]) => flags[key] === undefined)
    .map(([flag, , name]) => [flag, name] as const);
  const names = [...replaced, ["--map", "map"] as const].map(([flag, name]) => {
    const [path = settings?.path ?? ""] = server.origins?.get(name) ?? [];
    return [flag, { name, path }] as const;
  });
  const modules = readNamedModules(flags.modules);
  const withoutModules = [...(flags.noModule ?? server.withoutModules ?? []), ...modules.removed];
  return {
    serverRoot: flags.serverRoot ?? server.serverRoot,
    sysroot: flags.sysroot ?? server.sysroot,
    moreMaps: pathMapsOf(server),
    confine: flags.confine ?? server.confine,
    envvars: flags.envvars ?? server.envvars,
    modules: modules.loaded ?? server.modules,
    moreModules: modules.added.length > 0 ? modules.added : undefined,
    noModule: withoutModules.length > 0 ? withoutModules : undefined,
    files: flags.files ?? server.files,
    // For each name, the last definition counts.
    define: [...(server.defines ?? []), ...(flags.define ?? [])],
    bySettings: settings && {
      names: new Map(names),
      ...(flags.config === undefined ? { within: flags.confine } : {}),
    },
  };
}

/** Flag names, and the corresponding option names in the configuration file. */
const settingNames = [
  ["--server-root", "serverRoot", "serverRoot"],
  ["--sysroot", "sysroot", "sysroot"],
  ["--confine", "confine", "confine"],
  ["--envvars", "envvars", "envvars"],
  ["--modules", "modules", "modules"],
  ["--no-module", "noModule", "withoutModules"],
  ["--files", "files", "files"],
] as const;

/** The flags that select a server for commands about one server. */
export interface ServerChoice extends InputFlags, SettingsFlags {
  readonly entry?: string | undefined;
  /** Main file of the server. */
  readonly main?: string | undefined;
  readonly stdinFilename?: string | undefined;
  readonly release?: Release | undefined;
  readonly reading?: Semantics | undefined;
  readonly files?: string | undefined;
}

/** The server that flags and configuration file select. */
export type ChosenServer = ReturnType<typeof mergeReadingFlags> & {
  readonly entry: string;
  readonly reading: Semantics;
  /** The release under which it is read, if the command uses a single release. */
  readonly effectiveRelease: Release;
  /** What to tell about it if nobody named it. */
  readonly releaseNotes: readonly string[];
  readonly expectations: string | undefined;
  /** The main files that the configuration file names. */
  readonly mainFiles: readonly string[];
  /** The sections that it names as the context of fragments. */
  readonly fragments: FragmentContexts | undefined;
  /** The configuration file, if there is one. */
  readonly settings: Settings | undefined;
};

/** Determines the selected server, or returns the reason why there is none. */
export function chooseServer(flags: ServerChoice): Result<ChosenServer, CommandResult> {
  const found = loadSettingsAt(flags, settingsStartOf(flags));
  if (!found.ok) return found;
  const settings = found.value;
  const given = flags.entry ?? flags.main;
  const chosen: Result<string, CommandResult> =
    given === undefined ? findOnlyEntry(settings) : { ok: true, value: given };
  if (!chosen.ok) return chosen;
  const entry = chosen.value;
  const server = serverSettingsOf(
    settings,
    flags.main ?? (entry === "-" ? flags.stdinFilename : mainFileOfEntry(entry)),
  );
  const merged = mergeReadingFlags(flags, server, settings);
  const { release, notes } = chooseRelease(flags.release ?? server.release, entry, merged.confine);
  return {
    ok: true,
    value: {
      ...merged,
      entry,
      reading: flags.reading ?? server.reading ?? "server",
      effectiveRelease: release,
      releaseNotes: notes,
      expectations: server.expectations,
      mainFiles: (settings?.servers ?? []).map(({ entry }) => mainFileOfEntry(entry)),
      fragments: fragmentContextsOf(settings),
      settings,
    },
  };
}

/**
 * Returns the release under which a configuration is read: the one that was named, or else that of the image it is for, or else
 * the newest one.
 *
 * @param path a main file, another file or a folder of the server; undefined for standard input
 */
export function chooseRelease(
  named: Release | undefined,
  path: string | undefined,
  confine: string | undefined,
): { readonly release: Release; readonly notes: readonly string[]; readonly isOfImage: boolean } {
  const isOnDisk = path !== undefined && path !== "-" && findKernelPath(resolve(path)) === undefined;
  const found = named === undefined && isOnDisk ? findReleaseOfImage(path, confine) : undefined;
  const isOfImage = found?.release !== undefined;
  return { release: named ?? found?.release ?? "2.4", notes: found?.notes ?? [], isOfImage };
}

/** Returns a server that is read under the release chosen for it, with what to tell about that. */
export function withChosenRelease<Server extends ChosenServer>(server: Server) {
  return { ...server, release: server.effectiveRelease, notesOnRelease: server.releaseNotes };
}

/** Returns the start of the search for a configuration file: the entry's folder, or the working directory. */
function settingsStartOf({ entry, stdinFilename }: ServerChoice): string {
  if (entry === undefined) return ".";
  return entry === "-" ? dirname(stdinFilename ?? ".") : enclosingFolderOf(entry);
}

/** Returns the folder itself, or the one that contains a file. A pipe such as `/dev/fd/63` is in the working directory. */
export function enclosingFolderOf(path: string): string {
  if (findKernelPath(resolve(path)) !== undefined) return ".";
  return statOf(path)?.isDirectory() ? path : dirname(path);
}

const entryKinds = "a main file, a virtual host file, a `.htaccess` file, or the directory of a server";

function findOnlyEntry(settings: Settings | undefined): Result<string, CommandResult> {
  const [server, other] = settings?.servers ?? [];
  if (server !== undefined && other === undefined) return { ok: true, value: server.entry };
  const why =
    settings === undefined
      ? `ENTRY is missing: expected ${entryKinds}; \`httpd-lint init\` writes a \`.httpd-lint.json\` that names it`
      : server === undefined
        ? `ENTRY is missing: expected ${entryKinds}; \`${shortenPath(settings.path)}\` does not name a server`
        : `ENTRY is missing: \`${shortenPath(settings.path)}\` names several servers: ${settings.servers.map((each) => `\`${shortenPath(each.entry)}\``).join(", ")}`;
  return failWith(exitCodes.usage, why);
}
