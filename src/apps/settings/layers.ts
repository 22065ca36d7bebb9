import { dirname, resolve } from "node:path";
import type { FileAccess } from "../../config/files/file-access.js";
import type { Result } from "../../text/result.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { createMistakeAt, type SettingsMistake, type SettingsMistakeCode } from "./mistakes.js";
import { readSettings } from "./read.js";
import type { NamedRule, SettingsDocument } from "./shape.js";

/** A configuration file as written: the one of a project, or one that it extends. */
export interface SettingsLayer {
  readonly path: string;
  readonly directory: string;
  readonly document: SettingsDocument;
}

/** An invalid configuration file, with all its errors. */
export interface InvalidSettings {
  readonly path: string;
  /** The configuration file of the project, and those from it to the file with the errors, or to one that is missing. */
  readonly chain: readonly string[];
  readonly mistakes: readonly SettingsMistake[];
}

/** The files of a configuration, each after those that it extends: a later one overrides an earlier one. */
export type LoadedLayers = Result<readonly SettingsLayer[], InvalidSettings>;

/** The access to configuration files. */
export interface SettingsAccess extends Pick<FileAccess, "read"> {
  /** The access to those that others extend; the same if absent. */
  readonly readBase?: FileAccess["read"];
}

/** Limit of the files that a configuration file extends, directly or not. */
export const MAX_BASES = 50;

/**
 * Loads the files that a configuration file extends, directly or not.
 *
 * @param path absolute
 * @param text its text
 * @param rules all rules
 */
export function loadLayers(
  path: string,
  text: string,
  { read, readBase = read }: SettingsAccess,
  rules: readonly NamedRule[],
): LoadedLayers {
  let count = 0;
  const load = (file: string, content: string, chain: readonly string[]): LoadedLayers => {
    const parsed = readSettings(content, rules);
    if (!parsed.ok) return { ok: false, error: { path: file, chain, mistakes: parsed.error } };
    const directory = dirname(file);
    const written = parsed.value.extends ?? [];
    const layers: SettingsLayer[] = [];
    for (const [index, name] of [written].flat().entries()) {
      const base = resolve(directory, name);
      const fail = (code: SettingsMistakeCode, message: string): LoadedLayers => {
        const at = typeof written === "string" ? ["extends"] : ["extends", index];
        const mistakes = [createMistakeAt(content, at, code, message)];
        return { ok: false, error: { path: file, chain: [...chain, base], mistakes } };
      };
      if (chain.includes(base)) return fail("base-cycle", `\`${name}\` in \`extends\` forms a cycle`);
      if (++count > MAX_BASES) return fail("too-many-bases", `more than ${MAX_BASES} files are extended`);
      const found = readBase(fromReadable(base));
      if (!found.ok)
        return fail("base-unreadable", `\`${name}\` in \`extends\` cannot be read: ${found.error.message}`);
      const loaded = load(base, toReadable(found.value.text), [...chain, base]);
      if (!loaded.ok) return loaded;
      layers.push(...loaded.value);
    }
    return { ok: true, value: [...layers, { path: file, directory, document: parsed.value }] };
  };
  return load(path, text, [path]);
}
