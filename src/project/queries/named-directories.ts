import type { Directive } from "../model/directive.js";
import type { Project } from "../model/project.js";
import { type ConfigurationVisitor, walkProject } from "./walker.js";

const knownDirectives = new WeakMap<Project, readonly Directive[]>();

/**
 * Returns the directives that name a directory, in a section's tag or as a mapping target. The configuration is walked
 * only once, even for several users of the result.
 */
export function findNamingDirectives(project: Project): readonly Directive[] {
  const before = knownDirectives.get(project);
  if (before) return before;
  walkProject(project, [createNamingVisitor(project)], () => 0);
  return knownDirectives.get(project) ?? [];
}

/** Returns a visitor that collects them in a walk over all directives. */
export function createNamingVisitor(project: Project): ConfigurationVisitor {
  const found: Directive[] = [];
  const note = (directive: Directive) => {
    found.push(directive);
  };
  return {
    directives: { "<directory": note, documentroot: note, alias: note, scriptalias: note },
    end: () => knownDirectives.set(project, found),
  };
}

/** The mapping of a URL path, both as written. */
export interface DirectoryMapping {
  readonly from: string;
  /** A directory or file, which may be relative to the ServerRoot. */
  readonly to: string;
}

/**
 * Returns the target of a DocumentRoot, Alias or ScriptAlias; undefined for any other directive, whose arguments are
 * not read.
 */
export function directoryMappingOf(directive: Directive): DirectoryMapping | undefined {
  switch (directive.key) {
    case "documentroot": {
      const [to] = directive.arguments;
      return to && { from: "/", to: to.value };
    }
    case "alias":
    case "scriptalias": {
      const [from, to] = directive.arguments;
      return from && to && { from: from.value, to: to.value };
    }
    default:
      return undefined;
  }
}
