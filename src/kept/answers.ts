import { createHash } from "node:crypto";
import type { FileAccess } from "../project/files.js";
import { type Answered, ask, overheard } from "../project/overheard.js";
import type { SourceFile } from "../text/source.js";

/** A question that was put to files, and what tells its answer from others. */
export type KeptAnswer = readonly [asked: Answered["asked"], path: string, digest: string];

/** A file that is none of the configuration: whether it lies in a directory makes no difference. */
export interface OwnFile {
  /** With links resolved. */
  readonly directory: string;
  /** A binary string. */
  readonly name: string;
}

/** Notes what an analysis asks of files. Given the same answers again, it would come to the same. */
export class Answers {
  private readonly known = new Map<string, KeptAnswer>();
  private isSteady = true;
  /** Answers that were others before. */
  private readonly others: KeptAnswer[] = [];

  constructor(readonly own: OwnFile) {}

  /** The same files, and what they answer is noted. */
  through(access: FileAccess): FileAccess {
    return overheard(access, (answered) => this.note(answered, access));
  }

  /** All that was asked; undefined where the same question was answered in two ways, since something changed meanwhile. */
  kept(): readonly KeptAnswer[] | undefined {
    return this.isSteady ? [...this.known.values()] : undefined;
  }

  /** All that was asked since this was called last; an answer that was another before is there twice. */
  take(): readonly KeptAnswer[] {
    const taken = [...this.known.values(), ...this.others];
    this.known.clear();
    this.others.length = 0;
    return taken;
  }

  /** Takes over what was asked elsewhere. */
  add(answers: readonly KeptAnswer[]): void {
    for (const answer of answers) this.keep(answer);
  }

  /** Whether a file's text is what was read by its path. */
  hasRead(file: SourceFile): boolean {
    return this.known.get(`read ${file.path}`)?.[2] === textDigest(file);
  }

  private note(answered: Answered, access: FileAccess): void {
    const { asked, path } = answered;
    this.keep([asked, path, digestOf(answered, this.own, access)]);
  }

  private keep(answer: KeptAnswer): void {
    const [asked, path, digest] = answer;
    const key = `${asked} ${path}`;
    const before = this.known.get(key);
    if (before === undefined) this.known.set(key, answer);
    else if (before[2] !== digest) {
      this.isSteady = false;
      this.others.push(answer);
    }
  }
}

/**
 * Asks again what was asked once.
 *
 * @returns the files read, by their path; undefined as soon as an answer is another
 */
export function sameAnswers(
  kept: readonly KeptAnswer[],
  own: OwnFile,
  access: FileAccess,
): ReadonlyMap<string, SourceFile> | undefined {
  const sources = new Map<string, SourceFile>();
  for (const [asked, path, digest] of kept) {
    const answered = ask(access, asked, path);
    if (digestOf(answered, own, access) !== digest) return undefined;
    if (answered.asked === "read" && "text" in answered.answer) sources.set(path, { path, ...answered.answer });
  }
  return sources;
}

/** What tells an answer from all others. */
function digestOf(answered: Answered, own: OwnFile, access: FileAccess): string {
  switch (answered.asked) {
    case "read": {
      const { answer } = answered;
      return "failed" in answer ? sum(JSON.stringify(answer)) : textDigest(answer);
    }
    case "exists":
    case "isDirectory":
      return answered.answer ? "1" : "0";
    case "list": {
      const { answer, path } = answered;
      if ("failed" in answer) return sum(JSON.stringify(answer));
      const isOwn = answer.some(({ name }) => name === own.name) && access.realPath(path) === own.directory;
      return sum(JSON.stringify(isOwn ? answer.filter(({ name }) => name !== own.name) : answer));
    }
    case "linkAt":
      return JSON.stringify(answered.answer ?? null);
    case "realPath":
      return answered.answer === answered.path ? "=" : answered.answer;
  }
}

function textDigest({ text, realPath }: Pick<SourceFile, "text" | "realPath">): string {
  return `${createHash("sha256").update(text, "latin1").digest("base64")} ${realPath}`;
}

/** What tells a text from all others. */
export function sum(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
