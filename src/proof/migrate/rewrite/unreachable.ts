import { isWithin } from "../../../config/files/paths.js";
import type { Directive } from "../../../config/model/directive.js";
import type { HtaccessFile, Project } from "../../../config/model/project.js";
import { iterateDirectives } from "../../../config/queries/directive-tree.js";
import { isLegacyDirective } from "../../../server/access/lines-of-24.js";
import { type ConfigLayer, layerOf, layerOfSection } from "../../../server/model/config-layer.js";
import type { FileTree } from "../../../server/model/file-tree.js";
import { Oracle } from "../../../server/model/oracle.js";
import { createFaultFinder } from "../../../server/phases/refused-lines.js";
import { ServerLookup } from "../../../server/request/vhost-lookup.js";
import { DirectoryWalker } from "../../../server/walk/directory-walk.js";
import { fromReadable } from "../../../text/source.js";
import type { MergeContext } from "../plan/contexts.js";

/** Returns the sections and files with mod_access_compat directives that no request reaches. */
export function findUnreachableSections(project: Project, contexts: readonly MergeContext[]): readonly ConfigLayer[] {
  const met = new Set(contexts.flatMap(({ layers }) => layers.flatMap(({ directives }) => directives)));
  const layers = new Set<ConfigLayer>();
  for (const directive of iterateDirectives(project)) {
    if (!isLegacyDirective(directive) || met.has(directive)) continue;
    const layer = enclosingLayer(directive, project);
    if (layer) layers.add(layer);
  }
  return [...layers];
}

function enclosingLayer({ parent, reading }: Directive, project: Project): ConfigLayer | undefined {
  if (parent === undefined) {
    const file = project.htaccess.find(({ tree }) => tree === reading.tree);
    return file && layerOf(file.directives, undefined);
  }
  if (parent.key === "<virtualhost") return undefined;
  return parent.key === "<limit" || parent.key === "<limitexcept"
    ? enclosingLayer(parent, project)
    : layerOfSection(parent);
}

/** Returns the `.htaccess` files that some server rejects when it reads them: requests below return 500. */
export function findRefusedFiles(project: Project): ReadonlySet<HtaccessFile> {
  const servers = new ServerLookup(project.directives, project.release);
  const refused = new Set<HtaccessFile>();
  for (const { directory } of project.htaccess) {
    const path = fromReadable(directory).replace(/\/$/, "");
    const files: FileTree = {
      kindOf: (requested) => (requested === "" || isWithin(path, requested) ? "directory" : "missing"),
    };
    const walks = new DirectoryWalker(project, files, createFaultFinder(project));
    for (const server of [servers.main, ...servers.hosts]) {
      const walk = walks.walkDirectories(`${path}/`, server, new Oracle(new Map()));
      if (walk.refused) refused.add(walk.refused.file);
    }
  }
  return refused;
}
