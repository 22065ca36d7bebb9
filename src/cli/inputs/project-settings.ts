import { dirname, relative, resolve } from "node:path";
import { defaultRules } from "../../../rules/index.js";
import type { Release } from "../../directives/directives.js";
import { realPathOf, statOf } from "../../project/discovery/main-files.js";
import { isWithin } from "../../project/files/confinement.js";
import { diskAccess } from "../../project/files/disk.js";
import type { FileAccess } from "../../project/files/file-access.js";
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
import type { Reading } from "../../simulate/model/decision.js";
import { toReadable } from "../../text/source.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import type { ReadingFlags } from "./reading-options.js";

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
export function loadSettingsAt(
  { config, noConfig, confine }: SettingsFlags,
  directory: string,
): { readonly settings: Settings | undefined } | { readonly failed: CommandResult } {
  if (config !== undefined && noConfig)
    return { failed: createFailure(exitCodes.usage, "--config and --no-config exclude each other") };
  if (noConfig) return { settings: undefined };
  const loaded =
    config === undefined
      ? findSettings(resolve(directory), createSettingsAccess(confine), defaultRules)
      : loadSettings(resolve(config), diskAccess(), defaultRules);
  if (loaded === undefined) return { settings: undefined };
  const at = "settings" in loaded ? loaded.settings.path : loaded.refused.path;
  if (config === undefined && confine !== undefined && isLinkOutOfConfine(at, confine)) {
    const message = `\`${shortenPath(at)}\` is a link that leads out of \`${confine}\`, where reading is confined to (--confine); name the settings with --config where they are your own`;
    return { failed: createFailure(exitCodes.usage, message) };
  }
  if ("settings" in loaded) {
    const { settings } = loaded;
    const outside =
      config === undefined && confine !== undefined ? findPathOutsideConfine(settings, confine) : undefined;
    return outside === undefined
      ? { settings }
      : { failed: createFailure(exitCodes.usage, `\`${shortenPath(settings.path)}\`: ${outside}`) };
  }
  const { path, mistakes } = loaded.refused;
  const name = shortenPath(path);
  const notes = mistakes.map(({ line, column, message }) => `httpd-lint: ${name}:${line}:${column}: ${message}`);
  return { failed: { output: [], notes, exitCode: exitCodes.usage } };
}

/** Reads settings that are found: those in the directory of `--confine` must not be links out of it. */
function createSettingsAccess(confine: string | undefined): Pick<FileAccess, "read"> {
  const disk = diskAccess();
  if (confine === undefined) return disk;
  const confined = diskAccess({ confine });
  const directory = resolve(confine);
  return { read: (path) => (isWithin(toReadable(path), directory) ? confined : disk).read(path) };
}

/** A path as seen from here, where it lies below. */
export function shortenPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" || short.startsWith("..") ? path : short;
}

/** How a server is read by flags and, where they say nothing, by the settings. */
export function mergeReadingFlags(
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
    moreMaps: pathMapsOf(server),
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
export type ChosenServer = ReturnType<typeof mergeReadingFlags> & {
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
export function chooseServer(flags: ServerChoice): ChosenServer | { readonly failed: CommandResult } {
  const found = loadSettingsAt(flags, settingsStartOf(flags));
  if ("failed" in found) return found;
  const { settings } = found;
  const entry = flags.entry ?? flags.main ?? findOnlyEntry(settings);
  if (typeof entry !== "string") return entry;
  const server = serverSettingsOf(
    settings,
    flags.main ?? (entry === "-" ? flags.stdinFilename : mainFileOfEntry(entry)),
  );
  return {
    ...mergeReadingFlags(flags, server, settings),
    entry,
    reading: flags.reading ?? server.reading ?? "server",
    readBy: flags.release ?? server.release ?? "2.4",
    expectations: server.expectations,
    mains: (settings?.servers ?? []).map(({ entry }) => mainFileOfEntry(entry)),
    fragments: fragmentContextsOf(settings),
  };
}

/** Where settings are looked for: where the entry is, or here. */
function settingsStartOf({ entry, stdinFilename }: ServerChoice): string {
  if (entry === undefined) return ".";
  return entry === "-" ? dirname(stdinFilename ?? ".") : enclosingFolderOf(entry);
}

/** A folder itself, or the one that a file is in. */
export function enclosingFolderOf(path: string): string {
  return statOf(path)?.isDirectory() ? path : dirname(path);
}

const entryKinds = "a main file, a virtual host file, a `.htaccess` file, or the folder of a server";

function findOnlyEntry(settings: Settings | undefined): string | { readonly failed: CommandResult } {
  const [server, other] = settings?.servers ?? [];
  if (server !== undefined && other === undefined) return server.entry;
  const why =
    settings === undefined
      ? `name ENTRY: ${entryKinds}; \`httpd-lint init\` writes a \`.httpd-lint.json\` that names it`
      : server === undefined
        ? `name ENTRY: ${entryKinds}; \`${shortenPath(settings.path)}\` names no server`
        : `name ENTRY: \`${shortenPath(settings.path)}\` names several servers: ${settings.servers.map((each) => `\`${shortenPath(each.entry)}\``).join(", ")}`;
  return { failed: createFailure(exitCodes.usage, why) };
}

/** A file that settings name, and what they call it. */
interface NamedFile {
  readonly name: string;
  readonly path: string;
}

/**
 * What settings name that lies elsewhere than `--confine` allows, links resolved: who may change them, as by a pull request, is not to
 * have other files read or written by that.
 *
 * @param confine as the flag names it
 * @returns in words; undefined where there is none
 */
function findPathOutsideConfine(settings: Settings, confine: string): string | undefined {
  const folder = resolveExistingPart(resolve(confine));
  const outside = listNamedFiles(settings).find(({ path }) => !isWithin(resolveExistingPart(path), folder));
  if (outside === undefined) return undefined;
  return `\`${outside.name}\` names \`${outside.path}\`, which lies outside \`${confine}\`, where reading is confined to (--confine); name it with a flag, or the settings with --config where they are your own`;
}

/** Whether a file in the folder of `--confine` is a link that leads out of it. @param path absolute */
function isLinkOutOfConfine(path: string, confine: string): boolean {
  return (
    isWithin(path, resolve(confine)) && !isWithin(resolveExistingPart(path), resolveExistingPart(resolve(confine)))
  );
}

/** What is read beside the configuration itself, and what is written. */
function listNamedFiles({ common, servers, baseline, cache }: Settings): readonly NamedFile[] {
  const ofServer = ({ envvars, expectations, files }: ServerSettings) => [
    ...nameIfSet("envvars", envvars),
    ...nameIfSet("expectations", expectations),
    ...nameIfSet("files", files === "disk" || files === "assume" ? undefined : files),
  ];
  return [
    ...nameIfSet("baseline", baseline),
    ...nameIfSet("cache", cache),
    ...ofServer(common),
    ...servers.flatMap((server) => [{ name: "entry", path: server.entry }, ...ofServer(server)]),
  ];
}

function nameIfSet(name: string, path: string | undefined): NamedFile[] {
  return path === undefined ? [] : [{ name, path }];
}

/** Where a path leads, there or not: links of what there is of it are resolved. */
function resolveExistingPart(path: string): string {
  for (let there = path; ; there = dirname(there)) {
    const real = realPathOf(there);
    if (real !== undefined) return resolve(real, relative(there, path));
    if (dirname(there) === there) return path;
  }
}
