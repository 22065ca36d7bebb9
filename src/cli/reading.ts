import type { Release } from "../directives/directives.js";
import type { Texts } from "../engine/fix-passes.js";
import type { FileAccess } from "../project/files.js";
import type { LoadOptions } from "../project/load.js";
import type { FragmentContexts } from "../settings/fragments.js";
import { fragmentContextOf } from "../settings/path-ignores.js";
import { fromReadable } from "../text/source.js";
import { type ReadingFlags, readingOptions } from "./options.js";
import { guessNotes } from "./root-notes.js";

/** How configuration is read by the flags and settings: plain values, which may be handed to threads. */
export interface HowRead {
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
export type LoadAs = (release: Release, texts?: Texts) => LoadOptions;

/** How the files of a server are read. */
export interface Reading {
  readonly how: HowRead;
  readonly load: LoadOptions;
  readonly access: FileAccess;
  readonly release: Release;
  readonly from: Release | undefined;
  readonly loadAs: LoadAs;
  /** Notes on the ServerRoot, if it is guessed. */
  readonly notes: readonly string[];
}

/** Reads as is said, or says what is wrong with that. @param watch is shown the files that are read */
export function readingOf(
  how: HowRead,
  watch: (access: FileAccess) => FileAccess = (access) => access,
): Reading | { readonly failed: string } {
  const { flags, from, main, overlay } = how;
  const options = readingOptions(flags, main, overlay);
  if ("failed" in options) return options;
  const load = { ...options.load, access: watch(options.access) };
  const { serverRoot } = options.load;
  const loadAs: LoadAs = (release, texts = new Map()) => {
    const again = readingOptions({ ...flags, serverRoot, release }, main, new Map([...(overlay ?? []), ...texts]));
    return "failed" in again ? load : again.load;
  };
  const notes = guessNotes(options.guess);
  return { how, load, access: options.access, release: flags.release, from, loadAs, notes };
}

/** The flags that say how a configuration is read, without others. */
export function readingFlags(flags: ReadingFlags): HowRead["flags"] {
  const { release, serverRoot, sysroot, map, moreMaps, confine, define, envvars, processEnv } = flags;
  const { moreModules, modules, noModule, bySettings } = flags;
  return {
    ...{ release, serverRoot, sysroot, map, moreMaps, confine, define, envvars, processEnv },
    ...{ moreModules, modules, noModule, bySettings },
  };
}

/** Returns how a file is read that may be a fragment: in the sections that the configuration file names for it. */
export function readingInContext(reading: Reading, path: string): Reading {
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
