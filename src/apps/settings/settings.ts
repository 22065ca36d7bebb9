import { dirname, isAbsolute, join, resolve } from "node:path";
import type { PathMap } from "../../config/files/path-maps.js";
import { MainFileFinder } from "../../config/main-file-finder.js";
import { findMainFile, realPathOf, statOf } from "../../config/main-files.js";
import { expandRuleNames } from "../../lint/rule-groups.js";
import type { Result } from "../../text/result.js";
import { fromReadable, toReadable } from "../../text/source.js";
import {
  type InvalidSettings,
  type LoadedLayers,
  loadLayers,
  type SettingsAccess,
  type SettingsLayer,
} from "./layers.js";
import type { NamedRule, RuleLevel, SettingsDocument } from "./shape.js";

/** Name of a project's configuration file. */
export const SETTINGS_FILE = ".httpd-lint.json";

/** The configuration files that set something, by its key; that of a rule is `rules.ID`. */
export type SettingOrigins = ReadonlyMap<string, readonly string[]>;

/** The settings of one server, with absolute paths. */
export interface ServerSettings extends Partial<NonNullable<SettingsDocument["servers"]>[number]> {
  readonly origins?: SettingOrigins;
}

/** The configuration file that has an entry of a list, and its folder, to which globs are relative. */
export interface FromFile {
  readonly file: string;
  readonly directory: string;
}

/** Findings to suppress: globs, and rules; without rules, all. */
export type PathIgnore = NonNullable<SettingsDocument["ignores"]>[number] & FromFile;

/** The sections that some files are included in. */
export type FragmentSettings = NonNullable<SettingsDocument["fragments"]>[number] & FromFile;

/** Patterns of paths that a search leaves out. */
export interface ExcludedPatterns extends FromFile {
  readonly patterns: readonly string[];
}

/** The resolved configuration of a project. */
export interface Settings {
  /** The configuration file and its folder. */
  readonly path: string;
  readonly directory: string;
  /** It, and the files that it extends, directly or not. */
  readonly files: readonly string[];
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
  /** Patterns of paths that a search leaves out, instead of the defaults; later ones take precedence. */
  readonly exclude: readonly ExcludedPatterns[] | undefined;
  /** Further ones. */
  readonly extendExclude: readonly ExcludedPatterns[];
  readonly baseline: string | undefined;
  /** Cache location for results. */
  readonly cache: string | undefined;
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
  access: SettingsAccess,
  rules: readonly NamedRule[],
): LoadedSettings | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const path = join(folder, SETTINGS_FILE);
    const content = access.read(fromReadable(path));
    if (content.ok) return resolveLayers(loadLayers(path, toReadable(content.value.text), access, rules), rules);
    const exists = content.error.isAbsent !== true && content.error.system !== "Not a directory";
    if (exists) return { ok: false, error: unreadable(path, content.error.message) };
    if (dirname(folder) === folder) return undefined;
  }
}

/** Loads the configuration from a given file. */
export function loadSettings(path: string, access: SettingsAccess, rules: readonly NamedRule[]): LoadedSettings {
  const content = access.read(fromReadable(path));
  return content.ok
    ? resolveLayers(loadLayers(path, toReadable(content.value.text), access, rules), rules)
    : { ok: false, error: unreadable(path, content.error.message) };
}

function unreadable(path: string, why: string): InvalidSettings {
  const message = `the file cannot be read: ${why}`;
  return { path, chain: [path], mistakes: [{ code: "unreadable", message, line: 1, column: 1 }] };
}

/** Merges the settings of a configuration file with those that it extends. Lists of the project add up. */
function resolveLayers(loaded: LoadedLayers, known: readonly NamedRule[]): LoadedSettings {
  if (!loaded.ok) return loaded;
  const layers = loaded.value.map((layer) => resolveLayer(layer, known));
  const own = layers.at(-1);
  if (own === undefined) throw new Error("a configuration file has no layer of its own");
  const { path, directory } = own;
  const origins = originsIn(layers);
  let common: ServerSettings = { origins };
  for (const layer of layers) common = { ...common, ...layer.common };
  const naming = layers.findLast(({ servers }) => servers !== undefined);
  // The first entry that matches counts: those of the file itself come first.
  const nearestFirst = layers.toReversed().map(({ lists }) => lists);
  const excludes = layers.flatMap(({ lists }) => lists.exclude);
  return {
    ok: true,
    value: {
      ...{ path, directory, common },
      files: [...new Set(layers.toReversed().map((layer) => layer.path))],
      servers: (naming?.servers ?? []).map((server) => ({
        ...{ ...common, ...server },
        origins: new Map([...origins, ...Object.keys(server).map((key) => [key, [naming?.path ?? path]] as const)]),
      })),
      rules: new Map(layers.flatMap(({ levels }) => [...levels])),
      extendSelect: new Set(nearestFirst.flatMap(({ extendSelect }) => extendSelect)),
      ignores: nearestFirst.flatMap(({ ignores }) => ignores),
      fragments: nearestFirst.flatMap(({ fragments }) => fragments),
      exclude: excludes.length === 0 ? undefined : excludes,
      extendExclude: layers.flatMap(({ lists }) => lists.extendExclude),
      baseline: layers.findLast(({ baseline }) => baseline !== undefined)?.baseline,
      cache: layers.findLast(({ cache }) => cache !== undefined)?.cache,
    },
  };
}

/** The settings of one configuration file, with absolute paths. */
type ResolvedLayer = ReturnType<typeof resolveLayer>;

function resolveLayer({ path, directory, document }: SettingsLayer, known: readonly NamedRule[]) {
  const { $schema, extends: bases, servers, entry, rules = {}, baseline, cache, ...rest } = document;
  const { extendSelect = [], ignores = [], fragments = [], exclude, extendExclude, ...further } = rest;
  const { "extend-exclude": sameAsExtendExclude, ...common } = further;
  const from = { file: path, directory };
  const named = servers ?? (entry === undefined ? undefined : [{ entry }]);
  const patternsOf = (patterns: readonly string[] | undefined): readonly ExcludedPatterns[] =>
    patterns === undefined ? [] : [{ ...from, patterns }];
  return {
    ...{ path, directory },
    keys: Object.keys(document),
    common: resolveServerPaths(directory, common),
    servers: named?.map((server) => ({
      ...resolveServerPaths(directory, server),
      entry: resolve(directory, server.entry),
    })),
    levels: levelsByRule(rules, known),
    /** These add up, while other settings are overridden. */
    lists: {
      extendSelect: [...expandRuleNames(extendSelect, known)],
      ignores: ignores.map((ignore): PathIgnore => ({ ...ignore, ...from, ...rulesIn(ignore.rules, known) })),
      fragments: fragments.map((fragment): FragmentSettings => ({ ...fragment, ...from })),
      exclude: patternsOf(exclude),
      extendExclude: [...patternsOf(extendExclude), ...patternsOf(sameAsExtendExclude)],
    },
    baseline: baseline === undefined ? undefined : resolve(directory, baseline),
    cache: cache === undefined ? undefined : resolve(directory, cache),
  };
}

/** Returns the rules that names select; without names, all rules are meant. */
function rulesIn(names: readonly string[] | undefined, known: readonly NamedRule[]): Pick<PathIgnore, "rules"> {
  return names === undefined ? {} : { rules: [...expandRuleNames(names, known)] };
}

function originsIn(layers: readonly ResolvedLayer[]): SettingOrigins {
  const origins = new Map<string, readonly string[]>();
  for (const { path, keys, levels, lists } of layers) {
    for (const key of keys) {
      const name = key === "extend-exclude" ? "extendExclude" : key;
      const before = Object.hasOwn(lists, name) ? (origins.get(name) ?? []) : [];
      origins.set(name, [...new Set([path, ...before])]);
    }
    for (const rule of levels.keys()) origins.set(`rules.${rule}`, [path]);
  }
  return origins;
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

/** The contexts that configuration files name for fragments, as plain values. */
export type FragmentContexts = readonly FragmentSettings[];

/** Returns the contexts that a configuration file names for fragments; undefined if it names none. */
export function fragmentContextsOf(settings: Settings | undefined): FragmentContexts | undefined {
  if (settings === undefined || settings.fragments.length === 0) return undefined;
  return settings.fragments.map((each) => ({ ...each, directory: realPathOf(each.directory) ?? each.directory }));
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
