import { createHash } from "node:crypto";
import type { FileAccess } from "../project/files/file-access.js";
import { type FileQuery, queryFiles, recordQueries } from "../project/files/file-snapshot.js";
import type { SourceFile } from "../text/source.js";

/** A question that was put to files, and what tells its answer from others. */
export type RecordedAnswer = readonly [asked: FileQuery["asked"], path: string, digest: string];

/** A file that is none of the configuration: whether it lies in a directory makes no difference. */
export interface CacheFileLocation {
  /** With links resolved. */
  readonly directory: string;
  /** A binary string. */
  readonly name: string;
}

/** Notes what an analysis asks of files. Given the same answers again, it would come to the same. */
export class DependencyRecorder {
  private readonly known = new Map<string, RecordedAnswer>();
  private isConsistent = true;
  /** Answers that were others before. */
  private readonly conflicting: RecordedAnswer[] = [];

  constructor(readonly own: CacheFileLocation) {}

  /** The same files, and what they answer is noted. */
  wrap(access: FileAccess): FileAccess {
    return recordQueries(access, (answered) => this.note(answered, access));
  }

  /** All that was asked; undefined where the same question was answered in two ways, since something changed meanwhile. */
  recorded(): readonly RecordedAnswer[] | undefined {
    return this.isConsistent ? [...this.known.values()] : undefined;
  }

  /** All that was asked since this was called last; an answer that was another before is there twice. */
  drain(): readonly RecordedAnswer[] {
    const taken = [...this.known.values(), ...this.conflicting];
    this.known.clear();
    this.conflicting.length = 0;
    return taken;
  }

  /** Takes over what was asked elsewhere. */
  add(answers: readonly RecordedAnswer[]): void {
    for (const answer of answers) this.keep(answer);
  }

  /** Whether a file's text is what was read by its path. */
  hasRead(file: SourceFile): boolean {
    return this.known.get(`read ${file.path}`)?.[2] === digestFile(file);
  }

  private note(answered: FileQuery, access: FileAccess): void {
    const { asked, path } = answered;
    this.keep([asked, path, digestAnswer(answered, this.own, access)]);
  }

  private keep(answer: RecordedAnswer): void {
    const [asked, path, digest] = answer;
    const key = `${asked} ${path}`;
    const before = this.known.get(key);
    if (before === undefined) this.known.set(key, answer);
    else if (before[2] !== digest) {
      this.isConsistent = false;
      this.conflicting.push(answer);
    }
  }
}

/**
 * Asks again what was asked once.
 *
 * @returns the files read, by their path; undefined as soon as an answer is another
 */
export function revalidate(
  kept: readonly RecordedAnswer[],
  own: CacheFileLocation,
  access: FileAccess,
): ReadonlyMap<string, SourceFile> | undefined {
  const sources = new Map<string, SourceFile>();
  for (const [asked, path, digest] of kept) {
    const answered = queryFiles(access, asked, path);
    if (digestAnswer(answered, own, access) !== digest) return undefined;
    if (answered.asked === "read" && "text" in answered.answer) sources.set(path, { path, ...answered.answer });
  }
  return sources;
}

/** What tells an answer from all others. */
function digestAnswer(answered: FileQuery, own: CacheFileLocation, access: FileAccess): string {
  switch (answered.asked) {
    case "read": {
      const { answer } = answered;
      return "failed" in answer ? checksum(JSON.stringify(answer)) : digestFile(answer);
    }
    case "exists":
    case "isDirectory":
      return answered.answer ? "1" : "0";
    case "list": {
      const { answer, path } = answered;
      if ("failed" in answer) return checksum(JSON.stringify(answer));
      const isOwn = answer.some(({ name }) => name === own.name) && access.realPath(path) === own.directory;
      return checksum(JSON.stringify(isOwn ? answer.filter(({ name }) => name !== own.name) : answer));
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

/** What tells a text from all others. */
export function checksum(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
