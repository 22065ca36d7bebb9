import { isBefore, type Release } from "../../../facts/release.js";
import { getOrCreate } from "../../../text/collections.js";
import type { Result } from "../../../text/result.js";
import { fromReadable } from "../../../text/source.js";
import { fragmentContextsOf, serverSettingsOf } from "../../settings/settings.js";
import {
  type ConfigSource,
  growHeapForLargeFiles,
  isOutsideSysroot,
  omitUpgrade,
  openConfigSource,
  pickReadingFlags,
} from "../inputs/config-source.js";
import { chooseRelease, mergeReadingFlags } from "../inputs/project-settings.js";
import { describeUnknownModules } from "../inputs/reading-options.js";
import { type CommandResult, exitCodes, failWith } from "../output/command-result.js";
import type { ServerChoices } from "./effective-settings.js";
import type { GroupContext } from "./lint-group.js";

/** The sources of the servers of a group, each opened once. */
export class ConfigSources {
  private readonly sources = new Map<string | undefined, Result<ConfigSource, CommandResult>>();
  private readonly sourcesOnDisk = new Map<string | undefined, Result<ConfigSource, CommandResult>>();
  private readonly realPaths = new Map<string, string>();
  private readonly choices = new Map<ConfigSource, ServerChoices>();
  /** Sources without the version you upgrade from, for files next to servers of 2.4. */
  private readonly plainSources = new Map<ConfigSource, ConfigSource>();

  constructor(
    private readonly options: Pick<GroupContext, "group" | "flags" | "overlay" | "watch">,
    private readonly notes: Set<string>,
  ) {}

  /** Resolves links. Links on this machine's disk are resolved once for all servers; below a system root they differ. */
  realPathOf(path: string, reading: ConfigSource): string {
    const { sysroot, map, moreMaps } = reading.spec.flags;
    const isPlain = sysroot === undefined && !map?.length && !moreMaps?.length;
    if (!isPlain) return reading.access.realPath(fromReadable(path));
    const known = this.realPaths.get(path) ?? reading.access.realPath(fromReadable(path));
    this.realPaths.set(path, known);
    return known;
  }

  /** @param found a file to be read that the user did not name: a main file, or a file on its own */
  sourceFor(main: string | undefined, found?: string): Result<ConfigSource, CommandResult> {
    const known = this.sources.get(main) ?? this.createSource(main, false);
    this.sources.set(main, known);
    if (found === undefined || !known.ok || !isOutsideSysroot(found, known.value)) return known;
    const onDisk = this.sourcesOnDisk.get(main) ?? this.createSource(main, true);
    this.sourcesOnDisk.set(main, onDisk);
    return onDisk;
  }

  /** @param isOnDisk whether absolute paths are read as they are, not below the system root */
  private createSource(main: string | undefined, isOnDisk: boolean): Result<ConfigSource, CommandResult> {
    const { group, flags, overlay, watch } = this.options;
    const { settings } = group;
    const server = serverSettingsOf(settings, main);
    const from = flags.from ?? server.from;
    const by = mergeReadingFlags(flags, server, settings);
    const { release, notes, isOfImage } = this.releaseFor(flags.release ?? server.release, main, by.confine, from);
    for (const note of notes) this.notes.add(note);
    const reading = { ...flags, ...by, release, ...(isOnDisk ? { sysroot: undefined } : {}) };
    for (const note of describeUnknownModules(reading)) this.notes.add(note);
    const spec = {
      flags: pickReadingFlags(reading),
      from,
      main,
      overlay,
      fragments: fragmentContextsOf(settings),
    };
    const read = openConfigSource(spec, (access) => growHeapForLargeFiles(watch(access)));
    if (!read.ok) return failWith(exitCodes.usage, read.error);
    this.choices.set(read.value, { flags, settings, server, reading: by, release, isReleaseOfImage: isOfImage, from });
    return read;
  }

  /** An image with the version that is upgraded from says nothing about the target. */
  private releaseFor(
    named: Release | undefined,
    main: string | undefined,
    confine: string | undefined,
    from: Release | undefined,
  ): ReturnType<typeof chooseRelease> {
    const path = main ?? this.options.group.paths[0];
    const chosen = chooseRelease(named, path, confine);
    return isBefore(from, "2.4") && isBefore(chosen.release, "2.4") && named === undefined
      ? { release: "2.4", notes: [], isOfImage: false }
      : chosen;
  }

  /** Returns a source without the version you upgrade from. */
  plainSourceOf(source: ConfigSource): ConfigSource {
    return getOrCreate(this.plainSources, source, () => {
      const plain = omitUpgrade(source);
      const choices = this.choices.get(source);
      if (choices !== undefined) this.choices.set(plain, { ...choices, from: undefined });
      return plain;
    });
  }

  /** Returns what was chosen for the files of a source. */
  choicesFor(source: ConfigSource): ServerChoices | undefined {
    return this.choices.get(source);
  }
}
