import { formatJson } from "../../text/escaping.js";
import { formatWordList } from "../../text/words.js";
import type { settingsOutput } from "../schema/findings.js";
import type { JsonOf } from "../schema/parts.js";
import { MASK, redact } from "../secrets/redaction.js";
import { isSecretValue } from "../secrets/secret-names.js";
import { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";

/** The settings that apply to a server, or to files that no server reads. */
export interface ShownSettings {
  /** The main file of the server, or the files; with links resolved. */
  readonly files: readonly string[];
  /** The configuration file, and those that it extends; none if no configuration file applies. */
  readonly settingsFiles: readonly string[];
  readonly settings: readonly ShownSetting[];
  /** The rules that run. */
  readonly rules: readonly ShownRule[];
}

/** A setting with its value, and what sets it: nothing if that is the default. */
export interface ShownSetting {
  readonly name: string;
  /** Undefined if it is not set and has no default. */
  readonly value: SettingValue | undefined;
  readonly origins: readonly ShownOrigin[];
}

type SettingValue = string | readonly string[] | readonly ShownPaths[];

/** Globs or patterns, and what a setting has for the files that match. */
export interface ShownPaths {
  readonly paths: readonly string[];
  /** The directory that they are relative to; any if absent. */
  readonly directory?: string | undefined;
  readonly rules?: readonly string[] | undefined;
  readonly context?: readonly string[] | undefined;
  readonly reason?: string | undefined;
}

/** What sets a value: a flag, an environment variable, a configuration file, or a Dockerfile. */
export type ShownOrigin =
  | { readonly kind: "flag" | "environment"; readonly name: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "dockerfile" };

/** A rule or a variant of one, with the severity of its findings. */
export interface ShownRule {
  readonly id: string;
  readonly severity: "error" | "warning" | "info";
  readonly origins: readonly ShownOrigin[];
}

/** The settings of a run. */
export interface SettingsList {
  readonly version: string;
  /** The directory that paths are relative to. */
  readonly base: string | undefined;
  readonly servers: readonly ShownSettings[];
}

/** Returns definitions as `NAME=VALUE` with the values of secrets masked. */
export function maskDefinitions(definitions: readonly string[]): readonly string[] {
  return definitions.map((written) => {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(written) ?? [];
    return isSecretValue(name, value) ? `${name}=${MASK}` : redact(written, []);
  });
}

/** The renderers of `check --show-settings`, by format. */
export const settingsListWriters = { text: renderSettingsText, json: renderSettingsJson } as const;

function renderSettingsText({ servers, base }: SettingsList): string {
  const places = new PlaceResolver(base);
  const name = (path: string) => places.displayPath(path);
  const blocks = servers.map(({ files, settingsFiles, settings, rules }) => {
    const [file, ...bases] = settingsFiles.map(name);
    const extended = bases.length === 0 ? "" : `, extends ${formatWordList(bases)}`;
    return [
      `${describeFiles(files.map(name))}:`,
      `  configuration file: ${file === undefined ? "none" : `${file}${extended}`}`,
      ...settings.map(
        ({ origins, ...setting }) => `  ${setting.name}: ${describeSetting(setting.value, origins, name)}`,
      ),
      `  rules (${rules.length}):`,
      ...rules.map(({ id, severity, origins }) => `    ${id}: ${severity}${describeOrigins(origins, name)}`),
    ];
  });
  return blocks.map((lines) => lines.map((line) => `${makeVisible(line)}\n`).join("")).join("\n");
}

/** Maximum number of files that the text names; JSON has all. */
const MAX_FILES = 3;

function describeFiles(files: readonly string[]): string {
  const more = files.length - MAX_FILES;
  return more > 0 ? `${files.slice(0, MAX_FILES).join(", ")} and ${more} more` : files.join(", ");
}

function describeSetting(
  value: SettingValue | undefined,
  origins: readonly ShownOrigin[],
  name: (path: string) => string,
): string {
  if (value === undefined) return "not set";
  const items: readonly (string | ShownPaths)[] = typeof value === "string" ? [value] : value;
  const text = items.map((item) => (typeof item === "string" ? item : describePaths(item))).join(", ");
  return `${text === "" ? "none" : text}${describeOrigins(origins, name) || " (default)"}`;
}

function describePaths({ paths, rules, context = [] }: ShownPaths): string {
  const about = [...(rules ?? []), ...context].join(", ");
  return `${paths.join(", ")}${about === "" ? "" : ` [${about}]`}`;
}

/** Returns what sets a value, in parentheses; empty for a default. */
function describeOrigins(origins: readonly ShownOrigin[], name: (path: string) => string): string {
  const words = origins.map((origin) => {
    if (origin.kind === "dockerfile") return "Dockerfile";
    return origin.kind === "file" ? name(origin.path) : origin.name;
  });
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

function renderSettingsJson({ version, servers, base }: SettingsList): string {
  const places = new PlaceResolver(base);
  const name = (path: string) => places.displayPath(path);
  const originsOf = (origins: readonly ShownOrigin[]) =>
    origins.map((origin) => (origin.kind === "file" ? { ...origin, path: name(origin.path) } : origin));
  const output: JsonOf<typeof settingsOutput> = {
    version,
    servers: servers.map(({ files, settingsFiles, settings, rules }) => ({
      files: files.map(name),
      settingsFiles: settingsFiles.map(name),
      settings: settings.map((setting) => ({
        name: setting.name,
        ...(setting.value === undefined ? {} : { value: setting.value }),
        origins: originsOf(setting.origins),
      })),
      rules: rules.map((rule) => ({ ...rule, origins: originsOf(rule.origins) })),
    })),
  };
  return `${formatJson(output)}\n`;
}
