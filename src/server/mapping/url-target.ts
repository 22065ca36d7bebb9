import { resolvePath } from "../../config/files/paths.js";
import type { Project } from "../../config/model/project.js";
import type { AliasContext, UrlTarget } from "../expression/variables.js";
import { findSetting } from "../model/config-layer.js";
import type { Server } from "../model/server.js";
import { canonicalizePath } from "../sections/section-index.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import { documentRootOf, type UrlMapping } from "./url-mapping.js";

/**
 * Returns the target of a URL for expressions and rewrite rules.
 *
 * @param mapping undefined before the URL is mapped
 */
export function createUrlTarget(
  mapping: UrlMapping | undefined,
  walked: DirectoryWalk | undefined,
  server: Server,
  project: Project,
): UrlTarget {
  const own = mapping?.kind === "file" ? mapping.documentRoot : undefined;
  return {
    documentRoot: own ?? documentRootOf(server, project),
    alias: mapping && aliasContextOf(mapping, project),
    pathInfo: mapping?.kind === "file" && walked ? pathInfoOf(mapping.filename, walked) : "",
    serverAdmin: findSetting(server.layers, "serveradmin"),
  };
}

/** Returns the rest of a mapped path after the file that the directory walk found. */
function pathInfoOf(mapped: string, walked: DirectoryWalk): string {
  return walked.kind === "directory" ? "" : cleanPath(mapped).slice(cleanPath(walked.filename).length);
}

/** Normalizes a path as the directory walk does; a trailing slash stays. */
export function cleanPath(path: string): string {
  const plain = canonicalizePath(path) ?? path;
  return path.endsWith("/") ? `${plain}/` : plain;
}

/** Returns the Alias or UserDir that mapped a request to its file (server/core.c `ap_set_context_info`). */
function aliasContextOf(mapping: UrlMapping, { serverRoot }: Project): AliasContext | undefined {
  if (mapping.kind === "file" && mapping.context) return mapping.context;
  const { by } = mapping;
  const [from, to] = by?.arguments ?? [];
  if (!from || !to || (by?.key !== "alias" && by?.key !== "scriptalias")) return undefined;
  return { prefix: from.value, documentRoot: resolvePath(serverRoot, to.value) };
}
