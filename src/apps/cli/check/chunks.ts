import { allRules } from "../../../../rules/index.js";
import { readCertificates } from "../../../config/files/certificates.js";
import type { FileAccess } from "../../../config/files/file-access.js";
import { parentOf, resolvePath, stripTrailingSlash } from "../../../config/files/paths.js";
import type { HtaccessView, Project } from "../../../config/model/project.js";
import { directoryMappingOf, findNamingDirectives } from "../../../config/queries/named-directories.js";
import type { OpenedServer, PartialConfig } from "../../../config/read-config.js";
import type { HtaccessSearchResult } from "../../../config/reader/htaccess-discovery.js";
import type { RuleDefinition } from "../../../lint/rule.js";
import { type ProvedLintOptions, runRulesWithProofs } from "../../../lint/runner/lint.js";
import type { LintResult } from "../../../lint/runner/run-rules.js";
import { measurePhase, type Timings } from "../../../lint/runner/timings.js";
import { createDefaultFiles } from "../../../server/file-trees.js";
import { installConfig } from "../../../startup/install-config.js";
import type { Result } from "../../../text/result.js";
import { type SourceFile, toReadable } from "../../../text/source.js";
import {
  attachChunk,
  type ChunkFindings,
  chunksOf,
  detachChunk,
  type LintTask,
  type TaskBatch,
  type TaskResult,
  type WorkerSession,
} from "../../workers/task.js";

/** Minimum number of `.htaccess` files for work in chunks, which limits the number in memory. */
export const CHUNKING_THRESHOLD = 1_000;

/** Number of files per chunk; more if the main files are large, because each chunk processes them again. */
export const FILES_PER_CHUNK = 250;
export const LINES_PER_FILE = 20;

/** Files that a chunk reaches are added to it, and those that they reach in turn, up to this number of rounds. */
const MAX_ROUNDS = 5;

/** The paths of a server's `.htaccess` files: binary strings, in the order found. */
class HtaccessLayout {
  private readonly byDirectory: ReadonlyMap<string, number>;
  private readonly above = new Set<string>();

  constructor(readonly paths: readonly string[]) {
    this.byDirectory = new Map(paths.map((path, number) => [stripTrailingSlash(parentOf(path)), number]));
    for (const directory of this.byDirectory.keys())
      for (let at = directory; at !== "" && !this.above.has(at); at = stripTrailingSlash(parentOf(at)))
        this.above.add(at);
  }

  /** Returns the number of the file in a directory. */
  in(directory: string): number | undefined {
    return this.byDirectory.get(directory);
  }

  /** Returns the files in a directory and all directories above it. */
  upwards(directory: string): readonly number[] {
    const found: number[] = [];
    for (let at = directory; at !== ""; at = stripTrailingSlash(parentOf(at))) {
      const number = this.in(at);
      if (number !== undefined) found.push(number);
    }
    return found;
  }

  hasFilesBelow(directory: string): boolean {
    return this.above.has(directory);
  }
}

/** Partitions files into chunks. @param lines number of lines in the main files */
export function splitIntoChunks<T>(files: readonly T[], lines: number): readonly (readonly T[])[] {
  const size = Math.max(FILES_PER_CHUNK, Math.ceil(lines / LINES_PER_FILE));
  const count = Math.ceil(files.length / size);
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size));
}

/** The findings in files that are linted together, with what was read. */
export interface LintedChunk {
  readonly project: Project;
  readonly unread: PartialConfig["unread"];
  readonly found: LintResult;
}

/** The result of a chunk, as passed on by the thread that linted it, with the files of its findings. */
export interface ChunkResult extends Omit<ChunkFindings, "found" | "texts"> {
  readonly found: LintResult;
}

/** Lints chunks of a session's files. */
export interface ChunkLinter {
  /** The files that are read for every chunk, by path. */
  readonly shared: ReadonlyMap<string, SourceFile>;
  readonly timings?: Timings | undefined;
  /** Returns the findings in some files, or why a file cannot be read. */
  lint(chunk: readonly number[]): Result<LintedChunk, string>;
}

/** Lints the `.htaccess` files of a server in chunks, each together with the main files. */
export class ServerLinter implements ChunkLinter {
  readonly shared: ReadonlyMap<string, SourceFile>;
  private readonly layout: HtaccessLayout;

  /**
   * @param files paths of the `.htaccess` files
   * @param access for rules about files, which report in the main files; undefined in threads, which do not read these
   */
  constructor(
    readonly server: OpenedServer,
    files: readonly string[],
    private readonly rules: readonly RuleDefinition[],
    private readonly access?: FileAccess,
    readonly timings?: Timings,
  ) {
    this.layout = new HtaccessLayout(files);
    this.shared = new Map([...server.config.files.values()].map(({ source }) => [source.path, source]));
  }

  /**
   * Returns the findings in some `.htaccess` files. The files above them are included because they are inherited. Files
   * that requests reach in other ways are included, too, for example if a RewriteRule leads to another folder.
   */
  lint(chunk: readonly number[]): Result<LintedChunk, never> {
    const { server, layout } = this;
    const paths = new Set(chunk.map((number) => toReadable(layout.paths[number] ?? "")));
    const above = chunk.flatMap((number) => layout.upwards(stripTrailingSlash(parentOf(layout.paths[number] ?? ""))));
    const isReported = (path: string) => paths.has(path);
    const readFiles = (files: readonly string[], view: HtaccessView) => server.readPart(files, view);
    return { ok: true, value: this.lintInRounds(new Set([...chunk, ...above]), isReported, readFiles) };
  }

  /**
   * Returns the findings in the main files, read with the `.htaccess` files that they name or that requests reach.
   *
   * @param found the result of the search for `.htaccess` files
   * @param unread those that could not be read, which are reported at lines of the main files
   */
  lintMainFiles(found: HtaccessSearchResult, unread: PartialConfig["unread"]): LintedChunk {
    const { server, layout } = this;
    const { config } = server;
    const named = findNamingDirectives(config).flatMap((directive) => {
      const path = directoryMappingOf(directive)?.to ?? directive.arguments[0]?.value;
      return path === undefined ? [] : layout.upwards(stripTrailingSlash(resolvePath(config.serverRoot, path)));
    });
    const paths = new Set(layout.paths.map(toReadable));
    const readFiles = (files: readonly string[], view: HtaccessView) => server.readMainPart(files, view, found, unread);
    return this.lintInRounds(new Set(named), (path) => !paths.has(path), readFiles, this.access);
  }

  /**
   * Lints files, and repeats with those that requests reached. @param inView the numbers of the files; more are added
   */
  private lintInRounds(
    inView: Set<number>,
    isReported: (path: string) => boolean,
    readFiles: (files: readonly string[], view: HtaccessView) => PartialConfig,
    access?: FileAccess,
  ): LintedChunk {
    const { layout, rules, timings } = this;
    for (let round = 1; ; round++) {
      const missed = new Set<number>();
      const view: HtaccessView = {
        isReported,
        onVisit(directory) {
          const number = layout.in(directory);
          if (number !== undefined && !inView.has(number)) missed.add(number);
        },
        hasFilesBelow: (directory) => layout.hasFilesBelow(directory),
      };
      const files = [...inView].sort((a, b) => a - b).flatMap((number) => layout.paths[number] ?? []);
      const { config, unread } = measurePhase(timings, "read", () => readFiles(files, view));
      const project = measurePhase(timings, "read", () => installConfig(config));
      const lint = (onDisk: Partial<ProvedLintOptions>) =>
        measurePhase(timings, "lint", () => runRulesWithProofs(project, { rules, ruleIds, timings, ...onDisk }));
      const found = lint(access ? { files: createDefaultFiles(project, access), readCertificates } : {});
      if (missed.size === 0) return { project, unread, found: selectReported(found, isReported) };
      // Without all files that requests reach, what they answer is not known.
      if (round === MAX_ROUNDS)
        return { project, unread, found: selectReported(access ? lint({}) : found, isReported) };
      for (const number of missed) inView.add(number);
    }
  }
}

const ruleIds = allRules.map(({ id }) => id);

function selectReported(found: LintResult, isReported: (path: string) => boolean): LintResult {
  return {
    ...found,
    findings: found.findings.filter(({ span }) => isReported(span.file.path)),
    ignored: found.ignored.filter(({ span }) => isReported(span.file.path)),
  };
}

/** Lints the files of a task. */
export function runTask(task: LintTask, session: WorkerSession, linter: ChunkLinter): TaskResult {
  return chunksOf(task, session).map((chunk) => {
    const found = linter.lint(chunk);
    return found.ok ? { ok: true, value: detachChunk(found.value, linter.shared) } : found;
  });
}

/**
 * Returns the work for some files of a session, to be shared out in tasks.
 *
 * @param lines number of lines in the files that are read for every chunk
 * @param addResult receives the result of each chunk, in the order of the files
 */
export function createTaskBatch(
  session: WorkerSession,
  numbers: readonly number[],
  lines: number,
  linter: ChunkLinter,
  addResult: (result: Result<ChunkResult, string>, chunk: readonly number[]) => void,
): TaskBatch {
  return {
    session: linter.timings ? { ...session, isTimed: true } : session,
    timings: linter.timings,
    tasks: splitIntoChunks(numbers, lines),
    runInline: (task) => runTask(task, session, linter),
    addResult(done, task) {
      for (const [index, chunk] of chunksOf(task, session).entries()) {
        const result = done[index];
        if (result) addResult(restoreResult(result, chunk, linter), chunk);
      }
    },
  };
}

/** Restores the files of a chunk's findings. It is linted again if one of them could not be named. */
function restoreResult(
  result: TaskResult[number],
  chunk: readonly number[],
  linter: ChunkLinter,
): Result<ChunkResult, string> {
  if (!result.ok) return result;
  const found = attachChunk(result.value, linter.shared);
  if (found) return { ok: true, value: { ...result.value, found } };
  const retried = linter.lint(chunk);
  return retried.ok ? { ok: true, value: { ...result.value, found: retried.value.found } } : retried;
}

/** Returns the rules as plain values. */
export function listRunningRules(rules: readonly RuleDefinition[]): WorkerSession["rules"] {
  return rules.map(({ id, severity, variants = [] }) => ({ id, severity, variants: variants.map((each) => each.id) }));
}
