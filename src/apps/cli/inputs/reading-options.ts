import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type DiskOptions, diskAccess } from "../../../config/files/disk.js";
import type { FileAccess } from "../../../config/files/file-access.js";
import { readFoundFile, readNamedFile } from "../../../config/files/file-content.js";
import { type PathMap, readPathMap } from "../../../config/files/path-maps.js";
import { findModule, identifierOf, isKnownModule } from "../../../config/model/modules.js";
import { assumeEnvironment, findUndefinedVariable, readDefine, readEnvvars } from "../../../config/model/variables.js";
import type { LoadOptions } from "../../../config/read-entry.js";
import { type GuessedRoot, guessServerRoot, replacementRootOf } from "../../../config/server-root.js";
import { listModules } from "../../../facts/modules.js";
import type { Release } from "../../../facts/release.js";
import { findClosestWord } from "../../../text/closest-word.js";
import type { Result } from "../../../text/result.js";
import { fromReadable } from "../../../text/source.js";

/** The flags that control how a configuration is read; the same for every command. */
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
  /** Additional modules assumed to be loaded, which no flag names. */
  readonly moreModules?: readonly string[] | undefined;
  /** Wraps the file access in use. */
  readonly wrapAccess?: ((access: FileAccess) => FileAccess) | undefined;
  readonly modules?: readonly string[] | undefined;
  readonly noModule?: readonly string[] | undefined;
  /** Whether to assume that no `.htaccess` file in the directories of users controls access. */
  readonly assumeNoUserdirHtaccess?: boolean | undefined;
  /** Options that come from the configuration file rather than from flags. */
  readonly bySettings?: SettingsOrigin | undefined;
}

/** Options set by configuration files, for messages: the name of each and the file that has it, by flag name. */
export interface SettingsOrigin {
  readonly names: ReadonlyMap<string, { readonly name: string; readonly path: string }>;
  /**
   * Directory that must contain the files named, if the configuration file was found by search and --confine was given.
   */
  readonly within?: string | undefined;
}

/**
 * Returns the name of the flag, or of the corresponding option in the configuration file, that an operator has to
 * correct.
 */
export function nameOptionSource(bySettings: SettingsOrigin | undefined, flag: string): string {
  const option = bySettings?.names.get(flag);
  return option === undefined ? flag : `\`${option.name}\` in \`${option.path}\``;
}

export type ReadingOptions = Result<
  {
    readonly load: LoadOptions;
    readonly access: FileAccess;
    /** The guessed ServerRoot, if nothing else defines the base of relative paths. */
    readonly guess: GuessedRoot | undefined;
    /** The system root: that of the flags, or the guessed one. */
    readonly sysroot: string | undefined;
  },
  string
>;

/**
 * Converts flags to read options.
 *
 * @param main the main file, whose folder may contain the server's envvars
 * @param overlay contents that replace files on disk, by absolute path
 */
export function createReadingOptions(
  flags: ReadingFlags,
  main: string | undefined,
  overlay?: DiskOptions["overlay"],
): ReadingOptions {
  const mapped = parsePathMaps(flags);
  if (!mapped.ok) return mapped;
  const missing = findMissingDirectory(flags, mapped.value);
  if (missing !== undefined) return { ok: false, error: missing };
  const environment = environmentOf(flags, main, overlay);
  if (!environment.ok) return environment;
  const diskBelow = (sysroot: string | undefined, maps: readonly PathMap[]) =>
    diskAccess({
      maps,
      ...(sysroot === undefined ? {} : { sysroot }),
      ...(flags.confine === undefined ? {} : { confine: flags.confine }),
      ...(overlay === undefined ? {} : { overlay }),
    });
  const disk = diskBelow(flags.sysroot, mapped.value);
  const given = { environment: environment.value, defines: new Map((flags.define ?? []).map(readDefine)) };
  const hasNamedRoot = flags.serverRoot !== undefined || mapped.value.length > 0;
  const guessed =
    hasNamedRoot || main === undefined
      ? undefined
      : guessServerRoot(resolve(main), disk, given, { overlay, confine: flags.confine });
  // A system root contains every directory that has a name.
  const guess = flags.sysroot !== undefined && !hasUndefinedVariable(guessed) ? undefined : guessed;
  const sysroot = flags.sysroot ?? guess?.sysroot;
  const isAsGiven = sysroot === flags.sysroot && guess?.part === undefined;
  const own = isAsGiven ? disk : diskBelow(sysroot, guess?.part ? [guess.part] : mapped.value);
  const access = flags.wrapAccess?.(own) ?? own;
  const serverRoot = flags.serverRoot ?? replacementRootOf(guess);
  const load: LoadOptions = {
    release: flags.release,
    access,
    ...given,
    ...(serverRoot === undefined ? {} : { serverRoot }),
    ...(flags.modules === undefined ? {} : { modules: splitNames(flags.modules) }),
    withoutModules: splitNames(flags.noModule),
    ...(flags.moreModules === undefined ? {} : { moreModules: flags.moreModules }),
    ...(flags.assumeNoUserdirHtaccess ? { assumesNoUserHtaccess: true } : {}),
  };
  return { ok: true, value: { load, access, guess, sysroot } };
}

function hasUndefinedVariable(guess: GuessedRoot | undefined): boolean {
  return guess !== undefined && findUndefinedVariable(guess.named) !== undefined;
}

/** Parses the maps of flags and configuration file, or returns the one that is invalid. */
function parsePathMaps({ map = [], moreMaps = [], bySettings }: ReadingFlags): Result<readonly PathMap[], string> {
  const maps: PathMap[] = [];
  const take = (read: PathMap, given: string): string | undefined => {
    if (statSync(read.host, { throwIfNoEntry: false }) === undefined)
      return `\`${read.host}\` of ${given} does not exist`;
    maps.push(read);
    return undefined;
  };
  for (const each of moreMaps) {
    const failed = take(each, nameOptionSource(bySettings, "--map"));
    if (failed) return { ok: false, error: failed };
  }
  for (const written of map) {
    const read = readPathMap(written);
    const failed = read.ok ? take(read.value, "--map") : `invalid value for --map: ${read.error}`;
    if (failed) return { ok: false, error: failed };
  }
  return { ok: true, value: maps };
}

/** Returns a directory that a flag names and that does not exist: each file in it would be reported as missing. */
function findMissingDirectory(
  { sysroot, confine, serverRoot, bySettings }: ReadingFlags,
  maps: readonly PathMap[],
): string | undefined {
  const isHere = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const access = diskAccess({ maps });
  for (const [flag, path] of [
    ["--sysroot", sysroot],
    ["--confine", confine],
    // With a system root, it is not a path of this machine.
    ["--server-root", sysroot === undefined ? serverRoot : undefined],
  ] as const) {
    if (path === undefined || isHere(path)) continue;
    if (flag === "--server-root" && access.isDirectory(fromReadable(resolve(path)))) continue;
    return `\`${path}\` of ${nameOptionSource(bySettings, flag)} is not a directory`;
  }
  return undefined;
}

/** Returns the names in a flag that takes a comma-separated list. */
export function splitNames(lists: readonly string[] | undefined): string[] {
  return (lists ?? []).flatMap((list) => list.split(",")).filter((name) => name !== "");
}

/** The modules that `--modules` names. */
export interface NamedModules {
  /** Those that replace the LoadModule lines; undefined if all names have a sign. */
  readonly loaded: readonly string[] | undefined;
  /** Those with `+`: loaded as well. */
  readonly added: readonly string[];
  /** Those with `-`: not loaded. */
  readonly removed: readonly string[];
}

/** Reads the values of `--modules`: `a,b` replaces the LoadModule lines, `+a,-b` changes what they load. */
export function readNamedModules(lists: readonly string[] | undefined): NamedModules {
  const names = splitNames(lists);
  const withSign = (sign: string) => names.filter((name) => name.startsWith(sign)).map((name) => name.slice(1));
  const plain = names.filter((name) => !/^[+-]/.test(name));
  const isListed = lists !== undefined && (plain.length > 0 || names.length === 0);
  return { loaded: isListed ? plain : undefined, added: withSign("+"), removed: withSign("-") };
}

/** Returns notes on the modules that the flags name: a misspelt one would silently change the findings. */
export function describeUnknownModules(flags: ReadingFlags): string[] {
  const { release, modules, moreModules, noModule, bySettings } = flags;
  const noteOn = (flag: string, name: string, effect: string) => {
    const near = findNearestModule(release, name);
    const advice = near ? `; did you mean \`${near}\`?` : "";
    return `httpd-lint: unknown module \`${name}\` for ${release} in ${nameOptionSource(bySettings, flag)}, so ${effect}${advice}`;
  };
  const anyDirective = "it may provide any directive";
  return [
    ...findUnknownModules([...(modules ?? []), ...(moreModules ?? [])], release).map((name) =>
      noteOn("--modules", name, anyDirective),
    ),
    ...findUnknownModules(noModule, release).map((name) => noteOn("--no-module", name, "it has no effect")),
  ];
}

/** Returns names that are neither a module of the release nor a known third-party module. */
function findUnknownModules(lists: readonly string[] | undefined, release: Release): string[] {
  return splitNames(lists).filter((name) => !findModule(release, name) && !isKnownModule(identifierOf(name)));
}

/** Returns the most similar module name, ignoring the common `mod_` and `_module`. */
function findNearestModule(release: Release, name: string): string | undefined {
  const byIdentifier = new Map(listModules(release).map((module) => [bareName(module.identifier), module.name]));
  return byIdentifier.get(findClosestWord(bareName(name), byIdentifier.keys()) ?? "");
}

function bareName(name: string): string {
  return identifierOf(name.toLowerCase()).replace(/_module$/, "");
}

/**
 * Returns the server's environment: the envvars file, by default the one next to the main file, as on Debian. This
 * process's own environment is used only if requested. Without the file, the values are those of Debian's package.
 */
function environmentOf(
  flags: ReadingFlags,
  main: string | undefined,
  overlay: DiskOptions["overlay"],
): Result<Map<string, string>, string> {
  const variables = new Map<string, string>();
  if (flags.processEnv) {
    for (const [name, value] of Object.entries(process.env)) if (value) variables.set(name, fromReadable(value));
  }
  const defaultFile = main === undefined ? undefined : join(dirname(resolve(main)), "envvars");
  const file = flags.envvars ?? defaultFile;
  if (file === undefined) return { ok: true, value: variables };
  const isByFlag = flags.envvars !== undefined && flags.bySettings?.names.has("--envvars") !== true;
  const piped = isByFlag ? overlay?.get(resolve(file)) : undefined;
  const read = () => (isByFlag ? readNamedFile(file) : readFoundFile(file, flags.confine));
  const content = piped === undefined ? read() : { ok: true, value: { text: piped } };
  if (content.ok) for (const [name, value] of readEnvvars(content.value.text)) variables.set(name, value);
  else if (flags.envvars !== undefined)
    return {
      ok: false,
      error: `the file \`${file}\` of ${nameOptionSource(flags.bySettings, "--envvars")} cannot be read`,
    };
  else for (const [name, value] of assumeEnvironment(main ?? "")) if (!variables.has(name)) variables.set(name, value);
  return { ok: true, value: variables };
}
