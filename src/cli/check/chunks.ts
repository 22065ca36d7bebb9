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

/** A server with so many `.htaccess` files or more is looked at in parts: no more of them are held at once. */
export const CHUNKING_THRESHOLD = 1_000;

/** So many files are looked at together; more where the main files are large, since those are gone through with each part. */
export const FILES_PER_CHUNK = 250;
export const LINES_PER_FILE = 20;

/** Files that a part asks for are looked at beside it; what those lead to, too, but not without end. */
const MAX_ROUNDS = 5;

/** Where the `.htaccess` files of a server lie: binary strings, in the order in which they were found. */
export class HtaccessLayout {
  private readonly byDirectory: ReadonlyMap<string, number>;
  private readonly above = new Set<string>();

  constructor(readonly paths: readonly string[]) {
    this.byDirectory = new Map(paths.map((path, number) => [stripTrailingSlash(parentOf(path)), number]));
    for (const directory of this.byDirectory.keys())
      for (let at = directory; at !== "" && !this.above.has(at); at = stripTrailingSlash(parentOf(at)))
        this.above.add(at);
  }

  /** The file in a directory, by its number. */
  in(directory: string): number | undefined {
    return this.byDirectory.get(directory);
  }

  /** Those in a directory and in all above it. */
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

/** Files in parts. @param lines how many the main files have */
export function splitIntoChunks<T>(files: readonly T[], lines: number): readonly (readonly T[])[] {
  const size = Math.max(FILES_PER_CHUNK, Math.ceil(lines / LINES_PER_FILE));
  const count = Math.ceil(files.length / size);
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size));
}

/** What was found at a part of a server. */
export interface ChunkFindings extends PartialProject {
  readonly examined: RawLintResult;
}

/** How a server is looked at in parts. */
export interface ChunkedServer {
  readonly server: OpenedServer;
  readonly layout: HtaccessLayout;
  readonly rules: readonly RuleDefinition[];
}

/** A server that is looked at in parts. @param files where its `.htaccess` files lie */
export function createChunkedServer(
  server: OpenedServer,
  files: readonly string[],
  rules: readonly RuleDefinition[],
): ChunkedServer {
  return { server, layout: new HtaccessLayout(files), rules };
}

/**
 * What is wrong in some of the `.htaccess` files of a server. Beside them those above are looked at, whose rules they
 * inherit, and those that requests come by otherwise, as where a RewriteRule leads on to another folder.
 */
export function lintChunk(parts: ChunkedServer, numbers: readonly number[]): ChunkFindings {
  const { server, layout } = parts;
  const own = new Set(numbers);
  const paths = new Set(numbers.map((number) => toReadable(layout.paths[number] ?? "")));
  const above = numbers.flatMap((number) => layout.upwards(stripTrailingSlash(parentOf(layout.paths[number] ?? ""))));
  const isTold = (path: string) => paths.has(path);
  return lintInRounds(parts, new Set([...own, ...above]), isTold, (files, view) => server.readPart(files, view));
}

/** What is wrong in the main files. @param look reads them with `.htaccess` files that they name or that requests come by */
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

/** Looks at some files, and again with those that requests came by. @param inView the numbers of the files; more are added */
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

/** What came of a part of a server. */
export function runChunkTask(task: AnalysisTask, parts: ChunkedServer): Extract<TaskResult, { kind: "part" }> {
  const { examined, project, unread } = lintChunk(parts, "numbers" in task ? task.numbers : []);
  const { files } = parts.server.project;
  const known = new Set([...files.values()].map(({ source }) => source.path));
  return { kind: "part", result: serializeResult(examined, project, (path) => known.has(path)), unread };
}
