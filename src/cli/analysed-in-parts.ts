import { byPlace, type Examined, isNew, type LintOptions, told } from "../engine/lint.js";
import type { Answers } from "../kept/answers.js";
import { diskAccess } from "../project/disk.js";
import type { FileAccess, FileFailure } from "../project/files.js";
import type { FoundFiles } from "../project/htaccess.js";
import type { OpenedServer } from "../project/read-project.js";
import { countLines } from "../text/position.js";
import { fromReadable, type SourceFile } from "../text/source.js";
import type { AnalysedNow, ToAnalyse, ToldNow } from "./analysed.js";
import { examineFiles, examineMain, type InParts, inParts, partsOf } from "./many-files.js";
import { partOf } from "./parts-done.js";
import { examinedAgain, linesOf } from "./plain-results.js";
import type { Done, Session, Task } from "./work.js";

/** A server with many `.htaccess` files: what is wrong is worked out in parts, which may be shared out. */
export function analysedInParts(
  asked: ToAnalyse,
  server: OpenedServer,
  found: FoundFiles,
  answers: Answers | undefined,
): Pick<AnalysedNow, "reads" | "tell"> {
  const { path: main, reading, rules } = asked;
  const paths = found.files.map(({ path }) => path);
  const own = answers?.own;
  const session: Session = {
    how: reading.how,
    rules: rules.map(({ id, severity }) => [id, severity]),
    server: { main, files: paths },
    ...(own ? { own } : {}),
  };
  const parts = inParts(server, paths, rules);
  const numbers = new FileNumbers(paths, reading.load.access ?? diskAccess());
  const sources = new Map([...server.project.files.values()].map(({ source }) => [source.path, source]));
  const ofMain = new Map([...sources.values()].map((source) => [source.realPath, countLines(source)]));
  const lines = sumOf(ofMain);
  return {
    reads: (real) => ofMain.has(real) || numbers.of(real).length > 0,
    *tell(options) {
      const { only } = options;
      const all = new Together(parts, sources, ofMain, answers);
      const wanted = only === undefined ? [...paths.keys()] : [...only].flatMap((real) => numbers.of(real));
      yield {
        session,
        tasks: partsOf(
          wanted.sort((a, b) => a - b),
          lines,
        ).map((each) => ({ numbers: each })),
        here: (task) => partOf(task, parts),
        take: (done, task) => all.take(done, task),
      };
      // Who could not be read is told at the lines of the main files, so those come last.
      if (only === undefined || [...ofMain.keys()].some((real) => only.has(real))) all.takeMain(found);
      return all.told(options, only === undefined);
    },
  };
}

/** The numbers of files by their real paths. */
class FileNumbers {
  private readonly byPath: ReadonlyMap<string, number>;
  private byRealPath: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(
    private readonly paths: readonly string[],
    private readonly access: FileAccess,
  ) {
    this.byPath = new Map(paths.map((path, number) => [path, number]));
  }

  of(real: string): readonly number[] {
    const known = this.byPath.get(fromReadable(real));
    if (known !== undefined) return [known];
    // Links lead there: to follow those of all takes a while.
    this.byRealPath ??= this.byLinks();
    return this.byRealPath.get(real) ?? [];
  }

  private byLinks(): ReadonlyMap<string, readonly number[]> {
    const found = new Map<string, number[]>();
    for (const [number, path] of this.paths.entries()) {
      const real = this.access.realPath(path);
      found.set(real, [...(found.get(real) ?? []), number]);
    }
    return found;
  }
}

/** What all parts came to. */
class Together {
  private readonly all: Examined[] = [];
  private readonly files: Map<string, number>;
  private readonly unread = new Map<string, FileFailure>();

  constructor(
    private readonly parts: InParts,
    private readonly sources: ReadonlyMap<string, SourceFile>,
    ofMain: ReadonlyMap<string, number>,
    private readonly answers: Answers | undefined,
  ) {
    this.files = new Map(ofMain);
  }

  take(done: Done, task: Task): void {
    if (done.kind !== "part" || !("numbers" in task)) return;
    for (const [path, failure] of done.unread) this.unread.set(path, failure);
    if (done.answers) this.answers?.add(done.answers);
    const { result } = done;
    if (result) {
      this.all.push(examinedAgain(result, this.sources));
      this.count(result.lines);
      return;
    }
    const { examined, project } = examineFiles(this.parts, task.numbers);
    this.all.push(examined);
    this.count(linesOf(project, () => false));
  }

  takeMain(found: FoundFiles): void {
    const { server } = this.parts;
    const look: Parameters<typeof examineMain>[1] = (files, view) => server.lookAtMain(files, view, found, this.unread);
    this.all.push(examineMain(this.parts, look).examined);
  }

  told(options: Pick<LintOptions, "only" | "sift">, isAll: boolean): ToldNow {
    const { files } = this;
    const lines = sumOf(files);
    const examined = {
      findings: this.all
        .flatMap(({ findings }) => findings)
        .sort(byPlace)
        .filter(isNew),
      ignored: this.all
        .flatMap(({ ignored }) => ignored)
        .sort(byPlace)
        .filter(isNew),
      files: files.size,
      lines,
    };
    return { result: told(examined, options), files, examined, project: this.parts.server.project, isAll };
  }

  private count(lines: ReturnType<typeof linesOf>): void {
    for (const [path, count] of lines) this.files.set(path, count);
  }
}

function sumOf(lines: ReadonlyMap<string, number>): number {
  return [...lines.values()].reduce((sum, each) => sum + each, 0);
}
