import type { HtaccessFile, Project } from "../project/project.js";
import type { Lead } from "./path-leads.js";
import type { PathTests } from "./path-tests.js";
import { folderOf, testsOfFile } from "./section-tests.js";
import type { Readings } from "./text-tests.js";

/** What a `.htaccess` file asks of requests that come by it. */
export interface FileTests {
  readonly folder: string;
  readonly tests: PathTests;
}

/** What the `.htaccess` files of a configuration ask, each read when a server is looked at that leads to it. */
export class HtaccessTests {
  /** The numbers of the files in a folder. */
  private readonly byFolder = new Map<string, number[]>();
  /** The folders, with a slash at their ends: those below one stand side by side. */
  private readonly folders: readonly string[];
  private readonly made: (FileTests | undefined)[] = [];

  constructor(
    private readonly project: Project,
    private readonly readings: Readings,
  ) {
    for (const [number, file] of project.htaccess.entries()) {
      const folder = folderOf(file);
      const there = this.byFolder.get(folder);
      if (there) there.push(number);
      else this.byFolder.set(folder, [number]);
    }
    this.folders = [...this.byFolder.keys()].map((folder) => `${folder}/`).sort();
  }

  /** The files with these numbers, in their order. */
  of(numbers: ReadonlySet<number>): readonly FileTests[] {
    return [...numbers].sort((a, b) => a - b).flatMap((number) => this.at(number) ?? []);
  }

  private at(number: number): FileTests | undefined {
    const file: HtaccessFile | undefined = this.project.htaccess[number];
    if (file === undefined) return undefined;
    const made = this.made[number] ?? {
      folder: folderOf(file),
      tests: testsOfFile(file, this.project, this.readings),
    };
    this.made[number] = made;
    return made;
  }

  get all(): ReadonlySet<number> {
    return new Set(this.project.htaccess.keys());
  }

  /** The files in some folders. */
  in(folders: Iterable<string>): readonly number[] {
    return [...folders].flatMap((folder) => this.byFolder.get(folder) ?? []);
  }

  /** The files that somebody may come by on the way to where a lead takes them. */
  on({ kind, target }: Lead): readonly number[] {
    if (kind === "backend") return [];
    const start = target.replace(/\/+$/, "");
    const above: string[] = [];
    for (let end = start.lastIndexOf("/"); end >= 0; end = end === 0 ? -1 : start.lastIndexOf("/", end - 1))
      above.push(start.slice(0, end));
    return this.in([...above, ...this.startingWith(start)]);
  }

  private startingWith(start: string): readonly string[] {
    const found: string[] = [];
    for (let at = this.firstFrom(start); this.folders[at]?.startsWith(start); at++)
      found.push((this.folders[at] ?? "").slice(0, -1));
    return found;
  }

  /** Where the first folder stands that is no smaller than a text. */
  private firstFrom(text: string): number {
    let [low, high] = [0, this.folders.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.folders[middle] ?? "") < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
