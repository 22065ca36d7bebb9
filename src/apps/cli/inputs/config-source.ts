import { withEmbeddedFiles } from "../../../config/files/embedded-files.js";
import type { FileAccess } from "../../../config/files/file-access.js";
import { nativePath } from "../../../config/files/paths.js";
import { statOf } from "../../../config/main-files.js";
import type { ReadConfig } from "../../../config/model/project.js";
import type { LoadOptions } from "../../../config/read-entry.js";
import type { GuessedRoot } from "../../../config/server-root.js";
import type { Release } from "../../../facts/release.js";
import type { Texts } from "../../../lint/apply-fixes.js";
import type { Result } from "../../../text/result.js";
import { fromReadable } from "../../../text/source.js";
import { fragmentContextOf } from "../../settings/path-ignores.js";
import type { FragmentContexts } from "../../settings/settings.js";
import { shortenPath } from "../../short-path.js";
import { createReadingOptions, type ReadingFlags } from "./reading-options.js";

/** The way flags and configuration file have a configuration read: plain values, which can be passed to threads. */
export interface ConfigSourceSpec {
  readonly flags: Omit<ReadingFlags, "through">;
  readonly from: Release | undefined;
  /** The main file, next to which the server's environment may be. */
  readonly main: string | undefined;
  /** The sections that the configuration file names as the context of fragments. */
  readonly fragments?: FragmentContexts | undefined;
  /** Contents that replace files on disk, by absolute path. */
  readonly overlay: ReadonlyMap<string, string> | undefined;
}

/** Returns the load options for a release, with contents that replace files by real path. */
export type LoadOptionsFactory = (release: Release, texts?: Texts) => LoadOptions;

/** The access to a server's files. */
export interface ConfigSource {
  readonly spec: ConfigSourceSpec;
  readonly load: LoadOptions;
  readonly access: FileAccess;
  readonly release: Release;
  readonly from: Release | undefined;
  readonly loadAs: LoadOptionsFactory;
  /** Notes on the ServerRoot, if it is guessed. */
  readonly notes: readonly string[];
}

/** Returns the access that the options describe, or the error in them. @param watch observes the files read */
export function openConfigSource(
  given: ConfigSourceSpec,
  watch: (access: FileAccess) => FileAccess = (access) => access,
): Result<ConfigSource, string> {
  const { from, main, overlay } = given;
  const options = createReadingOptions(given.flags, main, overlay);
  if (!options.ok) return options;
  const { sysroot, guess } = options.value;
  const { moreMaps = [] } = given.flags;
  const flags = { ...given.flags, sysroot, moreMaps: guess?.part ? [...moreMaps, guess.part] : moreMaps };
  const spec = { ...given, flags };
  const load = { ...options.value.load, access: withEmbeddedFiles(watch(options.value.access)) };
  const { serverRoot } = options.value.load;
  const loadAs: LoadOptionsFactory = (release, texts = new Map()) => {
    const changed = createReadingOptions(
      { ...flags, serverRoot, release },
      main,
      new Map([...(overlay ?? []), ...texts]),
    );
    return changed.ok ? { ...changed.value.load, access: withEmbeddedFiles(changed.value.access) } : load;
  };
  const notes = describeGuessedRoot(guess);
  return { ok: true, value: { spec, load, access: options.value.access, release: flags.release, from, loadAs, notes } };
}

/** Returns only the flags that control how a configuration is read. */
export function pickReadingFlags(flags: ReadingFlags): ConfigSourceSpec["flags"] {
  const { release, serverRoot, sysroot, map, moreMaps, confine, define, envvars, processEnv } = flags;
  const { moreModules, modules, noModule, bySettings } = flags;
  return {
    ...{ release, serverRoot, sysroot, map, moreMaps, confine, define, envvars, processEnv },
    ...{ moreModules, modules, noModule, bySettings },
  };
}

/** Returns the reading for a file that may be a fragment: in the sections that the configuration file names for it. */
export function withFragmentContext(reading: ConfigSource, path: string): ConfigSource {
  const { spec, access, load, loadAs } = reading;
  const { fragments } = spec;
  const context = fragments && fragmentContextOf(fragments, access.realPath(fromReadable(path)));
  if (context === undefined || context.length === 0) return reading;
  return {
    ...reading,
    load: { ...load, context },
    loadAs: (release, texts) => ({ ...loadAs(release, texts), context }),
  };
}

/** Returns the note on a guessed ServerRoot; none if nothing was guessed. */
export function describeGuessedRoot(guess: GuessedRoot | undefined): readonly string[] {
  if (guess === undefined) return [];
  const { root, named, isByPath, isHere, sysroot, part } = guess;
  const where = isHere ? "is outside the repository" : "does not exist here";
  const instead = part
    ? `\`${nativePath(part.server)}\` is read from \`${shortenPath(part.host)}\`; name other directories with --map`
    : sysroot === undefined
      ? `it is read from \`${shortenPath(root)}\`; name another directory with --server-root`
      : `absolute paths are read below \`${shortenPath(sysroot)}\`; name another directory with --sysroot`;
  const cause = isByPath
    ? `\`${shortenPath(root)}\` is a copy of \`${named}\``
    : `the ServerRoot \`${named}\` ${where}`;
  return [`httpd-lint: ${cause}: ${instead}`];
}

/** Returns a note on LoadModule lines that are not all that the server has. */
export function describeModuleList({ kind, loadModules, modulesAreKnown, entry }: ReadConfig): readonly string[] {
  if (kind !== "server" || modulesAreKnown || loadModules.length === 0) return [];
  return [
    `httpd-lint: the LoadModule lines of \`${shortenPath(entry)}\` are incomplete, so the usual modules are assumed to be loaded; name all modules with --modules`,
  ];
}

/** Minimum file size, in bytes, for enlarging the young generation. */
const LARGE_FILE_BYTES = 1 << 20;

/**
 * Configures the garbage collector for large files. Nearly everything such a run allocates lives to its end, so a
 * fast-growing young generation copies it less often. The required module takes milliseconds to load, so small runs
 * skip it.
 */
export function growHeapForLargeFiles(access: FileAccess): FileAccess {
  let isPrepared = false;
  return {
    ...access,
    read(path) {
      const content = access.read(path);
      if (!isPrepared && content.ok && content.value.text.length > LARGE_FILE_BYTES) {
        isPrepared = true;
        process.getBuiltinModule?.("node:v8").setFlagsFromString("--semi-space-growth-factor=8");
      }
      return content;
    },
  };
}

/** Advice for a main file that does not read the files that it reads on the server. */
export const rootAdvice = "use --server-root to set where its relative paths start";

/** Returns the source without the version you upgrade from. */
export function omitUpgrade(source: ConfigSource): ConfigSource {
  return { ...source, from: undefined, spec: { ...source.spec, from: undefined } };
}

/** Reports whether a file is outside the system root in use. */
export function isOutsideSysroot(path: string, { access, spec }: ConfigSource): boolean {
  return spec.flags.sysroot !== undefined && !access.exists(fromReadable(path)) && statOf(path) !== undefined;
}
