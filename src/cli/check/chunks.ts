import { defaultRules } from "../../../rules/index.js";
import type { RuleDefinition } from "../../engine/rule.js";
import type { RawLintResult } from "../../engine/run-rules.js";
import { runRulesWithProofs } from "../../linter/lint.js";
import { parentOf, resolvePath } from "../../project/files/paths.js";
import type { HtaccessView } from "../../project/model/project.js";
import { directoryMappingOf, findNamingDirectives } from "../../project/queries/named-directories.js";
import type { OpenedServer, PartialProject } from "../../project/read-project.js";
import { toReadable } from "../../text/source.js";
import { type AnalysisTask, serializeResult, type TaskResult } from "../workers/task.js";

/** Minimum number of `.htaccess` files for an analysis in parts, which limits the number in memory. */
export const CHUNKING_THRESHOLD = 1_000;

/** Number of files per part; more if the main files are large, because each part processes them again. */
export const FILES_PER_CHUNK = 250;
export const LINES_PER_FILE = 20;

/** Files that a part reaches are added to it, and those that they reach in turn, up to this number of rounds. */
const MAX_ROUNDS = 5;

/** The paths of a server's `.htaccess` files: binary strings, in the order found. */
export class HtaccessLayout {
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

/** Partitions files into parts. @param lines number of lines in the main files */
export function splitIntoChunks<T>(files: readonly T[], lines: number): readonly (readonly T[])[] {
  const size = Math.max(FILES_PER_CHUNK, Math.ceil(lines / LINES_PER_FILE));
  const count = Math.ceil(files.length / size);
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size));
}

/** The findings of a part of a server. */
export interface ChunkFindings extends PartialProject {
  readonly examined: RawLintResult;
}

/** The context for analyzing a server in parts. */
export interface ChunkedServer {
  readonly server: OpenedServer;
  readonly layout: HtaccessLayout;
  readonly rules: readonly RuleDefinition[];
}

/** Creates the context for analyzing a server in parts. @param files paths of its `.htaccess` files */
export function createChunkedServer(
  server: OpenedServer,
  files: readonly string[],
  rules: readonly RuleDefinition[],
): ChunkedServer {
  return { server, layout: new HtaccessLayout(files), rules };
}

/**
 * Returns the findings in some `.htaccess` files of a server. The files above them are included because they are
 * inherited. Files that requests reach in other ways are included, too, for example if a RewriteRule leads to another
 * folder.
 */
export function lintChunk(parts: ChunkedServer, numbers: readonly number[]): ChunkFindings {
  const { server, layout } = parts;
  const own = new Set(numbers);
  const paths = new Set(numbers.map((number) => toReadable(layout.paths[number] ?? "")));
  const above = numbers.flatMap((number) => layout.upwards(stripTrailingSlash(parentOf(layout.paths[number] ?? ""))));
  const isTold = (path: string) => paths.has(path);
  return lintInRounds(parts, new Set([...own, ...above]), isTold, (files, view) => server.readPart(files, view));
}

/**
 * Returns the findings in the main files. @param look reads them with the `.htaccess` files that they name or that
 * requests reach
 */
export function lintMainFiles(
  parts: ChunkedServer,
  look: (files: readonly string[], view: HtaccessView) => PartialProject,
): ChunkFindings {
  const { server, layout } = parts;
  const { project } = server;
  const named = findNamingDirectives(project).flatMap((directive) => {
    const path = directoryMappingOf(directive)?.to ?? directive.arguments[0]?.value;
    return path === undefined ? [] : layout.upwards(stripTrailingSlash(resolvePath(project.serverRoot, path)));
  });
  const paths = new Set(layout.paths.map(toReadable));
  return lintInRounds(parts, new Set(named), (path) => !paths.has(path), look);
}

/**
 * Analyzes files, and repeats with those that requests reached. @param inView the numbers of the files; more are added
 */
function lintInRounds(
  { layout, rules }: ChunkedServer,
  inView: Set<number>,
  isTold: (path: string) => boolean,
  look: (files: readonly string[], view: HtaccessView) => PartialProject,
): ChunkFindings {
  for (let round = 1; ; round++) {
    const missed = new Set<number>();
    const view: HtaccessView = {
      isReported: isTold,
      onVisit(directory) {
        const number = layout.in(directory);
        if (number !== undefined && !inView.has(number)) missed.add(number);
      },
      hasFilesBelow: (directory) => layout.hasFilesBelow(directory),
    };
    const files = [...inView].sort((a, b) => a - b).flatMap((number) => layout.paths[number] ?? []);
    const lookedAt = look(files, view);
    const examined = runRulesWithProofs(lookedAt.project, { rules, ruleIds });
    if (missed.size === 0 || round === MAX_ROUNDS) return { ...lookedAt, examined: selectReported(examined, isTold) };
    for (const number of missed) inView.add(number);
  }
}

const ruleIds = defaultRules.map(({ id }) => id);

function selectReported(examined: RawLintResult, isTold: (path: string) => boolean): RawLintResult {
  return {
    ...examined,
    findings: examined.findings.filter(({ span }) => isTold(span.file.path)),
    ignored: examined.ignored.filter(({ span }) => isTold(span.file.path)),
  };
}

function stripTrailingSlash(path: string): string {
  return path.endsWith("/") ? path.replace(/\/+$/, "") : path;
}

/** Computes the result for a part of a server. */
export function runChunkTask(task: AnalysisTask, parts: ChunkedServer): Extract<TaskResult, { kind: "part" }> {
  const { examined, project, unread } = lintChunk(parts, "numbers" in task ? task.numbers : []);
  const { files } = parts.server.project;
  const known = new Set([...files.values()].map(({ source }) => source.path));
  return { kind: "part", result: serializeResult(examined, project, (path) => known.has(path)), unread };
}
