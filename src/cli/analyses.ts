import type { Release } from "../directives/directives.js";
import { type Sift, told } from "../engine/lint.js";
import type { RuleDefinition } from "../engine/rule.js";
import type { FileAccess } from "../project/files.js";
import { realPathOf } from "../project/main-files.js";
import type { EntryKind } from "../project/project.js";
import { fragmentsIn } from "../settings/fragments.js";
import { mainOf, serverIn } from "../settings/servers.js";
import type { Settings } from "../settings/settings.js";
import { fromReadable } from "../text/source.js";
import { aloneIn, foundAlone } from "./alone.js";
import { type Analysed, analyse } from "./analysed.js";
import { exitCodes } from "./exit-codes.js";
import { type Found, gather } from "./found.js";
import type { KeptResults } from "./kept-results.js";
import { MANY_FILES, partsOf } from "./many-files.js";
import { withRoomToGrow } from "./memory.js";
import { moduleNotes } from "./options.js";
import { failure, type Outcome } from "./outcome.js";
import { type Reading, readingFlags, readingOf } from "./reading.js";
import { type InputFlags, readingBy } from "./settings.js";
import { type Target, targetsOf } from "./targets.js";
import type { Done, Steps } from "./work.js";

/** What is to be analysed under the same settings. */
export interface Asked {
  readonly paths: readonly string[];
  readonly settings: Settings | undefined;
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

/**
 * Analyses the servers with the paths asked for in them, and then on its own each path that none of them reads. The servers
 * that the settings name come first: a path that one of them reads is theirs, wherever it lies.
 */
export class Analyses {
  private readonly readings = new Map<string | undefined, Reading | Failed>();
  private readonly left: { readonly path: string; readonly reading: Reading }[] = [];

  constructor(
    private readonly asked: Asked,
    private readonly found: Found,
  ) {}

  /** @returns what went wrong */
  *run(): Steps<Outcome | undefined> {
    const mains = (this.asked.settings?.servers ?? []).map(({ entry }) => mainOf(entry));
    const named = new Map(mains.map((main) => [realPathOf(main) ?? main, main]));
    const sorted = targetsOf(this.asked.paths, new Set(named.keys()));
    if ("failed" in sorted) return failure(exitCodes.unreadable, sorted.failed);
    const isNamed = ({ main }: Target) => main !== undefined && named.has(realPathOf(main) ?? main);
    const others = sorted.targets.filter((target) => !isNamed(target));
    const pool = new Set(others.flatMap(({ paths }) => paths));
    const steps = [
      ...sorted.targets.filter(isNamed).map((target) => () => this.target(target, pool)),
      ...[...named.values()].map((main) => () => this.inNamed(main, sorted.targets, pool)),
      ...others.map((target) => () => this.rest(target, pool)),
      () => this.pieces(),
    ];
    for (const step of steps) {
      const failed = yield* step();
      if (failed) return failed;
    }
    return undefined;
  }

  /** A server that the settings name and nothing asked for is: it may read what is asked for. */
  private *inNamed(main: string, targets: readonly Target[], pool: Set<string>): Steps<Outcome | undefined> {
    const isDone = targets.some((target) => target.main !== undefined && realPathOf(target.main) === realPathOf(main));
    if (isDone || pool.size === 0) return undefined;
    return yield* this.target({ main, whole: false, paths: [] }, pool);
  }

  /** What no server of the settings reads, in the one that it lies in. */
  private *rest(target: Target, pool: ReadonlySet<string>): Steps<Outcome | undefined> {
    const paths = target.paths.filter((path) => pool.has(path));
    return target.whole || paths.length > 0 ? yield* this.target({ ...target, paths }, new Set()) : undefined;
  }

  /** @param pool paths that this server may read, too; those that it does are taken out */
  private *target({ main, whole, paths }: Target, pool: Set<string>): Steps<Outcome | undefined> {
    const reading = this.readingOf(main);
    if ("failed" in reading) return reading.failed;
    const all = [...paths, ...pool];
    const alone = main === undefined ? all : yield* this.server(main, { main, whole, paths: all }, reading);
    if ("failed" in alone) return alone.failed;
    const missed = new Set(alone);
    for (const path of paths) if (missed.has(path)) this.left.push({ path, reading });
    for (const path of pool) if (!missed.has(path)) pool.delete(path);
    return undefined;
  }

  private readingOf(main: string | undefined): Reading | Failed {
    const known = this.readings.get(main) ?? this.makeReading(main);
    this.readings.set(main, known);
    return known;
  }

  private makeReading(main: string | undefined): Reading | Failed {
    const { flags, settings, overlay, watch } = this.asked;
    const server = serverIn(settings, main);
    const release = flags.release ?? server.release ?? "2.4";
    const reading = { ...flags, ...readingBy(flags, server, settings), release };
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

  /** @returns the paths asked for that the server does not read, or what went wrong */
  private *server(main: string, target: Target, reading: Reading): Steps<readonly string[] | Failed> {
    const analysed = this.analysed(main, reading, "server");
    if ("failed" in analysed) return analysed;
    for (const note of analysed.notes) this.found.notes.add(note);
    const asked = new Set<string>();
    const alone: string[] = [];
    for (const path of target.paths) {
      const real = reading.access.realPath(fromReadable(path));
      if (analysed.reads(real)) asked.add(real);
      else alone.push(path);
    }
    if (target.whole || asked.size > 0) yield* this.collect(analysed, reading, target.whole ? undefined : asked);
    return alone;
  }

  /** What no server reads, each by itself. */
  private *pieces(): Steps<Outcome | undefined> {
    const { isFixing, isUpdating } = this.asked;
    if (this.left.length >= MANY_FILES && !isFixing && !isUpdating) return yield* this.manyPieces();
    for (const { path, reading } of this.left) {
      if (this.found.files.has(reading.access.realPath(fromReadable(path)))) continue;
      const analysed = this.analysed(path, reading, undefined);
      if ("failed" in analysed) return analysed.failed;
      this.notePiece(path, analysed.kind, reading);
      yield* this.collect(analysed, reading, undefined);
    }
    return undefined;
  }

  private notePiece(path: string, kind: EntryKind, { from }: Reading): void {
    if (from !== undefined && kind === "fragment")
      this.found.notes.add(
        `httpd-lint: \`${path}\` is read as a piece of a configuration, so what the upgrade changes of access is not worked out; name the server's main file`,
      );
  }

  /** The same where they are many: some at a time, of which nothing is held but what was found. */
  private *manyPieces(): Steps<Outcome | undefined> {
    const { rules } = this.asked;
    let failed: Outcome | undefined;
    for (const reading of new Set(this.left.map((each) => each.reading))) {
      const paths = this.left.flatMap((each) => (each.reading === reading ? [each.path] : []));
      yield {
        session: { how: reading.how, rules: rules.map(({ id, severity }) => [id, severity]) },
        tasks: partsOf(paths, 0).map((part) => ({ paths: part })),
        here: (task) => aloneIn(task, reading, rules),
        take: (done, task) => {
          const asked = "paths" in task ? task.paths : [];
          for (const [index, path] of asked.entries()) failed ??= this.takePiece(path, done, index, reading);
        },
      };
      if (failed) return failed;
    }
    return undefined;
  }

  private takePiece(path: string, done: Done, index: number, reading: Reading): Outcome | undefined {
    const piece = done.kind === "alone" ? done.each[index] : undefined;
    if (piece === undefined || this.found.files.has(reading.access.realPath(fromReadable(path)))) return undefined;
    if ("unreadable" in piece) return unreadable(path, piece.unreadable);
    const { rules, sift } = this.asked;
    const found = foundAlone(path, piece, reading, rules);
    if ("unreadable" in found) return unreadable(path, found.unreadable);
    this.notePiece(path, piece.kind, reading);
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
