import type { HtaccessFile, Project } from "../project/project.js";
import type { FileTree } from "../scope/files.js";
import { Questions } from "../scope/questions.js";
import { Servers } from "../scope/servers.js";
import { Walks } from "../scope/walk.js";
import { faultsIn } from "../simulate/broken-files.js";
import { fromReadable } from "../text/source.js";

/** The `.htaccess` files that some server refuses where it comes to them: all below answers 500. */
export function refusedFiles(project: Project): ReadonlySet<HtaccessFile> {
  const servers = new Servers(project.directives, project.release);
  const refused = new Set<HtaccessFile>();
  for (const { directory } of project.htaccess) {
    const path = fromReadable(directory).replace(/\/$/, "");
    const files: FileTree = {
      kindOf: (asked) => (asked === "" || `${path}/`.startsWith(`${asked}/`) ? "directory" : "missing"),
    };
    const walks = new Walks(project, files, faultsIn(project));
    for (const server of [servers.main, ...servers.hosts]) {
      const walk = walks.directories(`${path}/`, server, new Questions(new Map()));
      if (walk.refused) refused.add(walk.refused.file);
    }
  }
  return refused;
}
