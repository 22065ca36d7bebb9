import { dirname, isAbsolute, join, resolve } from "node:path";
import type { FileAccess } from "../../config/files/file-access.js";
import type { PathMap } from "../../config/files/path-maps.js";
import { MainFileFinder } from "../../config/main-file-finder.js";
import { findMainFile, realPathOf, statOf } from "../../config/main-files.js";
import { expandRuleNames } from "../../lint/rule-groups.js";
import type { Result } from "../../text/result.js";
import { fromReadable, toReadable } from "../../text/source.js";
import type { SettingsMistake } from "./mistakes.js";
import { readSettings } from "./read.js";
import type { NamedRule, RuleLevel, SettingsDocument } from "./shape.js";

/** Name of a project's configuration file. */
export const SETTINGS_FILE = ".httpd-lint.json";

/** The settings of one server, with absolute paths. */
export type ServerSettings = Partial<NonNullable<SettingsDocument["servers"]>[number]>;

/** Findings to suppress: globs relative to the folder of the configuration file, and rules; without rules, all. */
export type PathIgnore = NonNullable<SettingsDocument["ignores"]>[number];

/** The sections that some files are included in. */
export type FragmentSettings = NonNullable<SettingsDocument["fragments"]>[number];

/** The resolved configuration of a project. */
export interface Settings {
  /** The configuration file and its folder. */
  readonly path: string;
  readonly directory: string;
  /** Settings of every server, including servers that the file does not name. */
  readonly common: ServerSettings;
  /** The servers in the file, each with all its settings. */
  readonly servers: readonly (ServerSettings & { readonly entry: string })[];
  /** Severities by the id of the rule, and of each of its variants. */
  readonly rules: ReadonlyMap<string, RuleLevel>;
  /** The ids of the rules and variants that run in addition to the default ones. */
  readonly extendSelect: ReadonlySet<string>;
  readonly ignores: readonly PathIgnore[];
  readonly fragments: readonly FragmentSettings[];
  /** Patterns of paths that a search leaves out, relative to the folder of the configuration file; instead of the defaults. */
  readonly exclude: readonly string[] | undefined;
  /** Further ones. */
  readonly extendExclude: readonly string[];
  readonly baseline: string | undefined;
  /** Cache location for results. */
  readonly cache: string | undefined;
}

/** An invalid configuration file, with all its errors. */
export interface InvalidSettings {
  readonly path: string;
  readonly mistakes: readonly SettingsMistake[];
}

export type LoadedSettings = Result<Settings, InvalidSettings>;

/**
 * Finds the configuration file for a directory: the nearest one in it or in a parent.
 *
 * @param directory absolute
 * @param rules all rules
 * @returns undefined if there is none
 */
export function findSettings(
  directory: string,
  access: Pick<FileAccess, "read">,
  rules: readonly NamedRule[],
): LoadedSettings | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const path = join(folder, SETTINGS_FILE);
    const content = access.read(fromReadable(path));
    if (content.ok) return parseSettings(path, toReadable(content.value.text), rules);
    const exists = content.error.isAbsent !== true && content.error.system !== "Not a directory";
    if (exists) return { ok: false, error: unreadable(path, content.error.message) };
    if (dirname(folder) === folder) return undefined;
  }
}

/** Loads the configuration from a given file. */
export function loadSettings(
  path: string,
  access: Pick<FileAccess, "read">,
  rules: readonly NamedRule[],
): LoadedSettings {
  const content = access.read(fromReadable(path));
  return content.ok
    ? parseSettings(path, toReadable(content.value.text), rules)
    : { ok: false, error: unreadable(path, content.error.message) };
}

function unreadable(path: string, why: string): InvalidSettings {
  return { path, mistakes: [{ code: "unreadable", message: `the file cannot be read: ${why}`, line: 1, column: 1 }] };
}

function parseSettings(path: string, text: string, rules: readonly NamedRule[]): LoadedSettings {
  const read = readSettings(text, rules);
  return read.ok
    ? { ok: true, value: resolveSettings(path, read.value, rules) }
    : { ok: false, error: { path, mistakes: read.error } };
}

/** Resolves the configuration: makes paths absolute and each server complete. */
function resolveSettings(path: string, document: SettingsDocument, known: readonly NamedRule[]): Settings {
  const { $schema, servers, entry, rules, extendSelect, ignores, fragments, baseline, cache, ...rest } = document;
  const { exclude, extendExclude, "extend-exclude": sameAsExtendExclude, ...top } = rest;
  const directory = dirname(path);
  const common = resolveServerPaths(directory, top);
  const named = servers ?? (entry === undefined ? [] : [{ entry }]);
  return {
    path,
    directory,
    common,
    servers: named.map((server) => {
      return { ...common, ...resolveServerPaths(directory, server), entry: resolve(directory, server.entry) };
    }),
    rules: levelsByRule(rules ?? {}, known),
    extendSelect: expandRuleNames(extendSelect ?? [], known),
    ignores: (ignores ?? []).map((ignore) => withRuleIds(ignore, known)),
    fragments: fragments ?? [],
    exclude,
    extendExclude: [...(extendExclude ?? []), ...(sameAsExtendExclude ?? [])],
    baseline: baseline === undefined ? undefined : resolve(directory, baseline),
    cache: cache === undefined ? undefined : resolve(directory, cache),
  };
}

/** Returns the severity of each rule: its own, or else that of its group; that of a variant: its own, or else the rule's. */
function levelsByRule(
  written: NonNullable<SettingsDocument["rules"]>,
  known: readonly NamedRule[],
): ReadonlyMap<string, RuleLevel> {
  return new Map(
    known.flatMap(({ id, group, variants = [] }) => {
      const level = written[id] ?? written[group];
      const levels = [[id, level] as const, ...variants.map((each) => [each.id, written[each.id] ?? level] as const)];
      return levels.flatMap(([name, own]) => (own === undefined ? [] : [[name, own] as const]));
    }),
  );
}

function withRuleIds(ignore: PathIgnore, known: readonly NamedRule[]): PathIgnore {
  return ignore.rules === undefined ? ignore : { ...ignore, rules: [...expandRuleNames(ignore.rules, known)] };
}

const pathKeys = ["entry", "serverRoot", "sysroot", "confine", "envvars", "expectations"] as const;

function resolveServerPaths(directory: string, written: ServerSettings): ServerSettings {
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
    ...(map === undefined ? {} : { map: resolveMapPaths(directory, map) }),
  };
}

function resolveMapPaths(directory: string, map: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).map(([host, server]) => [resolve(directory, host), server]));
}

/** The contexts that a configuration file names for fragments, as plain values. */
export type FragmentContexts = Pick<Settings, "fragments" | "directory">;

/** Returns the contexts that a configuration file names for fragments; undefined if it names none. */
export function fragmentContextsOf(settings: Settings | undefined): FragmentContexts | undefined {
  if (settings === undefined || settings.fragments.length === 0) return undefined;
  const { fragments, directory } = settings;
  return { fragments, directory: realPathOf(directory) ?? directory };
}

/** Returns the main file of a server entry: the entry itself, or the file in it, found by name or by content. */
export function mainFileOfEntry(entry: string): string {
  const byName = findMainFile(entry);
  if (byName !== undefined || !statOf(entry)?.isDirectory()) return byName ?? entry;
  const [main = entry, other] = new MainFileFinder().mainsIn(entry);
  return other === undefined ? main : entry;
}

/** Returns the settings for the server with a main file. Top-level settings apply to every server. */
export function serverSettingsOf(settings: Settings | undefined, main: string | undefined): ServerSettings {
  const real = main === undefined ? undefined : realPathOf(main);
  const named = settings?.servers.find(({ entry }) => realPathOf(mainFileOfEntry(entry)) === real);
  return (real === undefined ? undefined : named) ?? settings?.common ?? {};
}

/** Returns the path maps of a server. */
export function pathMapsOf({ map = {} }: ServerSettings): readonly PathMap[] {
  return Object.entries(map).map(([host, server]) => ({ host, server }));
}
