import type { Release } from "../../directives/directives.js";
import type { Texts } from "../../engine/apply-fixes.js";
import type { FileAccess } from "../../project/files/file-access.js";
import type { LoadOptions } from "../../project/load.js";
import type { GuessedRoot } from "../../project/server-root.js";
import { fragmentContextOf } from "../../settings/path-ignores.js";
import type { FragmentContexts } from "../../settings/settings.js";
import { fromReadable } from "../../text/source.js";
import { shortenPath } from "./project-settings.js";
import { createReadingOptions, type ReadingFlags } from "./reading-options.js";

/** How configuration is read by the flags and settings: plain values, which may be handed to threads. */
export interface ConfigSourceSpec {
  readonly flags: Omit<ReadingFlags, "through">;
  readonly from: Release | undefined;
  /** The main file, beside which the server's environment may lie. */
  readonly main: string | undefined;
  /** The sections that the configuration file names as the context of fragments. */
  readonly fragments?: FragmentContexts | undefined;
  /** Texts that stand for files on disk, by absolute path. */
  readonly overlay: ReadonlyMap<string, string> | undefined;
}

/** How a configuration is read as a release does, with texts in place of files by their real paths. */
export type LoadOptionsFactory = (release: Release, texts?: Texts) => LoadOptions;

/** How the files of a server are read. */
export interface ConfigSource {
  readonly how: ConfigSourceSpec;
  readonly load: LoadOptions;
  readonly access: FileAccess;
  readonly release: Release;
  readonly from: Release | undefined;
  readonly loadAs: LoadOptionsFactory;
  /** Notes on the ServerRoot, if it is guessed. */
  readonly notes: readonly string[];
}

/** Reads as is said, or says what is wrong with that. @param watch is shown the files that are read */
export function openConfigSource(
  how: ConfigSourceSpec,
  watch: (access: FileAccess) => FileAccess = (access) => access,
): ConfigSource | { readonly failed: string } {
  const { flags, from, main, overlay } = how;
  const options = createReadingOptions(flags, main, overlay);
  if ("failed" in options) return options;
  const load = { ...options.load, access: watch(options.access) };
  const { serverRoot } = options.load;
  const loadAs: LoadOptionsFactory = (release, texts = new Map()) => {
    const again = createReadingOptions(
      { ...flags, serverRoot, release },
      main,
      new Map([...(overlay ?? []), ...texts]),
    );
    return "failed" in again ? load : again.load;
  };
  const notes = describeGuessedRoot(options.guess);
  return { how, load, access: options.access, release: flags.release, from, loadAs, notes };
}

/** The flags that say how a configuration is read, without others. */
export function pickReadingFlags(flags: ReadingFlags): ConfigSourceSpec["flags"] {
  const { release, serverRoot, sysroot, map, moreMaps, confine, define, envvars, processEnv } = flags;
  const { moreModules, modules, noModule, bySettings } = flags;
  return {
    ...{ release, serverRoot, sysroot, map, moreMaps, confine, define, envvars, processEnv },
    ...{ moreModules, modules, noModule, bySettings },
  };
}

/** Returns how a file is read that may be a fragment: in the sections that the configuration file names for it. */
export function withFragmentContext(reading: ConfigSource, path: string): ConfigSource {
  const { how, access, load, loadAs } = reading;
  const { fragments } = how;
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
  const { root, named, isHere } = guess;
  const where = isHere ? "outside the repository" : "not here";
  return [
    `httpd-lint: the ServerRoot \`${named}\` is ${where}: relative paths start in \`${shortenPath(root)}\`; name another directory with --server-root`,
  ];
}

/** From this many bytes on, a file is worth preparing for. */
const LARGE_FILE_BYTES = 1 << 20;

/**
 * Nearly all that a run over a large file makes it keeps to its end: a young generation that grows fast copies it less
 * often. The module that says so takes milliseconds to load, so small runs do without.
 */
export function growHeapForLargeFiles(access: FileAccess): FileAccess {
  let isPrepared = false;
  return {
    ...access,
    read(path) {
      const content = access.read(path);
      if (!isPrepared && "text" in content && content.text.length > LARGE_FILE_BYTES) {
        isPrepared = true;
        process.getBuiltinModule?.("node:v8").setFlagsFromString("--semi-space-growth-factor=8");
      }
      return content;
    },
  };
}

/** What to do if a main file does not read the files that it reads on the server. */
export const rootAdvice = "use --server-root to set where its relative paths start";
