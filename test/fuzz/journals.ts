import { dirname } from "node:path";
import type { FileFacts, FileSystem } from "../../src/apps/file-changes/file-system.js";
import { computeDigest, isJournal, TransactionFolder, writeJournal } from "../../src/apps/file-changes/journal.js";
import { recover } from "../../src/apps/file-changes/recover.js";
import { testKey } from "../apps/file-changes/plain-files.js";
import { expectThat } from "./guarantees.js";
import { givenFiles, mainFile } from "./input-files.js";

const place = "/srv/x/.httpd-lint";
const run = new TransactionFolder(place);
/** Prefix of a file that is a link to the remaining text. */
const linkMark = "-> ";

/**
 * Recovers from fuzzed bytes: a journal, and beside it the files after lines such as `==> .httpd-lint/unfinished/1.new
 * <==`. Unsigned, it counts as foreign, and nothing outside may be changed. Then it is signed, and each file that it
 * names has one of its two contents, or its original one.
 *
 * @returns the result of each run: the contents that it recovered, or the reason for failure
 */
export function recoverAll(data: Uint8Array): readonly string[] {
  const outcomes: string[] = [];
  const { [mainFile]: journal = "", ...others } = givenFiles(data);
  for (const isSigned of [false, true])
    for (const wanted of ["after", "before"] as const) {
      const files = new MemoryFiles({ ...others, [run.journal]: journal });
      const read = isSigned ? parseIfJson(journal) : undefined;
      if (isSigned && !isJournal(read)) continue;
      if (isJournal(read)) {
        files.remove(run.journal);
        writeJournal(read, run, testKey, files);
      }
      const before = files.texts();
      const outcome = recover(place, files, { wanted, key: testKey });
      outcomes.push(outcome.ok ? outcome.value.recovered : outcome.error.kind);
      const named = isJournal(read) ? read.files : [];
      for (const [path, text] of files.texts()) {
        if (before.get(path) === text || path.startsWith(`${run.directory}/`) || path.startsWith(`${place}/backup-`))
          continue;
        const file = named.find((each) => each.path === path);
        expectThat(file !== undefined, `${path} was changed, which no signed journal names`);
        const digest = computeDigest(text);
        expectThat(digest === file?.before || digest === file?.after, `${path} holds neither of its contents`);
      }
      for (const [path] of before) {
        const isOwn = path.startsWith(`${run.directory}/`);
        expectThat(isOwn || files.texts().has(path), `${path} was removed`);
      }
      if (!outcome.ok && outcome.error.kind !== "system")
        expectThat(same(before, files.texts()), "a run that is refused changed something");
    }
  return outcomes;
}

function same(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([path, text]) => other.get(path) === text);
}

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(code: string, path: string): Error {
  return Object.assign(new Error(code), { code, path });
}

/** A file system in memory, whose directories exist if they contain files. */
class MemoryFiles implements FileSystem {
  readonly user = 0;
  private readonly files: Map<string, string>;

  constructor(files: Readonly<Record<string, string>>) {
    this.files = new Map(Object.entries(files));
  }

  texts(): ReadonlyMap<string, string> {
    return new Map(this.files);
  }

  inspect(path: string): FileFacts | undefined {
    const text = this.files.get(path);
    const isDirectory = text === undefined && [...this.files.keys()].some((each) => each.startsWith(`${path}/`));
    if (text === undefined && !isDirectory) return undefined;
    const kind = isDirectory ? "directory" : text?.startsWith(linkMark) ? "link" : "file";
    return { kind, mode: isDirectory ? 0o700 : 0o600, uid: 0, gid: 0, device: 1, names: 1, size: text?.length ?? 0 };
  }

  read(path: string): string {
    const text = this.files.get(path);
    if (text === undefined) throw refusal("ENOENT", path);
    expectThat(!text.startsWith(linkMark), `the link ${path} was followed`);
    return text;
  }

  list(directory: string): readonly string[] {
    const below = [...this.files.keys()].filter((path) => path.startsWith(`${directory}/`));
    return [...new Set(below.map((path) => path.slice(directory.length + 1).split("/")[0] ?? ""))];
  }

  realPath(path: string): string {
    if (path === "/" || path === ".") return path;
    const text = this.files.get(path);
    if (text?.startsWith(linkMark)) return text.slice(linkMark.length);
    const above = this.realPath(dirname(path));
    return `${above === "/" ? "" : above}${path.slice(path.lastIndexOf("/"))}`;
  }

  checkWritable(): void {}
  makeDirectory(): void {}
  sync(): void {}
  copyExtendedAttributes(): void {}

  extendedAttributes() {
    return { text: "", isComplete: true };
  }

  write(path: string, text: string): void {
    if (this.files.has(path)) throw refusal("EEXIST", path);
    this.files.set(path, text);
  }

  overwrite(path: string, text: string): void {
    this.read(path);
    this.files.set(path, text);
  }

  rename(from: string, to: string): void {
    const moved = [...this.files].filter(([path]) => path === from || path.startsWith(`${from}/`));
    if (moved.length === 0) throw refusal("ENOENT", from);
    if (this.inspect(to)?.kind === "directory") throw refusal("ENOTEMPTY", to);
    for (const [path] of moved) this.files.delete(path);
    for (const [path, text] of moved) this.files.set(to + path.slice(from.length), text);
  }

  remove(file: string): void {
    if (!this.files.delete(file)) throw refusal("ENOENT", file);
  }

  removeDirectory(path: string): void {
    if (this.list(path).length > 0) throw refusal("ENOTEMPTY", path);
  }
}
