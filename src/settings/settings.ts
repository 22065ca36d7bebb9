import { dirname, isAbsolute, join, resolve } from "node:path";
import type { FileAccess } from "../project/files.js";
import { fromReadable, toReadable } from "../text/source.js";
import type { Mistake } from "./mistakes.js";
import { readSettings } from "./read.js";
import type { Level, NamedRule, WrittenSettings } from "./shape.js";

/** The name of a project's settings file. */
export const SETTINGS_FILE = ".httpd-lint.json";

/** What is set of a server; paths are absolute. */
export type ServerSettings = Partial<NonNullable<WrittenSettings["servers"]>[number]>;

/** Findings that are not shown: globs, relative to the settings' folder, and the rules; where these are absent, all. */
export type PathIgnore = NonNullable<WrittenSettings["ignores"]>[number];

/** The sections that some files are included in. */
export type WrittenFragments = NonNullable<WrittenSettings["fragments"]>[number];

/** The settings of a project, as they are meant. */
export interface Settings {
  /** The file that they come from, and its folder. */
  readonly path: string;
  readonly directory: string;
  /** What is so of every server, also of those that the settings do not name. */
  readonly common: ServerSettings;
  /** The servers that they name, each with all that is set of it. */
  readonly servers: readonly (ServerSettings & { readonly entry: string })[];
  /** By rule. */
  readonly rules: ReadonlyMap<string, Level>;
  readonly ignores: readonly PathIgnore[];
  readonly fragments: readonly WrittenFragments[];
  readonly baseline: string | undefined;
  /** Where what is found is kept from run to run. */
  readonly cache: string | undefined;
}

/** A settings file that cannot be taken: all that is wrong with it. */
export interface RefusedSettings {
  readonly path: string;
  readonly mistakes: readonly Mistake[];
}

export type LoadedSettings = { readonly settings: Settings } | { readonly refused: RefusedSettings };

/**
 * The settings that hold in a directory: the nearest file of that name, there or upwards.
 *
 * @param directory absolute
 * @param rules all there are
 * @returns undefined where there is none
 */
export function findSettings(
  directory: string,
  access: Pick<FileAccess, "read">,
  rules: readonly NamedRule[],
): LoadedSettings | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const path = join(folder, SETTINGS_FILE);
    const content = access.read(fromReadable(path));
    if ("text" in content) return settingsOf(path, toReadable(content.text), rules);
    const isThere = content.isAbsent !== true && content.system !== "Not a directory";
    if (isThere) return { refused: unreadable(path, content.failed) };
    if (dirname(folder) === folder) return undefined;
  }
}

/** The settings in a file that is named. */
export function loadSettings(
  path: string,
  access: Pick<FileAccess, "read">,
  rules: readonly NamedRule[],
): LoadedSettings {
  const content = access.read(fromReadable(path));
  return "text" in content
    ? settingsOf(path, toReadable(content.text), rules)
    : { refused: unreadable(path, content.failed) };
}

function unreadable(path: string, why: string): RefusedSettings {
  return { path, mistakes: [{ message: `the settings cannot be read: ${why}`, line: 1, column: 1 }] };
}

function settingsOf(path: string, text: string, rules: readonly NamedRule[]): LoadedSettings {
  const read = readSettings(text, rules);
  if ("mistakes" in read) return { refused: { path, mistakes: read.mistakes } };
  return { settings: meant(path, read.written) };
}

/** What is written, with paths absolute and each server complete. */
function meant(
  path: string,
  { $schema, servers, entry, rules, ignores, fragments, baseline, cache, ...top }: WrittenSettings,
): Settings {
  const directory = dirname(path);
  const common = inDirectory(directory, top);
  const named = servers ?? (entry === undefined ? [] : [{ entry }]);
  return {
    path,
    directory,
    common,
    servers: named.map((server) => {
      return { ...common, ...inDirectory(directory, server), entry: resolve(directory, server.entry) };
    }),
    rules: new Map(Object.entries(rules ?? {}).flatMap(([id, level]) => (level === undefined ? [] : [[id, level]]))),
    ignores: ignores ?? [],
    fragments: fragments ?? [],
    baseline: baseline === undefined ? undefined : resolve(directory, baseline),
    cache: cache === undefined ? undefined : resolve(directory, cache),
  };
}

const pathKeys = ["entry", "serverRoot", "sysroot", "confine", "envvars", "expectations"] as const;

function inDirectory(directory: string, written: ServerSettings): ServerSettings {
  const paths = pathKeys.flatMap((key) => {
    const path = written[key];
    return path === undefined || isAbsolute(path) ? [] : [[key, resolve(directory, path)] as const];
  });
  const { files, map } = written;
  const isList = files !== undefined && files !== "disk" && files !== "assume";
  return {
    ...written,
    ...Object.fromEntries(paths),
    ...(isList ? { files: resolve(directory, files) } : {}),
    ...(map === undefined ? {} : { map: mapIn(directory, map) }),
  };
}

function mapIn(directory: string, map: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).map(([host, server]) => [resolve(directory, host), server]));
}
