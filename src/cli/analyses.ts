import type { Release } from "../directives/directives.js";
import type { Finding } from "../engine/finding.js";
import type { IgnoredFinding } from "../engine/ignores.js";
import type { LintResult, Sift } from "../engine/lint.js";
import type { RuleDefinition } from "../engine/rule.js";
import type { Linted } from "../linted.js";
import type { FileAccess } from "../project/files.js";
import { realPathOf } from "../project/main-files.js";
import type { EntryKind } from "../project/project.js";
import { mainOf, serverIn } from "../settings/servers.js";
import type { Settings } from "../settings/settings.js";
import { fromReadable } from "../text/source.js";
import { type Analysed, analyse, type LoadAs, type Reading } from "./analysed.js";
import { exitCodes } from "./exit-codes.js";
import type { KeptResults } from "./kept-results.js";
import { withRoomToGrow } from "./memory.js";
import { moduleNotes, readingOptions } from "./options.js";
import { failure, type Outcome } from "./outcome.js";
import { type InputFlags, readingBy } from "./settings.js";
import { type Target, targetsOf } from "./targets.js";

/** What several analyses found together. */
export interface Found {
  readonly findings: Finding[];
  readonly ignored: IgnoredFinding[];
  /** The files read, by real path, with their number of lines. */
  readonly files: Map<string, number>;
  readonly linted: LintedPath[];
  /** The rules that ran. */
  readonly ran: Set<string>;
  readonly notes: Set<string>;
}

/** A configuration as it was analysed, and how it was read. */
export interface LintedPath {
  readonly linted: Linted;
  readonly access: FileAccess;
  readonly loadAs: LoadAs;
}

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
}

type Failed = { readonly failed: Outcome };

/**
 * Analyses the servers with the paths asked for in them, and then on its own each path that none of them reads. The servers
 * that the settings name come first: a path that one of them reads is theirs, wherever it lies.
 */
export class Analyses {
  private readonly left: { readonly path: string; readonly reading: Reading }[] = [];

  constructor(
    private readonly asked: Asked,
    private readonly found: Found,
  ) {}

  /** @returns what went wrong */
  run(): Outcome | undefined {
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
      const failed = step();
      if (failed) return failed;
    }
    return undefined;
  }

  /** A server that the settings name and nothing asked for is: it may read what is asked for. */
  private inNamed(main: string, targets: readonly Target[], pool: Set<string>): Outcome | undefined {
    const isDone = targets.some((target) => target.main !== undefined && realPathOf(target.main) === realPathOf(main));
    if (isDone || pool.size === 0) return undefined;
    return this.target({ main, whole: false, paths: [] }, pool);
  }

  /** What no server of the settings reads, in the one that it lies in. */
  private rest(target: Target, pool: ReadonlySet<string>): Outcome | undefined {
    const paths = target.paths.filter((path) => pool.has(path));
    return target.whole || paths.length > 0 ? this.target({ ...target, paths }, new Set()) : undefined;
  }

  /** @param pool paths that this server may read, too; those that it does are taken out */
  private target({ main, whole, paths }: Target, pool: Set<string>): Outcome | undefined {
    const reading = this.readingOf(main);
    if ("failed" in reading) return reading.failed;
    const all = [...paths, ...pool];
    const alone = main === undefined ? all : this.server(main, { main, whole, paths: all }, reading);
    if ("failed" in alone) return alone.failed;
    const missed = new Set(alone);
    for (const path of paths) if (missed.has(path)) this.left.push({ path, reading });
    for (const path of pool) if (!missed.has(path)) pool.delete(path);
    return undefined;
  }

  private readingOf(main: string | undefined): Reading | Failed {
    const { flags, settings, overlay, watch } = this.asked;
    const server = serverIn(settings, main);
    const release = flags.release ?? server.release ?? "2.4";
    const reading = { ...flags, ...readingBy(flags, server, settings), release };
    for (const note of moduleNotes(reading)) this.found.notes.add(note);
    const options = readingOptions(reading, main, overlay);
    if ("failed" in options) return { failed: failure(exitCodes.usage, options.failed) };
    const load = { ...options.load, access: withRoomToGrow(watch(options.access)) };
    const loadAs: LoadAs = (as, texts = new Map()) => {
      const again = readingOptions({ ...reading, release: as }, main, new Map([...(overlay ?? []), ...texts]));
      return "failed" in again ? load : again.load;
    };
    return { load, access: options.access, release, from: flags.from ?? server.from, loadAs };
  }

  /** @returns the paths asked for that the server does not read, or what went wrong */
  private server(main: string, target: Target, reading: Reading): readonly string[] | Failed {
    const analysed = this.analysed(main, reading, "server");
    if ("failed" in analysed) return analysed;
    const { files, notes } = analysed;
    for (const note of notes) this.found.notes.add(note);
    const asked = new Set<string>();
    const alone: string[] = [];
    for (const path of target.paths) {
      const real = reading.access.realPath(fromReadable(path));
      if (files.has(real)) asked.add(real);
      else alone.push(path);
    }
    if (target.whole || asked.size > 0) this.collect(analysed, reading, target.whole ? undefined : asked);
    return alone;
  }

  /** What no server reads, each by itself. */
  private pieces(): Outcome | undefined {
    for (const { path, reading } of this.left) {
      if (this.found.files.has(reading.access.realPath(fromReadable(path)))) continue;
      const analysed = this.analysed(path, reading, undefined);
      if ("failed" in analysed) return analysed.failed;
      if (reading.from !== undefined && analysed.kind === "fragment")
        this.found.notes.add(
          `httpd-lint: \`${path}\` is read as a piece of a configuration, so what the upgrade changes of access is not worked out; name the server's main file`,
        );
      this.collect(analysed, reading, undefined);
    }
    return undefined;
  }

  private analysed(path: string, reading: Reading, kind: EntryKind | undefined): Analysed | Failed {
    const { rules, kept } = this.asked;
    const analysed = analyse({ path, kind, reading, rules, kept });
    return "unreadable" in analysed
      ? { failed: failure(exitCodes.unreadable, `\`${path}\` cannot be read: ${analysed.unreadable}`) }
      : analysed;
  }

  private collect(analysed: Analysed, { access, from, loadAs }: Reading, only: ReadonlySet<string> | undefined): void {
    const { found, asked } = this;
    const told = analysed.tell({ sift: asked.sift, ...(only === undefined ? {} : { only }) });
    gather(told.result, analysed.files, only, found);
    if (told.linted) found.linted.push({ linted: told.linted, access, loadAs });
    for (const { id, upgradeOnly } of asked.rules) if (!upgradeOnly || from === "2.2") found.ran.add(id);
  }
}

/** Adds what was found in a configuration that has some files, at those that were asked for. */
export function gather(
  { findings, ignored }: Pick<LintResult, "findings" | "ignored">,
  files: ReadonlyMap<string, number>,
  only: ReadonlySet<string> | undefined,
  found: Found,
): void {
  for (const finding of findings) found.findings.push(finding);
  for (const finding of ignored) found.ignored.push(finding);
  for (const [path, lines] of files) if (only === undefined || only.has(path)) found.files.set(path, lines);
}
