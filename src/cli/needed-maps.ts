import { allDirectives } from "../project/all-directives.js";
import { isWithin } from "../project/confined.js";
import { realOrSame } from "../project/file-content.js";
import { statOf } from "../project/main-files.js";
import type { PathMap } from "../project/path-maps.js";
import { absolutePath } from "../project/paths.js";
import type { Project } from "../project/project.js";
import { fromReadable, toReadable } from "../text/source.js";
import { piecesIn } from "./layouts.js";

/** Directives that name folders of documents. */
const documentRoots: ReadonlySet<string> = new Set(["documentroot", "alias", "scriptalias"]);

/**
 * Chooses the maps that a configuration needs: those of files that it reads or names, of its documents, and of folders with
 * configuration.
 */
export function chooseMaps(maps: readonly PathMap[], main: string, project: Project): readonly PathMap[] {
  const read = [main, ...[...project.files.values()].map(({ source }) => source.realPath)].map(realOrSame);
  const root = fromReadable(project.serverRoot);
  const named = new Set<string>();
  const documents = new Set<string>();
  for (const { key, arguments: words } of allDirectives(project))
    for (const { value } of words) {
      const path = toReadable(absolutePath(root, value)).replace(/(?<=.)\/$/, "");
      named.add(path);
      if (documentRoots.has(key) && value.includes("/")) documents.add(path);
    }
  return maps.filter(({ host, server }) => {
    if (read.some((path) => isWithin(path, host)) || named.has(server)) return true;
    if (!statOf(host)?.isDirectory()) return false;
    const isDocuments = [...documents].some((path) => isWithin(server, path) || isWithin(path, server));
    const isOfServer = isWithin(server, project.serverRoot);
    return isDocuments || (isOfServer && piecesIn(host).length > 0);
  });
}
