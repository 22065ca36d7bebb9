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

/**
 * Reads what an editor was told, on its own or under the name `httpdLint`.
 *
 * @param value of any shape
 * @param folder where relative paths start
 */
export function readSettings(value: unknown, folder: string): ReadSettings {
  const given = isRecord(value) && isRecord(value[SETTINGS_SECTION]) ? value[SETTINGS_SECTION] : value;
  const refused: string[] = [];
  if (!isRecord(given)) return { settings: usual, refused };
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
    release: take("release", releaseOf, '"2.2" or "2.4"') ?? usual.release,
    from: take("from", releaseOf, '"2.2" or "2.4"'),
    serverRoot: take("serverRoot", path, "a path"),
    sysroot: take("sysroot", path, "a path"),
    defines: take("defines", listOf, "a list of texts") ?? usual.defines,
    modules: take("modules", listOf, "a list of texts"),
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
