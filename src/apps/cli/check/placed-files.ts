import { basename } from "node:path";
import { isTemplateName } from "../../../../grammar/template.js";
import { isHtaccessName } from "../../../config/entry.js";
import { splitEmbeddedPath } from "../../../config/files/embedded-files.js";
import type { ListedExclusion, ListedFile } from "../../../report/index.js";
import { compareTexts, getOrCreate } from "../../../text/collections.js";

/** The files of a run, and how each was placed. Paths have links resolved. */
export class PlacedFiles {
  private readonly servers = new Map<string, Set<string>>();
  private readonly unread = new Map<string, ListedFile>();
  private readonly leftOut = new Map<string, ListedExclusion>();

  /** @param isListing whether the files of servers are listed: there may be many */
  constructor(private readonly isListing: boolean) {}

  /** Adds files that a server reads. */
  addServer(main: string, paths: Iterable<string>): void {
    const known = getOrCreate(this.servers, main, () => new Set());
    if (this.isListing) for (const path of paths) known.add(path);
  }

  /**
   * Adds a file that no other one reads.
   *
   * @param placement whether it is a whole server
   * @param read the path that it is read from
   * @param outer the path of the file that it is in, if it is not one of its own
   * @param missedBy the main files of the servers that do not read it
   */
  addLone(
    path: string,
    placement: "main" | "separate",
    read: string,
    outer: string | undefined,
    missedBy: readonly string[],
  ): void {
    const embedded = outer === undefined ? undefined : splitEmbeddedPath(read, outer);
    const form = embedded ? "embedded" : formOf(path);
    this.unread.set(read, { path, placement, form, servers: [], missedBy, ...embedded });
  }

  /** Adds a file or folder that a search left out. */
  addExcluded(excluded: ListedExclusion): void {
    this.leftOut.set(excluded.path, excluded);
  }

  /** The number of servers. */
  get serverCount(): number {
    return this.servers.size + this.unread.size - this.loneFiles().length;
  }

  /** Returns the files that were checked on their own. */
  loneFiles(): readonly ListedFile[] {
    return [...this.unread.values()].filter(({ placement }) => placement === "separate");
  }

  /** Returns all files, sorted by path. */
  files(): readonly ListedFile[] {
    const readers = new Map<string, string[]>();
    for (const [main, paths] of this.servers) for (const path of paths) getOrCreate(readers, path, () => []).push(main);
    const ofServers = [...readers].map(([path, mains]): ListedFile => {
      const isMain = mains.includes(path);
      const servers = isMain ? [] : mains;
      return { path, placement: isMain ? "main" : "part", form: formOf(path), servers, missedBy: [] };
    });
    return [...ofServers, ...this.unread.values()].sort(
      (a, b) => compareTexts(a.path, b.path) || (a.line ?? 0) - (b.line ?? 0),
    );
  }

  /** Returns what the searches left out, sorted by path. @param read the files that were read nevertheless */
  excluded(read: ReadonlyMap<string, unknown>): readonly ListedExclusion[] {
    return [...this.leftOut.values()]
      .filter(({ path }) => !read.has(path))
      .sort((a, b) => compareTexts(a.path, b.path));
  }
}

function formOf(path: string): ListedFile["form"] {
  const name = basename(path);
  return isHtaccessName(name) ? "htaccess" : isTemplateName(name) ? "template" : "plain";
}
