import type { LoadModule } from "../config/model/modules.js";
import type { Project } from "../config/model/project.js";
import { isWholeServer } from "../config/queries/whole-server.js";
import { findUnmetNeeds } from "../facts/module-needs.js";
import { isSince } from "../facts/release.js";

/** A module that another one lacks. */
export interface LackingModule {
  /** The line of the other one. */
  readonly line: LoadModule;
  /** The identifier of the missing module. */
  readonly missing: string;
  /** The line that loads the missing one too late. */
  readonly later: LoadModule | undefined;
  /** Whether httpd stops while it reads the line: the module uses functions of the missing one. */
  readonly isForFunctions: boolean;
}

/**
 * Returns the modules without which a whole server of 2.4 does not start, because others need them. On Windows, the system
 * may load the file of a module with that of another (test/live/lacking-modules.live.test.ts).
 */
export function findLackingModules(project: Project): readonly LackingModule[] {
  const { release, pathRules, loadModules, modules } = project;
  if (!isSince(release, "2.4") || pathRules === "windows" || !isWholeServer(project)) return [];
  const needs = findUnmetNeeds(
    loadModules.map(({ identifier }) => identifier),
    (module) => modules.has(module),
  );
  return needs.flatMap(({ at, missing, loadedAt, isForFunctions }) => {
    const line = loadModules[at];
    const later = loadedAt === undefined ? undefined : loadModules[loadedAt];
    return line === undefined ? [] : [{ line, missing, later, isForFunctions }];
  });
}
