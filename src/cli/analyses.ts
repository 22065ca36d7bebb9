import { defaultRules } from "../../rules/index.js";
import type { Release } from "../directives/directives.js";
import type { Finding } from "../engine/finding.js";
import type { Texts } from "../engine/fix-passes.js";
import type { IgnoredFinding } from "../engine/ignores.js";
import type { Sift } from "../engine/lint.js";
import type { RuleDefinition } from "../engine/rule.js";
import { Linted } from "../linted.js";
import type { FileAccess } from "../project/files.js";
import { type LoadOptions, type LoadResult, loadProject } from "../project/load.js";
import { realPathOf } from "../project/main-files.js";
import type { Project } from "../project/project.js";
import { mainOf, serverIn } from "../settings/servers.js";
import type { Settings } from "../settings/settings.js";
import { countLines } from "../text/position.js";
import { fromReadable } from "../text/source.js";
import { exitCodes } from "./exit-codes.js";
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

/** How a configuration is read as a release does, with texts in place of files by their real paths. */
type LoadAs = (release: Release, texts?: Texts) => LoadOptions;

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
}

/** How the files of a server are read. */
interface Reading {
  readonly load: LoadOptions;
  readonly access: FileAccess;
  readonly release: Release;
  readonly from: Release | undefined;
  readonly loadAs: LoadAs;
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
    const { load, access } = reading;
    const loaded = loadProject(main, { ...load, kind: "server" });
    if ("failed" in loaded)
      return { failed: failure(exitCodes.unreadable, `\`${main}\` cannot be read: ${loaded.failed}`) };
    const { serverRoot, problems } = loaded.project;
    const isTold = problems.some(({ kind }) => kind === "server-root");
    if (!isTold && !access.isDirectory(fromReadable(serverRoot))) {
      this.found.notes.add(
        `httpd-lint: the ServerRoot \`${serverRoot}\` of \`${main}\` is not there; name where its files lie with --server-root or --sysroot`,
      );
    }
    const reached = filesOf(loaded.project);
    const asked = new Set<string>();
    const alone: string[] = [];
    for (const path of target.paths) {
      const real = access.realPath(fromReadable(path));
      if (reached.has(real)) asked.add(real);
      else alone.push(path);
    }
    if (target.whole || asked.size > 0) this.collect(main, loaded.project, reading, target.whole ? undefined : asked);
    return alone;
  }

  /** What no server reads, each by itself. */
  private pieces(): Outcome | undefined {
    for (const { path, reading } of this.left) {
      if (this.found.files.has(reading.access.realPath(fromReadable(path)))) continue;
      const loaded = loadProject(path, reading.load);
      if ("failed" in loaded) return failure(exitCodes.unreadable, `\`${path}\` cannot be read: ${loaded.failed}`);
      if (reading.from !== undefined && loaded.project.kind === "fragment")
        this.found.notes.add(
          `httpd-lint: \`${path}\` is read as a piece of a configuration, so what the upgrade changes of access is not worked out; name the server's main file`,
        );
      this.collect(path, loaded.project, reading, undefined);
    }
    return undefined;
  }

  private collect(path: string, project: Project, reading: Reading, only: ReadonlySet<string> | undefined): void {
    const { found, asked } = this;
    const { access, from, loadAs, release } = reading;
    const { kind } = project;
    const read = (as: Release, texts?: Texts) => projectOf(loadProject(path, { ...loadAs(as, texts), kind }));
    const options = {
      ...{ rules: asked.rules, ruleIds, sift: asked.sift },
      ...(from === undefined ? {} : { from, before: () => read(from) }),
      ...(only === undefined ? {} : { only }),
    };
    const linted = new Linted(project, options, (texts) => read(release, texts));
    gather(linted, found);
    found.linted.push({ linted, access, loadAs });
    for (const { id, upgradeOnly } of asked.rules) if (!upgradeOnly || from === "2.2") found.ran.add(id);
  }
}

/** Adds what was found in a configuration. */
export function gather({ project, result, asked }: Linted, found: Found): void {
  for (const finding of result.findings) found.findings.push(finding);
  for (const finding of result.ignored) found.ignored.push(finding);
  for (const [path, lines] of filesOf(project)) if (asked.has(path)) found.files.set(path, lines);
}

const ruleIds = defaultRules.map(({ id }) => id);

function projectOf(loaded: LoadResult): Project | undefined {
  return "failed" in loaded ? undefined : loaded.project;
}

/** The files of a project by real path, with their number of lines. */
function filesOf(project: Project): Map<string, number> {
  return new Map([...project.files.values()].map(({ source }) => [source.realPath, countLines(source)]));
}
