import { resolve } from "node:path";
import type { Release } from "../directives/directives.js";

/** How configurations are read, as the flags of the command line say it. */
export interface Settings {
  readonly release: Release;
  /** The release that they come from: adds the upgrade's rules. */
  readonly from: Release | undefined;
  readonly serverRoot: string | undefined;
  readonly sysroot: string | undefined;
  /** `NAME` or `NAME=VALUE`. */
  readonly defines: readonly string[];
  /** The loaded modules; absent: those that the configuration loads. */
  readonly modules: readonly string[] | undefined;
}

/** The name under which editors keep them. */
export const SETTINGS_SECTION = "httpdLint";

const usual: Settings = {
  release: "2.4",
  from: undefined,
  serverRoot: undefined,
  sysroot: undefined,
  defines: [],
  modules: undefined,
};

/** What an editor said, and what of it was passed over, in words. */
export interface ReadSettings {
  readonly settings: Settings;
  readonly refused: readonly string[];
}

/** What stands under our name among the settings of an editor; undefined where nothing does. */
export function ownSettings(all: unknown): unknown {
  return isRecord(all) ? all[SETTINGS_SECTION] : undefined;
}

/**
 * Reads what an editor was told.
 *
 * @param given of any shape
 * @param folder where relative paths start
 * @param base what holds where nothing is said
 */
export function readSettings(given: unknown, folder: string, base: Settings = usual): ReadSettings {
  const refused: string[] = [];
  if (!isRecord(given)) return { settings: base, refused };
  const take = <T>(name: keyof Settings, read: (each: unknown) => T | undefined, takes: string): T | undefined => {
    const each = given[name];
    if (each === undefined || each === null || each === "") return undefined;
    const taken = read(each);
    if (taken === undefined)
      refused.push(`the setting \`${SETTINGS_SECTION}.${name}\` takes ${takes}; it is passed over`);
    return taken;
  };
  for (const name of Object.keys(given))
    if (!Object.hasOwn(usual, name))
      refused.push(`there is no setting \`${SETTINGS_SECTION}.${name}\`; it is passed over`);
  const path = (each: unknown) => (typeof each === "string" ? resolve(folder, each) : undefined);
  const settings: Settings = {
    release: take("release", releaseOf, '"2.2" or "2.4"') ?? base.release,
    from: take("from", releaseOf, '"2.2" or "2.4"') ?? base.from,
    serverRoot: take("serverRoot", path, "a path") ?? base.serverRoot,
    sysroot: take("sysroot", path, "a path") ?? base.sysroot,
    defines: take("defines", listOf, "a list of texts") ?? base.defines,
    modules: take("modules", listOf, "a list of texts") ?? base.modules,
  };
  return { settings, refused };
}

/** How a document is read. All that decides it is asked here. */
export class SettingsBook {
  private latest = usual;

  /** Takes what an editor was told for all documents. */
  take(settings: Settings): void {
    this.latest = settings;
  }

  /** @param _path of the document */
  of(_path: string): Settings {
    return this.latest;
  }
}

function releaseOf(value: unknown): Release | undefined {
  return value === "2.2" || value === "2.4" ? value : undefined;
}

function listOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
