import { diskAccess } from "../../../config/files/disk.js";
import type { FileAccess, FileFailure } from "../../../config/files/file-access.js";
import type { OpenedServer } from "../../../config/read-config.js";
import type { HtaccessSearchResult } from "../../../config/reader/htaccess-discovery.js";
import { compareByLocation, isFirstOccurrence, type LintResult } from "../../../lint/runner/run-rules.js";
import { installConfig } from "../../../startup/install-config.js";
import type { Result } from "../../../text/result.js";
import { fromReadable } from "../../../text/source.js";
import type { DependencyRecorder } from "../../cache/dependency-recorder.js";
import type { WorkerSession } from "../../workers/task.js";
import { countLinesPerFile } from "./check-results.js";
import { type ChunkResult, createTaskBatch, listRunningRules, ServerLinter } from "./chunks.js";
import type { LintUnit, ReadUnit, UnitFindings } from "./lint-unit.js";

/**
 * Prepares a server with many `.htaccess` files to be linted in chunks, which threads can share.
 *
 * @param recorder records file queries, if the result is cached
 */
export function prepareChunks(
  { path: main, source, rules, timings }: LintUnit,
  server: OpenedServer,
  found: HtaccessSearchResult,
  about: Pick<ReadUnit, "kind" | "notes" | "isUpgraded" | "skipped">,
  recorder: DependencyRecorder | undefined,
): ReadUnit {
  const files = found.files.map(({ path }) => path);
  const own = recorder?.own;
  const session: WorkerSession = {
    spec: source.spec,
    rules: listRunningRules(rules),
    ...{ main, files },
    ...(own ? { own } : {}),
  };
  const access = source.load.access ?? diskAccess();
  const linter = new ServerLinter(server, files, rules, access, timings);
  const numbers = new FileIndex(files, access);
  const mainFiles = countLinesPerFile(server.config);
  return {
    ...about,
    includesFile: (real) => mainFiles.has(real) || numbers.numbersOf(real).length > 0,
    *lint({ only }) {
      const merger = new ChunkMerger(linter, mainFiles, recorder);
      const wanted = only === undefined ? [...files.keys()] : [...only].flatMap((real) => numbers.numbersOf(real));
      wanted.sort((a, b) => a - b);
      yield createTaskBatch(session, wanted, sumLines(mainFiles), linter, (result) => merger.add(result));
      // Unreadable files are reported at lines of the main files, so those come last.
      if (only === undefined || [...mainFiles.keys()].some((real) => only.has(real))) merger.addMainFiles(found);
      return { ...about, ...merger.merge(), project: installConfig(server.config), isComplete: only === undefined };
    },
  };
}

/** File numbers by real path. */
class FileIndex {
  private readonly byPath: ReadonlyMap<string, number>;
  private byRealPath: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(
    private readonly paths: readonly string[],
    private readonly access: FileAccess,
  ) {
    this.byPath = new Map(paths.map((path, number) => [path, number]));
  }

  numbersOf(real: string): readonly number[] {
    const known = this.byPath.get(fromReadable(real));
    if (known !== undefined) return [known];
    // The path may be the target of links; resolving all links takes a while.
    this.byRealPath ??= this.indexByRealPath();
    return this.byRealPath.get(real) ?? [];
  }

  private indexByRealPath(): ReadonlyMap<string, readonly number[]> {
    const found = new Map<string, number[]>();
    for (const [number, path] of this.paths.entries()) {
      const real = this.access.realPath(path);
      found.set(real, [...(found.get(real) ?? []), number]);
    }
    return found;
  }
}

/** Combines the findings of all chunks. */
class ChunkMerger {
  private readonly all: LintResult[] = [];
  private readonly files: Map<string, number>;
  private readonly unread = new Map<string, FileFailure>();

  constructor(
    private readonly linter: ServerLinter,
    mainFiles: ReadonlyMap<string, number>,
    private readonly recorder: DependencyRecorder | undefined,
  ) {
    this.files = new Map(mainFiles);
  }

  add(result: Result<ChunkResult, string>): void {
    if (!result.ok) return;
    for (const [path, failure] of result.value.unread) this.unread.set(path, failure);
    if (result.value.answers) this.recorder?.add(result.value.answers);
    for (const [path, count] of result.value.lines) this.files.set(path, count);
    this.all.push(result.value.found);
  }

  addMainFiles(found: HtaccessSearchResult): void {
    this.all.push(this.linter.lintMainFiles(found, this.unread).found);
  }

  merge(): Pick<UnitFindings, "found" | "files"> {
    const { all, files } = this;
    const findings = all.flatMap((each) => each.findings).sort(compareByLocation);
    const ignored = all.flatMap((each) => each.ignored).sort(compareByLocation);
    return {
      files,
      found: {
        findings: findings.filter(isFirstOccurrence),
        ignored: ignored.filter(isFirstOccurrence),
        files: files.size,
        lines: sumLines(files),
        unchecked: all.flatMap((each) => each.unchecked),
        assumedModules: [...new Set(all.flatMap((each) => each.assumedModules))],
        untried: all.flatMap((each) => each.untried),
      },
    };
  }
}

function sumLines(lines: ReadonlyMap<string, number>): number {
  return [...lines.values()].reduce((sum, each) => sum + each, 0);
}
