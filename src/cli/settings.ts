import { dirname, relative, resolve } from "node:path";
import { defaultRules } from "../../rules/index.js";
import type { Release } from "../directives/directives.js";
import { isWithin } from "../project/confined.js";
import { diskAccess } from "../project/disk.js";
import type { FileAccess } from "../project/files.js";
import { statOf } from "../project/main-files.js";
import { type FragmentContexts, fragmentsIn } from "../settings/fragments.js";
import { mainOf, mapsIn, serverIn } from "../settings/servers.js";
import { findSettings, loadSettings, type ServerSettings, type Settings } from "../settings/settings.js";
import type { Reading } from "../simulate/decision.js";
import { toReadable } from "../text/source.js";
import { leadsOut, outsideConfine } from "./confined-settings.js";
import { exitCodes } from "./exit-codes.js";
import type { ReadingFlags } from "./options.js";
import { failure, type Outcome } from "./outcome.js";

/** The flags that say where settings come from. */
export interface SettingsFlags {
  /** The file that they are in. */
  readonly config?: string | undefined;
  /** None are taken. */
  readonly noConfig?: boolean | undefined;
  /** What is found, rather than named, may name nothing outside this folder. */
  readonly confine?: string | undefined;
}

/** What the user says of how a configuration is read; what is left out the settings may say. */
export type InputFlags = Omit<ReadingFlags, "release" | "moreModules" | "moreMaps" | "bySettings">;

/** The settings that hold in a directory, if any, or why they cannot be taken. */
export function settingsAt(
  { config, noConfig, confine }: SettingsFlags,
  directory: string,
): { readonly settings: Settings | undefined } | { readonly failed: Outcome } {
  if (config !== undefined && noConfig)
    return { failed: failure(exitCodes.usage, "--config and --no-config exclude each other") };
  if (noConfig) return { settings: undefined };
  const loaded =
    config === undefined
      ? findSettings(resolve(directory), accessToFound(confine), defaultRules)
      : loadSettings(resolve(config), diskAccess(), defaultRules);
  if (loaded === undefined) return { settings: undefined };
  const at = "settings" in loaded ? loaded.settings.path : loaded.refused.path;
  if (config === undefined && confine !== undefined && leadsOut(at, confine)) {
    const message = `\`${shortPath(at)}\` is a link that leads out of \`${confine}\`, where reading is confined to (--confine); name the settings with --config where they are your own`;
    return { failed: failure(exitCodes.usage, message) };
  }
  if ("settings" in loaded) {
    const { settings } = loaded;
    const outside = config === undefined && confine !== undefined ? outsideConfine(settings, confine) : undefined;
    return outside === undefined
      ? { settings }
      : { failed: failure(exitCodes.usage, `\`${shortPath(settings.path)}\`: ${outside}`) };
  }
  const { path, mistakes } = loaded.refused;
  const name = shortPath(path);
  const notes = mistakes.map(({ line, column, message }) => `httpd-lint: ${name}:${line}:${column}: ${message}`);
  return { failed: { output: [], notes, exitCode: exitCodes.usage } };
}

/** Reads settings that are found: those in the directory of `--confine` must not be links out of it. */
function accessToFound(confine: string | undefined): Pick<FileAccess, "read"> {
  const disk = diskAccess();
  if (confine === undefined) return disk;
  const confined = diskAccess({ confine });
  const directory = resolve(confine);
  return { read: (path) => (isWithin(toReadable(path), directory) ? confined : disk).read(path) };
}

/** A path as seen from here, where it lies below. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" || short.startsWith("..") ? path : short;
}

/** How a server is read by flags and, where they say nothing, by the settings. */
export function readingBy(
  flags: InputFlags & Pick<ServerChoice, "files" | "config">,
  server: ServerSettings,
  settings: Settings | undefined,
) {
  const replaced = settingNames
    .filter(([, key]) => flags[key] === undefined)
    .map(([flag, , name]) => [flag, name] as const);
  const names = [...replaced, ["--map", "map"] as const];
  return {
    serverRoot: flags.serverRoot ?? server.serverRoot,
    sysroot: flags.sysroot ?? server.sysroot,
    moreMaps: mapsIn(server),
    confine: flags.confine ?? server.confine,
    envvars: flags.envvars ?? server.envvars,
    modules: flags.modules ?? server.modules,
    noModule: flags.noModule ?? server.withoutModules,
    files: flags.files ?? server.files,
    // Of one name the last counts.
    define: [...(server.defines ?? []), ...(flags.define ?? [])],
    bySettings: settings && {
      path: settings.path,
      names: new Map(names),
      ...(flags.config === undefined ? { within: flags.confine } : {}),
    },
  };
}

/** What messages call by the flag, and what the settings call it. */
const settingNames = [
  ["--server-root", "serverRoot", "serverRoot"],
  ["--sysroot", "sysroot", "sysroot"],
  ["--confine", "confine", "confine"],
  ["--envvars", "envvars", "envvars"],
  ["--modules", "modules", "modules"],
  ["--no-module", "noModule", "withoutModules"],
  ["--files", "files", "files"],
] as const;

/** The flags by which commands that are about one server choose it. */
export interface ServerChoice extends InputFlags, SettingsFlags {
  readonly entry?: string | undefined;
  /** The main file of the server. */
  readonly main?: string | undefined;
  readonly stdinFilename?: string | undefined;
  readonly release?: Release | undefined;
  readonly reading?: Reading | undefined;
  readonly files?: string | undefined;
}

/** The one server that a command is about, by flags and settings. */
export type MeantServer = ReturnType<typeof readingBy> & {
  readonly entry: string;
  readonly reading: Reading;
  /** The release that reads it, where a command has it read by one. */
  readonly readBy: Release;
  readonly expectations: string | undefined;
  /** The main files that the configuration file names. */
  readonly mains: readonly string[];
  /** The sections that it names as the context of fragments. */
  readonly fragments: FragmentContexts | undefined;
};

/** Works out which server is meant, or says why none is. */
export function serverMeant(flags: ServerChoice): MeantServer | { readonly failed: Outcome } {
  const found = settingsAt(flags, startOf(flags));
  if ("failed" in found) return found;
  const { settings } = found;
  const entry = flags.entry ?? flags.main ?? onlyEntry(settings);
  if (typeof entry !== "string") return entry;
  const server = serverIn(settings, flags.main ?? (entry === "-" ? flags.stdinFilename : mainOf(entry)));
  return {
    ...readingBy(flags, server, settings),
    entry,
    reading: flags.reading ?? server.reading ?? "server",
    readBy: flags.release ?? server.release ?? "2.4",
    expectations: server.expectations,
    mains: (settings?.servers ?? []).map(({ entry }) => mainOf(entry)),
    fragments: fragmentsIn(settings),
  };
}

/** Where settings are looked for: where the entry is, or here. */
function startOf({ entry, stdinFilename }: ServerChoice): string {
  if (entry === undefined) return ".";
  return entry === "-" ? dirname(stdinFilename ?? ".") : folderOf(entry);
}

/** A folder itself, or the one that a file is in. */
export function folderOf(path: string): string {
  return statOf(path)?.isDirectory() ? path : dirname(path);
}

const entryKinds = "a main file, a virtual host file, a `.htaccess` file, or the folder of a server";

function onlyEntry(settings: Settings | undefined): string | { readonly failed: Outcome } {
  const [server, other] = settings?.servers ?? [];
  if (server !== undefined && other === undefined) return server.entry;
  const why =
    settings === undefined
      ? `name ENTRY: ${entryKinds}; \`httpd-lint init\` writes a \`.httpd-lint.json\` that names it`
      : server === undefined
        ? `name ENTRY: ${entryKinds}; \`${shortPath(settings.path)}\` names no server`
        : `name ENTRY: \`${shortPath(settings.path)}\` names several servers: ${settings.servers.map((each) => `\`${shortPath(each.entry)}\``).join(", ")}`;
  return { failed: failure(exitCodes.usage, why) };
}
