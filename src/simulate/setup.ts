import { asMerged, type ReadRules } from "../access/merged.js";
import type { Project } from "../project/project.js";
import type { FileTree } from "../scope/files.js";
import { Servers } from "../scope/servers.js";
import { Walks } from "../scope/walk.js";
import { faultsIn } from "./broken-files.js";
import type { Setup } from "./pass.js";

/** Makes ready once what does not depend on the request. @param read the step between merging and deciding */
export function setUp(project: Project, files: FileTree, read: ReadRules = asMerged): Setup {
  const walks = new Walks(project, files, faultsIn(project));
  return { project, files, servers: new Servers(project.directives, project.release), walks, read };
}
