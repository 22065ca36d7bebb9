import { resolve } from "node:path";
import type { Release } from "../directives/directives.js";
import { type Sift, told } from "../engine/lint.js";
import type { RuleDefinition } from "../engine/rule.js";
import { isWithin } from "../project/confined.js";
import { realOrSame } from "../project/file-content.js";
import type { FileAccess } from "../project/files.js";
import { statOf } from "../project/main-files.js";
import type { EntryKind } from "../project/project.js";
import { repositoryServers } from "../project/repository-servers.js";
import { fragmentsIn } from "../settings/fragments.js";
import { mainOf, serverIn } from "../settings/servers.js";
import { SETTINGS_FILE, type Settings } from "../settings/settings.js";
import { fromReadable } from "../text/source.js";
import { aloneIn, foundAlone } from "./alone.js";
import { type Analysed, analyse } from "./analysed.js";
import { exitCodes } from "./exit-codes.js";
import type { FolderSearches } from "./folder-searches.js";
import { type Found, gather } from "./found.js";
import type { KeptResults } from "./kept-results.js";
import { MANY_FILES, partsOf } from "./many-files.js";
import { withRoomToGrow } from "./memory.js";
import { moduleNotes } from "./options.js";
import { failure, type Outcome } from "./outcome.js";
import { fartherServers, type PlacedServer, serversIn } from "./placed-servers.js";
import { type PlacedFile, place } from "./placement.js";
import { type Reading, readingFlags, readingOf } from "./reading.js";
import { type InputFlags, readingBy } from "./settings.js";
import type { Done, Steps } from "./work.js";

/** What is to be analysed under the same settings. */
export interface Asked {
  readonly paths: readonly string[];
  readonly settings: Settings | undefined;
  /** The main file that the user names. */
  readonly main: string | undefined;
  readonly searches: FolderSearches;
  /** Folders with a configuration file of their own. */
  readonly governed: readonly string[];
  /** Folders that may have no configuration. */
  readonly optional: ReadonlySet<string>;
  /** Whether files that the user names are skipped if they are not httpd's. */
  readonly skipUnrecognized: boolean;
  readonly flags: InputFlags & { readonly release?: Release | undefined; readonly from?: Release | undefined };
  readonly rules: readonly RuleDefinition[];
  /** Texts that stand for files on disk, by absolute path. */
  readonly overlay: ReadonlyMap<string, string> | undefined;
  readonly sift: Sift;
  /** Files as they are read, watched by whom it concerns. */
  readonly watch: (access: FileAccess) => FileAccess;
  /** What is known of earlier runs, where that is asked for. */
  readonly kept?: KeptResults | undefined;
  /** Whether fixes are wanted, which are of all files of a server together. */
  readonly isFixing: boolean;
  /** Whether a baseline is written, which no configuration may load. */
  readonly isUpdating: boolean;
}

type Failed = { readonly failed: Outcome };

/** A file that is analyzed on its own. */
interface LoneFile {
  readonly file: Waiting;
  readonly reading: Reading;
}

/** A file that no server has read so far. */
interface Waiting extends PlacedFile {
  /** The servers that were read and do not include it. */
  readonly missedBy: string[];
}

/**
 * Analyses the servers, each with the paths that it reads, and then on its own each path that none of them reads. A path
 * that several servers read is analyzed in each.
 */
export class Analyses {
  private readonly readings = new Map<string | undefined, Reading | Failed>();
  private readonly readingsOnDisk = new Map<string | undefined, Reading | Failed>();
  private readonly waiting = new Map<string, Waiting>();
  /** Main files that another server reads, and files that a server reads. */
  private readonly taken = new Set<string>();
  private readonly realPaths = new Map<string, string>();

  constructor(
    private readonly asked: Asked,
    private readonly found: Found,
  ) {}

  /** @returns what went wrong */
  *run(): Steps<Outcome | undefined> {
    const { paths, settings, main, searches, governed, optional, flags, skipUnrecognized, overlay } = this.asked;
    const mains = main === undefined ? (settings?.servers ?? []).map(({ entry }) => mainOf(entry)) : [resolve(main)];
    const named = new Map(mains.map((path) => [realOrSame(path), path]));
    const confine = flags.confine ?? settings?.common.confine;
    const placing = { searches, governed, optional, confine, named, skipUnrecognized, overlay };
    const placement = place(paths, placing);
    if ("failed" in placement) return failure(exitCodes.unreadable, placement.failed);
    for (const path of placement.templates) this.found.templates.add(path);
    for (const file of placement.files) this.waiting.set(file.path, { ...file, missedBy: [] });
    const servers = serversIn(placement, named);
    const failed = yield* this.servers(servers);
    if (failed) return failed;
    const left = [...this.waiting.keys()].filter((path) => !this.taken.has(path));
    const inRepository = repositoryServers(left, {
      settingsName: SETTINGS_FILE,
      settings: settings?.directory,
      confine,
    });
    const failedThere = yield* this.servers(fartherServers(inRepository, servers));
    if (failedThere) return failedThere;
    const empty = placement.empty.find(({ directory }) => ![...this.taken].some((path) => isWithin(path, directory)));
    return empty ? failure(exitCodes.unreadable, empty.failed) : yield* this.loneFiles();
  }

  private *servers(servers: readonly PlacedServer[]): Steps<Outcome | undefined> {
    for (const server of servers) {
      const failed = yield* this.server(server, servers);
      if (failed) return failed;
    }
    return undefined;
  }

  /** @param servers all servers: those whose main files this one reads are parts of it */
  private *server(server: PlacedServer, servers: readonly PlacedServer[]): Steps<Outcome | undefined> {
    const { main, isWhole, isNamed, isFarther } = server;
    if (this.taken.has(main)) return undefined;
    const mayRead = (file: PlacedFile) => isNamed || isFarther || file.above.includes(main) || file.beside.has(main);
    const files = [...this.waiting.values()].filter(mayRead);
    const others = servers.filter((each) => each !== server && !each.isNamed && !this.taken.has(each.main));
    const parts = others.filter((each) => each.file && mayRead(each.file));
    if (!isWhole && files.length === 0 && parts.length === 0) return undefined;
    const reading = this.readingOf(main, isNamed || server.file?.isNamed ? undefined : main);
    if ("failed" in reading) return reading.failed;
    const analysed = this.analysed(main, reading, "server");
    if ("failed" in analysed) return isFarther ? undefined : analysed.failed;
    const asked = new Set<string>();
    for (const file of files) {
      const real = this.realPathOf(file.path, reading);
      if (!analysed.reads(real)) file.missedBy.push(main);
      else {
        asked.add(real);
        this.taken.add(file.path);
      }
    }
    for (const part of others) {
      const real = this.realPathOf(part.main, reading);
      if (!analysed.reads(real)) continue;
      this.taken.add(part.main);
      if (part.isWhole) asked.add(real);
    }
    if (!isFarther || asked.size > 0)
      for (const note of [...reading.notes, ...analysed.notes]) this.found.notes.add(note);
    if (isWhole || asked.size > 0) yield* this.collect(analysed, reading, isWhole ? undefined : asked);
    return undefined;
  }

  /** Resolves links. Links on this machine's disk are resolved once for all servers; below a system root they differ. */
  private realPathOf(path: string, reading: Reading): string {
    const { sysroot, map, moreMaps } = reading.how.flags;
    const isPlain = sysroot === undefined && !map?.length && !moreMaps?.length;
    if (!isPlain) return reading.access.realPath(fromReadable(path));
    const known = this.realPaths.get(path) ?? reading.access.realPath(fromReadable(path));
    this.realPaths.set(path, known);
    return known;
  }

  /** @param found a file to be read that the user did not name: a main file, or a file on its own */
  private readingOf(main: string | undefined, found?: string): Reading | Failed {
    const known = this.readings.get(main) ?? this.makeReading(main, false);
    this.readings.set(main, known);
    if (found === undefined || "failed" in known || !isElsewhere(found, known)) return known;
    const onDisk = this.readingsOnDisk.get(main) ?? this.makeReading(main, true);
    this.readingsOnDisk.set(main, onDisk);
    return onDisk;
  }

  /** @param isOnDisk whether absolute paths are read as they are, not below the system root */
  private makeReading(main: string | undefined, isOnDisk: boolean): Reading | Failed {
    const { flags, settings, overlay, watch } = this.asked;
    const server = serverIn(settings, main);
    const release = flags.release ?? server.release ?? "2.4";
    const by = readingBy(flags, server, settings);
    const reading = { ...flags, ...by, release, ...(isOnDisk ? { sysroot: undefined } : {}) };
    for (const note of moduleNotes(reading)) this.found.notes.add(note);
    const how = {
      flags: readingFlags(reading),
      from: flags.from ?? server.from,
      main,
      overlay,
      fragments: fragmentsIn(settings),
    };
    const read = readingOf(how, (access) => withRoomToGrow(watch(access)));
    return "failed" in read ? { failed: failure(exitCodes.usage, read.failed) } : read;
  }

  /** Analyzes the files that no server reads, each on its own. */
  private *loneFiles(): Steps<Outcome | undefined> {
    const { isFixing, isUpdating } = this.asked;
    const left: LoneFile[] = [];
    for (const file of this.waiting.values()) {
      if (this.taken.has(file.path) || !file.isRecognized) continue;
      const reading = this.readingOf(file.above[0], file.path);
      if ("failed" in reading) return reading.failed;
      left.push({ file, reading });
    }
    if (left.length >= MANY_FILES && !isFixing && !isUpdating) return yield* this.manyLoneFiles(left);
    for (const { file, reading } of left) {
      if (this.isKnown(file, reading)) continue;
      const analysed = this.analysed(file.path, reading, undefined);
      if ("failed" in analysed) return analysed.failed;
      this.noteLoneFile(file, analysed.kind);
      yield* this.collect(analysed, reading, undefined);
    }
    return undefined;
  }

  private isKnown({ path }: Waiting, reading: Reading): boolean {
    return this.found.files.has(this.realPathOf(path, reading));
  }

  private noteLoneFile({ path, missedBy }: Waiting, kind: EntryKind): void {
    if (kind === "fragment") this.found.alone.set(path, missedBy);
  }

  /** The same where they are many: some at a time, of which nothing is held but what was found. */
  private *manyLoneFiles(left: readonly LoneFile[]): Steps<Outcome | undefined> {
    const { rules } = this.asked;
    let failed: Outcome | undefined;
    for (const reading of new Set(left.map((each) => each.reading))) {
      const files = left.flatMap((each) => (each.reading === reading ? [each.file] : []));
      const byPath = new Map(files.map((file) => [file.path, file]));
      yield {
        session: { how: reading.how, rules: rules.map(({ id, severity }) => [id, severity]) },
        tasks: partsOf([...byPath.keys()], 0).map((part) => ({ paths: part })),
        here: (task) => aloneIn(task, reading, rules),
        take: (done, task) => {
          const asked = "paths" in task ? task.paths : [];
          for (const [index, path] of asked.entries()) {
            const file = byPath.get(path);
            if (file) failed ??= this.takeLoneFile(file, done, index, reading);
          }
        },
      };
      if (failed) return failed;
    }
    return undefined;
  }

  private takeLoneFile(file: Waiting, done: Done, index: number, reading: Reading): Outcome | undefined {
    const { path } = file;
    const piece = done.kind === "alone" ? done.each[index] : undefined;
    if (piece === undefined || this.isKnown(file, reading)) return undefined;
    if ("unreadable" in piece) return unreadable(path, piece.unreadable);
    const { rules, sift } = this.asked;
    const found = foundAlone(path, piece, reading, rules);
    if ("unreadable" in found) return unreadable(path, found.unreadable);
    this.noteLoneFile(file, piece.kind);
    gather(told(found.examined, { sift }), found.files, undefined, this.found);
    this.noteRun(reading);
    return undefined;
  }

  private analysed(path: string, reading: Reading, kind: EntryKind | undefined): Analysed | Failed {
    const { isFixing, rules, kept } = this.asked;
    const analysed = analyse({ path, kind, reading, rules, kept, isWhole: isFixing });
    return "unreadable" in analysed ? { failed: unreadable(path, analysed.unreadable) } : analysed;
  }

  private *collect(analysed: Analysed, reading: Reading, only: ReadonlySet<string> | undefined): Steps<void> {
    const { found, asked } = this;
    const { result, files, linted, project } = yield* analysed.tell({
      sift: asked.sift,
      ...(only === undefined ? {} : { only }),
    });
    gather(result, files, only, found);
    const { access, loadAs } = reading;
    if (linted && asked.isFixing) found.linted.push({ linted, access, loadAs });
    if (project && asked.isUpdating) found.read.push({ project, access });
    this.noteRun(reading);
  }

  private noteRun({ from }: Reading): void {
    for (const { id, upgradeOnly } of this.asked.rules) if (!upgradeOnly || from === "2.2") this.found.ran.add(id);
  }
}

function unreadable(path: string, why: string): Outcome {
  return failure(exitCodes.unreadable, `\`${path}\` cannot be read: ${why}`);
}

/** Whether a file is not below the system root that is read. */
function isElsewhere(path: string, { access, how }: Reading): boolean {
  return how.flags.sysroot !== undefined && !access.exists(fromReadable(path)) && statOf(path) !== undefined;
}
