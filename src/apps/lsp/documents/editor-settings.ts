import { resolve } from "node:path";
import type { PathMap } from "../../../config/files/path-maps.js";
import { parseRelease, type Release } from "../../../facts/release.js";
import { type FragmentContexts, pathMapsOf, type ServerSettings } from "../../settings/settings.js";

/** The settings for reading a configuration, like the command-line flags; paths are absolute. */
export interface EffectiveSettings {
  readonly release: Release;
  /** The version you upgrade from; adds the upgrade rules. */
  readonly from: Release | undefined;
  readonly serverRoot: string | undefined;
  readonly sysroot: string | undefined;
  /** Server paths that are read from another location. */
  readonly maps: readonly PathMap[];
  /** The sections that the configuration file names as the context of fragments. */
  readonly fragments: FragmentContexts | undefined;
  /** The directory outside of which nothing is read. */
  readonly confine: string | undefined;
  /** The server's envvars file, instead of the one next to the main file. */
  readonly envvars: string | undefined;
  /** `NAME` or `NAME=VALUE`. */
  readonly defines: readonly string[];
  /** The loaded modules; if absent, those that the configuration loads. */
  readonly modules: readonly string[] | undefined;
  readonly withoutModules: readonly string[];
}

/** The settings that an editor can provide. */
export interface EditorSettings {
  readonly release?: Release | undefined;
  readonly from?: Release | undefined;
  readonly serverRoot?: string | undefined;
  readonly sysroot?: string | undefined;
  readonly defines?: readonly string[] | undefined;
  readonly modules?: readonly string[] | undefined;
}

/** The name of the settings section in editors. */
export const SETTINGS_SECTION = "httpdLint";

/** The settings of an editor, and messages about those that were ignored. */
export interface ParsedEditorSettings {
  readonly settings: EditorSettings;
  readonly problems: readonly string[];
}

/** Returns the value under our section name in the settings of an editor; undefined if there is none. */
export function extractOwnSettings(all: unknown): unknown {
  return isRecord(all) ? all[SETTINGS_SECTION] : undefined;
}

/**
 * Reads the settings of an editor.
 *
 * @param given of any shape
 * @param folder base of relative paths
 * @param base defaults for settings that are not given
 */
export function parseEditorSettings(given: unknown, folder: string, base: EditorSettings = {}): ParsedEditorSettings {
  const problems: string[] = [];
  if (!isRecord(given)) return { settings: base, problems };
  const path = (each: unknown) => (typeof each === "string" ? resolve(folder, each) : undefined);
  const take = <T>(name: string, read: (each: unknown) => T | undefined, expected: string): T | undefined => {
    const each = given[name];
    if (each === undefined || each === null || each === "") return undefined;
    const taken = read(each);
    if (taken === undefined) problems.push(`ignored setting \`${SETTINGS_SECTION}.${name}\`: expected ${expected}`);
    return taken;
  };
  const settings = {
    release: take("release", releaseOfValue, "a version such as 2.4 or 2.4.29") ?? base.release,
    from: take("from", releaseOfValue, "a version such as 2.4 or 2.4.29") ?? base.from,
    serverRoot: take("serverRoot", path, "a path") ?? base.serverRoot,
    sysroot: take("sysroot", path, "a path") ?? base.sysroot,
    defines: take("defines", parseList, "a list of strings") ?? base.defines,
    modules: take("modules", parseList, "a list of strings") ?? base.modules,
  } satisfies EditorSettings;
  const unknownNames = Object.keys(given)
    .filter((name) => !Object.hasOwn(settings, name))
    .map((name) => `ignored unknown setting \`${SETTINGS_SECTION}.${name}\``);
  return { settings, problems: [...unknownNames, ...problems] };
}

/** Merges the editor's settings over those of the project; the defines of both are combined. */
export function mergeSettings(
  editor: EditorSettings,
  server: ServerSettings,
  fragments: FragmentContexts | undefined,
): EffectiveSettings {
  return {
    release: editor.release ?? server.release ?? "2.4",
    from: editor.from ?? server.from,
    serverRoot: editor.serverRoot ?? server.serverRoot,
    sysroot: editor.sysroot ?? server.sysroot,
    maps: pathMapsOf(server),
    fragments,
    confine: server.confine,
    envvars: server.envvars,
    // For each name, the last definition counts.
    defines: [...(server.defines ?? []), ...(editor.defines ?? [])],
    modules: editor.modules ?? server.modules,
    withoutModules: server.withoutModules ?? [],
  };
}

function releaseOfValue(value: unknown): Release | undefined {
  return typeof value === "string" ? parseRelease(value) : undefined;
}

function parseList(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
