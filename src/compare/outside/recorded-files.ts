import type { FileTree } from "../../httpd/model/file-tree.js";

/** A query to a file tree; runs it again for another path, and renders its result. */
interface FileQuery {
  readonly path: string;
  readonly ask: (path: string) => string;
  readonly result: string;
}

/** Records what decisions about anonymous requests ask a file tree. Such requests read no password and group files. */
export class FileTreeRecorder {
  private readonly queries = new Map<string, FileQuery>();
  readonly files: FileTree;

  constructor(of: FileTree) {
    const { kindOf, linkAt, list, textOf, ownerOf } = of;
    const recording =
      <T>(name: string, query: (path: string) => T) =>
      (path: string): T => {
        const found = query(path);
        const render = (result: T) => JSON.stringify(result ?? null);
        this.queries.set(`${name} ${path}`, { path, ask: (other) => render(query(other)), result: render(found) });
        return found;
      };
    const asFile = recording("file", (path) => kindOf.call(of, path, true));
    const asDirectory = recording("kind", (path) => kindOf.call(of, path, false));
    this.files = {
      ...of,
      kindOf: (path, mayBeFile = false) => (mayBeFile ? asFile(path) : asDirectory(path)),
      ...(linkAt ? { linkAt: recording("link", (path) => linkAt.call(of, path)) } : {}),
      ...(list ? { list: recording("list", (path) => list.call(of, path)) } : {}),
      ...(textOf ? { textOf: recording("text", (path) => textOf.call(of, path)) } : {}),
      ...(ownerOf ? { ownerOf: recording("owner", (path) => ownerOf.call(of, path)) } : {}),
    };
  }

  /** Reports whether all queries so far have the same results for renamed paths. */
  isSameFor(rename: (path: string) => string): boolean {
    return [...this.queries.values()].every(({ path, ask, result }) => {
      const other = rename(path);
      return other === path || ask(other) === result;
    });
  }
}
