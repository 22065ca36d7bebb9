import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Release } from "../../directives/directives.js";
import { listModules } from "../../directives/modules.js";
import { type DiskOptions, diskAccess } from "../../project/files/disk.js";
import type { FileAccess } from "../../project/files/file-access.js";
import { readFoundFile, readNamedFile } from "../../project/files/file-content.js";
import { type PathMap, readPathMap } from "../../project/files/path-maps.js";
import type { LoadOptions } from "../../project/load.js";
import { findModule, identifierOf, isKnownModule } from "../../project/model/modules.js";
import { readDefine, readEnvvars } from "../../project/model/variables.js";
import { type GuessedRoot, guessServerRoot } from "../../project/server-root.js";
import { findClosestWord } from "../../text/closest-word.js";
import { fromReadable } from "../../text/source.js";

/** The flags that say how a configuration is read; the same for every command. */
export interface ReadingFlags {
  readonly release: Release;
  readonly serverRoot?: string | undefined;
  readonly sysroot?: string | undefined;
  /** `HOST=SERVER` each, as written. */
  readonly map?: readonly string[] | undefined;
  /** Maps of the configuration file; those of flags take precedence. */
  readonly moreMaps?: readonly PathMap[] | undefined;
  readonly confine?: string | undefined;
  readonly define?: readonly string[] | undefined;
  readonly envvars?: string | undefined;
  readonly processEnv?: boolean | undefined;
  /** Modules taken for loaded besides, which no flag names. */
  readonly moreModules?: readonly string[] | undefined;
  /** What looks at files on the way. */
  readonly through?: ((access: FileAccess) => FileAccess) | undefined;
  readonly modules?: readonly string[] | undefined;
  readonly noModule?: readonly string[] | undefined;
  /** What the settings say and no flag does. */
  readonly bySettings?: SettingsOrigin | undefined;
}

/** What is set by a project's settings, for messages: the file, and the names there by those of the flags. */
export interface SettingsOrigin {
  readonly path: string;
  readonly names: ReadonlyMap<string, string>;
  /** Where what they name must lie: they were found, and --confine was given. */
  readonly within?: string | undefined;
}

/** What an operator has to correct: the flag, or the setting in its place. */
export function nameOptionSource(bySettings: SettingsOrigin | undefined, flag: string): string {
  const name = bySettings?.names.get(flag);
  return name === undefined ? flag : `\`${name}\` in \`${bySettings?.path}\``;
}

export type ReadingOptions =
  | {
      readonly load: LoadOptions;
      readonly access: FileAccess;
      /** The ServerRoot that is guessed, as nothing else says where relative paths start. */
      readonly guess: GuessedRoot | undefined;
    }
  | { readonly failed: string };

/**
 * Flags to what reading needs.
 *
 * @param main the main file, whose folder may hold the server's envvars
 * @param overlay texts that stand for files on disk, by absolute path
 */
export function createReadingOptions(
  flags: ReadingFlags,
  main: string | undefined,
  overlay?: DiskOptions["overlay"],
): ReadingOptions {
  const mapped = parsePathMaps(flags);
  if ("failed" in mapped) return mapped;
  const missing = findMissingDirectory(flags, mapped.maps);
  if (missing) return missing;
  const environment = environmentOf(flags, main);
  if ("failed" in environment) return environment;
  const disk = diskAccess({
    maps: mapped.maps,
    ...(flags.sysroot === undefined ? {} : { sysroot: flags.sysroot }),
    ...(flags.confine === undefined ? {} : { confine: flags.confine }),
    ...(overlay === undefined ? {} : { overlay }),
  });
  const access = flags.through?.(disk) ?? disk;
  const given = { environment: environment.variables, defines: new Map((flags.define ?? []).map(readDefine)) };
  const isTold = flags.serverRoot !== undefined || flags.sysroot !== undefined || mapped.maps.length > 0;
  const guess = isTold || main === undefined ? undefined : guessServerRoot(resolve(main), disk, given, overlay);
  const serverRoot = flags.serverRoot ?? guess?.root;
  const load: LoadOptions = {
    release: flags.release,
    access,
    ...given,
    ...(serverRoot === undefined ? {} : { serverRoot }),
    ...(flags.modules === undefined ? {} : { modules: splitNames(flags.modules) }),
    withoutModules: splitNames(flags.noModule),
    ...(flags.moreModules === undefined ? {} : { moreModules: flags.moreModules }),
  };
  return { load, access, guess };
}

/** Reads the maps of flags and settings, or says which one cannot be used. */
function parsePathMaps({
  map = [],
  moreMaps = [],
  bySettings,
}: ReadingFlags): { readonly maps: readonly PathMap[] } | { readonly failed: string } {
  const maps: PathMap[] = [];
  const take = (read: PathMap, given: string): string | undefined => {
    if (statSync(read.host, { throwIfNoEntry: false }) === undefined)
      return `\`${read.host}\` of ${given} does not exist`;
    maps.push(read);
    return undefined;
  };
  for (const each of moreMaps) {
    const failed = take(each, nameOptionSource(bySettings, "--map"));
    if (failed) return { failed };
  }
  for (const written of map) {
    const read = readPathMap(written);
    const failed = "failed" in read ? `${read.failed}, as --map needs it` : take(read, "--map");
    if (failed) return { failed };
  }
  return { maps };
}

/** Finds a directory that a flag names and that does not exist: each file in it would be reported as missing. */
function findMissingDirectory(
  { sysroot, confine, serverRoot, bySettings }: ReadingFlags,
  maps: readonly PathMap[],
): { readonly failed: string } | undefined {
  const isHere = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const access = diskAccess({ maps });
  for (const [flag, path] of [
    ["--sysroot", sysroot],
    ["--confine", confine],
    // Below a system root it is none of this machine's.
    ["--server-root", sysroot === undefined ? serverRoot : undefined],
  ] as const) {
    if (path === undefined || isHere(path)) continue;
    if (flag === "--server-root" && access.isDirectory(fromReadable(resolve(path)))) continue;
    return { failed: `\`${path}\` of ${nameOptionSource(bySettings, flag)} is not a directory` };
  }
  return undefined;
}

/** The names in a flag that takes several, between commas. */
function splitNames(lists: readonly string[] | undefined): string[] {
  return (lists ?? []).flatMap((list) => list.split(",")).filter((name) => name !== "");
}

/** What is to be told of the modules that the flags name: a misspelt one would quietly change what is found. */
export function describeUnknownModules({ release, modules, noModule, bySettings }: ReadingFlags): string[] {
  const noteOn = (flag: string, name: string, effect: string) => {
    const near = findNearestModule(release, name);
    const advice = near ? `; did you mean \`${near}\`?` : "";
    return `httpd-lint: \`${name}\` in ${nameOptionSource(bySettings, flag)} is no module of httpd ${release} that httpd-lint knows, so ${effect}${advice}`;
  };
  const anyDirective = "directives of any name are taken for its own";
  return [
    ...findUnknownModules(modules, release).map((name) => noteOn("--modules", name, anyDirective)),
    ...findUnknownModules(noModule, release).map((name) => noteOn("--no-module", name, "nothing is taken away")),
  ];
}

/** Names that are neither a module of the release nor one that is known from elsewhere. */
function findUnknownModules(lists: readonly string[] | undefined, release: Release): string[] {
  return splitNames(lists).filter((name) => !findModule(release, name) && !isKnownModule(identifierOf(name)));
}

/** The module whose name is meant, by what tells it from others: all have `mod_` or `_module` in common. */
function findNearestModule(release: Release, name: string): string | undefined {
  const byIdentifier = new Map(listModules(release).map((module) => [bareName(module.identifier), module.name]));
  return byIdentifier.get(findClosestWord(bareName(name), byIdentifier.keys()) ?? "");
}

function bareName(name: string): string {
  return identifierOf(name.toLowerCase()).replace(/_module$/, "");
}

/**
 * The server's environment: the envvars file, by default the one beside the main file as Debian has it; this process's
 * own only where asked for.
 */
function environmentOf(
  flags: ReadingFlags,
  main: string | undefined,
): { variables: Map<string, string> } | { failed: string } {
  const variables = new Map<string, string>();
  if (flags.processEnv) {
    for (const [name, value] of Object.entries(process.env)) if (value) variables.set(name, fromReadable(value));
  }
  const beside = main === undefined ? undefined : join(dirname(resolve(main)), "envvars");
  const file = flags.envvars ?? beside;
  if (file === undefined) return { variables };
  const isByFlag = flags.envvars !== undefined && flags.bySettings?.names.has("--envvars") !== true;
  const content = isByFlag ? readNamedFile(file) : readFoundFile(file, flags.confine);
  if ("text" in content) for (const [name, value] of readEnvvars(content.text)) variables.set(name, value);
  else if (flags.envvars !== undefined)
    return { failed: `the file \`${file}\` of ${nameOptionSource(flags.bySettings, "--envvars")} cannot be read` };
  return { variables };
}
