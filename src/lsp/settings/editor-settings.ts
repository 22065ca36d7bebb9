import { resolve } from "node:path";
import type { Release } from "../../directives/directives.js";
import type { PathMap } from "../../project/files/path-maps.js";
import { type FragmentContexts, pathMapsOf, type ServerSettings } from "../../settings/settings.js";

/** How a configuration is read, as the flags of the command line say it; paths are absolute. */
export interface EffectiveSettings {
  readonly release: Release;
  /** The release that it comes from: adds the upgrade's rules. */
  readonly from: Release | undefined;
  readonly serverRoot: string | undefined;
  readonly sysroot: string | undefined;
  /** Server paths that are read from elsewhere. */
  readonly maps: readonly PathMap[];
  /** The sections that the configuration file names as the context of fragments. */
  readonly fragments: FragmentContexts | undefined;
  /** Nothing outside this directory is read. */
  readonly confine: string | undefined;
  /** The file of the server's environment, in place of the one beside the main file. */
  readonly envvars: string | undefined;
  /** `NAME` or `NAME=VALUE`. */
  readonly defines: readonly string[];
  /** The loaded modules; absent: those that the configuration loads. */
  readonly modules: readonly string[] | undefined;
  readonly withoutModules: readonly string[];
}

/** What an editor may say of it. */
export interface EditorSettings {
  readonly release?: Release | undefined;
  readonly from?: Release | undefined;
  readonly serverRoot?: string | undefined;
  readonly sysroot?: string | undefined;
  readonly defines?: readonly string[] | undefined;
  readonly modules?: readonly string[] | undefined;
}

/** The name under which editors keep it. */
export const SETTINGS_SECTION = "httpdLint";

/** What an editor said, and what of it was passed over, in words. */
export interface ParsedEditorSettings {
  readonly settings: EditorSettings;
  readonly refused: readonly string[];
}

/** What stands under our name among the settings of an editor; undefined where nothing does. */
export function extractOwnSettings(all: unknown): unknown {
  return isRecord(all) ? all[SETTINGS_SECTION] : undefined;
}

/**
 * Reads what an editor was told.
 *
 * @param given of any shape
 * @param folder where relative paths start
 * @param base what holds where nothing is said
 */
export function parseEditorSettings(given: unknown, folder: string, base: EditorSettings = {}): ParsedEditorSettings {
  const refused: string[] = [];
  if (!isRecord(given)) return { settings: base, refused };
  const path = (each: unknown) => (typeof each === "string" ? resolve(folder, each) : undefined);
  const take = <T>(name: string, read: (each: unknown) => T | undefined, takes: string): T | undefined => {
    const each = given[name];
    if (each === undefined || each === null || each === "") return undefined;
    const taken = read(each);
    if (taken === undefined)
      refused.push(`the setting \`${SETTINGS_SECTION}.${name}\` takes ${takes}; it is passed over`);
    return taken;
  };
  const settings = {
    release: take("release", parseRelease, '"2.2" or "2.4"') ?? base.release,
    from: take("from", parseRelease, '"2.2" or "2.4"') ?? base.from,
    serverRoot: take("serverRoot", path, "a path") ?? base.serverRoot,
    sysroot: take("sysroot", path, "a path") ?? base.sysroot,
    defines: take("defines", parseList, "a list of texts") ?? base.defines,
    modules: take("modules", parseList, "a list of texts") ?? base.modules,
  } satisfies EditorSettings;
  const strangers = Object.keys(given)
    .filter((name) => !Object.hasOwn(settings, name))
    .map((name) => `there is no setting \`${SETTINGS_SECTION}.${name}\`; it is passed over`);
  return { settings, refused: [...strangers, ...refused] };
}

/** What the editor says, and where it says nothing what the project's settings do; defines of both. */
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
    // Of one name the last counts.
    defines: [...(server.defines ?? []), ...(editor.defines ?? [])],
    modules: editor.modules ?? server.modules,
    withoutModules: server.withoutModules ?? [],
  };
}

function parseRelease(value: unknown): Release | undefined {
  return value === "2.2" || value === "2.4" ? value : undefined;
}

function parseList(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
