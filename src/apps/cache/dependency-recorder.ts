import { createHash } from "node:crypto";
import type { FileAccess } from "../../config/files/file-access.js";
import { type FileQuery, queryFiles, recordQueries } from "../../config/files/file-snapshot.js";
import type { SourceFile } from "../../text/source.js";

/** A query to the file system, and a digest of its result. */
export type RecordedAnswer = readonly [operation: FileQuery["operation"], path: string, digest: string];

/** A file that is not part of the configuration: its presence in a directory does not matter. */
export interface CacheFileLocation {
  /** With links resolved. */
  readonly directory: string;
  /** A binary string. */
  readonly name: string;
}

/** Records the file queries of an analysis. Given the same results again, the analysis would return the same. */
export class DependencyRecorder {
  private readonly known = new Map<string, RecordedAnswer>();
  private isConsistent = true;
  /** Results that differ from an earlier one for the same query. */
  private readonly conflicting: RecordedAnswer[] = [];

  constructor(readonly own: CacheFileLocation) {}

  /** Wraps file access so that queries and results are recorded. */
  wrap(access: FileAccess): FileAccess {
    return recordQueries(access, (answered) => this.note(answered, access));
  }

  /** Returns all queries; undefined if a query had two different results because something changed meanwhile. */
  recorded(): readonly RecordedAnswer[] | undefined {
    return this.isConsistent ? [...this.known.values()] : undefined;
  }

  /** Returns and removes all recorded queries; a query with two different results is included twice. */
  drain(): readonly RecordedAnswer[] {
    const taken = [...this.known.values(), ...this.conflicting];
    this.known.clear();
    this.conflicting.length = 0;
    return taken;
  }

  /** Adds queries recorded elsewhere. */
  add(answers: readonly RecordedAnswer[]): void {
    for (const answer of answers) this.keep(answer);
  }

  /** Reports whether a file's contents are those read from its path. */
  hasRead(file: SourceFile): boolean {
    return this.known.get(`read ${file.path}`)?.[2] === digestFile(file);
  }

  private note(answered: FileQuery, access: FileAccess): void {
    const { operation, path } = answered;
    this.keep([operation, path, digestAnswer(answered, this.own, access)]);
  }

  private keep(answer: RecordedAnswer): void {
    const [operation, path, digest] = answer;
    const key = `${operation} ${path}`;
    const before = this.known.get(key);
    if (before === undefined) this.known.set(key, answer);
    else if (before[2] !== digest) {
      this.isConsistent = false;
      this.conflicting.push(answer);
    }
  }
}

/**
 * Repeats recorded queries.
 *
 * @returns the files read, by path; undefined as soon as a result differs
 */
export function revalidate(
  kept: readonly RecordedAnswer[],
  own: CacheFileLocation,
  access: FileAccess,
): ReadonlyMap<string, SourceFile> | undefined {
  const sources = new Map<string, SourceFile>();
  for (const [operation, path, digest] of kept) {
    const answered = queryFiles(access, operation, path);
    if (digestAnswer(answered, own, access) !== digest) return undefined;
    if (answered.operation === "read" && answered.answer.ok) sources.set(path, { path, ...answered.answer.value });
  }
  return sources;
}

/** Returns a digest of a query's result. */
function digestAnswer(answered: FileQuery, own: CacheFileLocation, access: FileAccess): string {
  switch (answered.operation) {
    case "read": {
      const { answer } = answered;
      return answer.ok ? digestFile(answer.value) : checksum(JSON.stringify(answer.error));
    }
    case "exists":
    case "isDirectory":
      return answered.answer ? "1" : "0";
    case "list": {
      const { answer, path } = answered;
      if (!answer.ok) return checksum(JSON.stringify(answer.error));
      const isOwn = answer.value.some(({ name }) => name === own.name) && access.realPath(path) === own.directory;
      return checksum(JSON.stringify(isOwn ? answer.value.filter(({ name }) => name !== own.name) : answer.value));
    }
    case "linkAt":
      return JSON.stringify(answered.answer ?? null);
    case "realPath":
      return answered.answer === answered.path ? "=" : answered.answer;
  }
}

function digestFile({ text, realPath }: Pick<SourceFile, "text" | "realPath">): string {
  return `${createHash("sha256").update(text, "latin1").digest("base64")} ${realPath}`;
}

/** Returns the checksum of a text. */
export function checksum(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
