import type { Directive } from "../model/directive.js";
import type { Project } from "../model/project.js";
import { indexDirectives } from "./directive-index.js";

const namingKeys = ["<directory", "documentroot", "alias", "scriptalias"] as const;

/** Returns the directives that name a directory, in a section's tag or as a mapping target; in order for each name. */
export function findNamingDirectives(config: Pick<Project, "directives" | "htaccess">): readonly Directive[] {
  const index = indexDirectives(config);
  return namingKeys.flatMap((key) => index.named(key));
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
