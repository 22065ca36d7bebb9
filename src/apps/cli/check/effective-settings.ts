import { allRules } from "../../../../rules/index.js";
import { isBefore, type Release } from "../../../facts/release.js";
import { listChecks, type RuleDefinition } from "../../../lint/rule.js";
import { expandRuleNames } from "../../../lint/rule-groups.js";
import {
  maskDefinitions,
  type ShownOrigin,
  type ShownPaths,
  type ShownSetting,
  type ShownSettings,
} from "../../../report/index.js";
import type { RuleSelection } from "../../settings/apply-settings.js";
import { defaultExcludes } from "../../settings/default-excludes.js";
import type { FromFile, ServerSettings, Settings } from "../../settings/settings.js";
import type { SettingsDocument } from "../../settings/shape.js";
import { CONFINE_VARIABLE } from "../inputs/confined-paths.js";
import type { mergeReadingFlags } from "../inputs/project-settings.js";
import { readNamedModules } from "../inputs/reading-options.js";
import type { CheckRunFlags } from "./lint-paths.js";

/** How a server, or files that no server reads, are checked. */
export interface ServerChoices {
  readonly flags: CheckRunFlags;
  readonly settings: Settings | undefined;
  readonly server: ServerSettings;
  /** The options for reading it, from flags and settings. */
  readonly reading: ReturnType<typeof mergeReadingFlags>;
  readonly release: Release;
  /** Whether the release is that of a Dockerfile. */
  readonly isReleaseOfImage: boolean;
  readonly from: Release | undefined;
}

/** The rules of a run, and the names that flags select them by. */
export interface ChosenRules {
  readonly rules: readonly RuleDefinition[];
  readonly selection: RuleSelection;
}

/** The settings that are shown: `servers` and `entry` are shown as files, `rules` and `extends` by themselves. */
type SettingName = Exclude<
  keyof SettingsDocument,
  "$schema" | "extends" | "servers" | "entry" | "rules" | "extend-exclude"
>;

/** Returns the settings that apply. */
export function listEffectiveSettings(choices: ServerChoices, chosen: ChosenRules): Omit<ShownSettings, "files"> {
  const { settings, from } = choices;
  return {
    settingsFiles: settings?.files ?? [],
    settings: Object.entries(valuesOf(choices, chosen)).map(([name, { value, origins }]) => ({ name, value, origins })),
    rules: listRules(settings, from, chosen),
  };
}

function valuesOf(
  { flags, settings, server, reading, release, isReleaseOfImage, from }: ServerChoices,
  { selection }: ChosenRules,
): Readonly<Record<SettingName, Omit<ShownSetting, "name">>> {
  const inFile = (name: SettingName): readonly ShownOrigin[] =>
    (server.origins?.get(name) ?? []).map((path) => ({ kind: "file", path }));
  const setting = (name: SettingName, value: ShownSetting["value"]) => ({ value, origins: inFile(name) });
  /** A setting that a flag overrides. @param given the value of the flag */
  const overridden = (name: SettingName, flag: string, given: unknown, value: ShownSetting["value"]) =>
    given === undefined ? setting(name, value) : { value, origins: [flagOrigin(flag)] };
  /** A setting that a flag adds to. @param given the value of the flag */
  const extended = (name: SettingName, flag: string, given: unknown, value: ShownSetting["value"]) => ({
    value,
    origins: [...inFile(name), ...(isEmpty(given) ? [] : [flagOrigin(flag)])],
  });
  const modules = readNamedModules(flags.modules);
  const added = modules.added.map((name) => `+${name}`);
  const maps = [...Object.entries(server.map ?? {}).map(([host, path]) => `${host}=${path}`), ...(flags.map ?? [])];
  const excluded = flags.exclude && [{ paths: flags.exclude, directory: process.cwd() }];
  const isImage = isReleaseOfImage && flags.release === undefined && server.release === undefined;
  return {
    release: isImage
      ? { value: release, origins: [{ kind: "dockerfile" }] }
      : overridden("release", "--release", flags.release, release),
    from: overridden("from", "--from", flags.from, from),
    reading: setting("reading", server.reading ?? "server"),
    serverRoot: overridden("serverRoot", "--server-root", flags.serverRoot, reading.serverRoot),
    sysroot: overridden("sysroot", "--sysroot", flags.sysroot, reading.sysroot),
    map: extended("map", "--map", flags.map, unlessEmpty(maps)),
    confine:
      flags.confine !== undefined && flags.confine === process.env[CONFINE_VARIABLE]
        ? { value: flags.confine, origins: [{ kind: "environment", name: CONFINE_VARIABLE }] }
        : overridden("confine", "--confine", flags.confine, reading.confine),
    defines: extended("defines", "--define", flags.define, unlessEmpty(maskDefinitions(reading.define))),
    envvars: overridden("envvars", "--envvars", flags.envvars, reading.envvars),
    modules:
      modules.loaded === undefined
        ? extended("modules", "--modules", added, unlessEmpty([...(reading.modules ?? []), ...added]))
        : overridden("modules", "--modules", modules.loaded, [...modules.loaded, ...added]),
    withoutModules:
      flags.noModule === undefined
        ? extended("withoutModules", "--modules", modules.removed, reading.noModule)
        : overridden("withoutModules", "--no-module", flags.noModule, reading.noModule),
    files: setting("files", reading.files ?? "disk"),
    expectations: setting("expectations", server.expectations),
    extendSelect: extended(
      "extendSelect",
      "--extend-select",
      selection.extendSelect,
      unlessEmpty([...new Set([...(settings?.extendSelect ?? []), ...selection.extendSelect])]),
    ),
    ignores: setting("ignores", unlessEmpty(settings?.ignores.map(withoutFile))),
    fragments: setting("fragments", unlessEmpty(settings?.fragments.map(withoutFile))),
    exclude: setting("exclude", settings?.exclude?.map(toShownPaths) ?? [{ paths: defaultExcludes }]),
    extendExclude: extended(
      "extendExclude",
      "--exclude",
      excluded,
      unlessEmpty([...(settings?.extendExclude ?? []).map(toShownPaths), ...(excluded ?? [])]),
    ),
    baseline: overridden("baseline", "--baseline", flags.baseline, flags.baseline ?? settings?.baseline),
    cache: overridden("cache", "--cache", flags.cache || undefined, flags.cache || settings?.cache),
  };
}

function flagOrigin(name: string): ShownOrigin {
  return { kind: "flag", name };
}

function isEmpty(given: unknown): boolean {
  return given === undefined || (Array.isArray(given) && given.length === 0);
}

function unlessEmpty<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list?.length ? list : undefined;
}

function withoutFile<T extends FromFile>({ file, ...rest }: T): Omit<T, "file"> {
  return rest;
}

function toShownPaths({ directory, patterns }: FromFile & { readonly patterns: readonly string[] }): ShownPaths {
  return { paths: patterns, directory };
}

/** Returns the rules that run, with their severity; the variants of a rule if they differ, or only some of them run. */
function listRules(
  settings: Settings | undefined,
  from: Release | undefined,
  { rules, selection }: ChosenRules,
): ShownSettings["rules"] {
  const [select, extendSelect] = [selection.select, selection.extendSelect].map((names) =>
    expandRuleNames(names, allRules),
  );
  const originsOf = (id: string): readonly ShownOrigin[] => {
    const files = [
      ...(settings?.common.origins?.get(`rules.${id}`) ?? []),
      ...(settings?.extendSelect.has(id) ? (settings.common.origins?.get("extendSelect") ?? []) : []),
    ];
    return [
      ...[...new Set(files)].map((path): ShownOrigin => ({ kind: "file", path })),
      ...(select?.has(id) ? [flagOrigin("--select")] : []),
      ...(extendSelect?.has(id) ? [flagOrigin("--extend-select")] : []),
    ];
  };
  const variantCounts = new Map(allRules.map(({ id, variants }) => [id, variants?.length]));
  return rules
    .filter(({ upgradeOnly }) => !upgradeOnly || isBefore(from, "2.4"))
    .flatMap((rule) => {
      const shown = listChecks(rule).map(({ id: own, variant, severity }) => {
        const id = variant ?? own;
        const level = settings?.rules.get(id);
        return { id, severity: level === undefined || level === "off" ? severity : level, origins: originsOf(id) };
      });
      const isWhole = rule.variants?.length === variantCounts.get(rule.id);
      const forms = new Set(shown.map(({ severity, origins }) => JSON.stringify({ severity, origins })));
      return isWhole && forms.size === 1 ? shown.slice(0, 1).map((each) => ({ ...each, id: rule.id })) : shown;
    });
}
