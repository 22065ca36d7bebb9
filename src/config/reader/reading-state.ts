import type { ConfigTree } from "../../../grammar/ast.js";
import type { DirectiveFacts } from "../../facts/directives.js";
import type { Release, Version } from "../../facts/release.js";
import type { FileAccess } from "../files/file-access.js";
import { isWithin, type PathRules, resolvePath, toAbsolutePath } from "../files/paths.js";
import type { Directive, ResolvedName } from "../model/directive.js";
import type { Guard } from "../model/guards.js";
import type { LoadedModules, LoadModule } from "../model/modules.js";
import type { Include, TemplateBranchReading } from "../model/project.js";
import type { Variables } from "../model/variables.js";
import type { Refusal } from "../refusals/refusal.js";
import { LineCache } from "./line-cache.js";
import type { Macro } from "./macros.js";

/** The state that reading depends on and changes. */
export interface ReadingState {
  readonly release: Release;
  readonly version: Version;
  readonly access: FileAccess;
  readonly variables: Variables;
  readonly modules: LoadedModules;
  readonly macros: Map<string, Macro>;
  /** The macros that a Use has inserted. */
  readonly usedMacros: Set<Macro>;
  readonly pathRules: PathRules;
  /** The base of relative paths. */
  serverRoot: string;
  /** Whether ServerRoot lines are ignored because the user set it. */
  readonly serverRootIsFixed: boolean;
  /** The ServerRoot that the configuration names if it is fixed. */
  installedAt?: string;
  /** Whether a `.htaccess` file is read, with narrower limits and without Include and Define. */
  readonly inHtaccess: boolean;
  /** Files that conditions test for, by path as written, and whether they are assumed to exist. */
  readonly assumedFiles?: ReadonlyMap<string, boolean>;
  /** Whether the sections apply whose conditions depend on a variable; they are skipped by default. */
  readonly appliesUndecided?: boolean;
  /** Whether files are also included that only another release includes. */
  readonly includesAll?: boolean;
  /** Conditions of templates, and whether they are assumed to hold. */
  readonly templateConditions?: ReadonlyMap<string, boolean>;
  /** Files that were parsed before, by path. */
  readonly parsed?: ReadonlyMap<string, ConfigTree>;
  /** Reports whether the server ignores a directive that would take effect while reading. */
  readonly isSkipped?: (facts: DirectiveFacts) => boolean;
}

/** Returns the path on this machine of a path in the configuration: below the ServerRoot, it may be in a copy of it. */
export function locatePath(
  path: string,
  {
    pathRules,
    serverRoot,
    serverRootIsFixed,
    installedAt,
  }: Pick<ReadingState, "pathRules" | "serverRoot" | "serverRootIsFixed" | "installedAt">,
): string {
  const absolute = toAbsolutePath(path, installedAt);
  if (absolute === undefined)
    return resolvePath(serverRoot, pathRules === "windows" ? path.replaceAll("\\", "/") : path);
  const isInCopy = serverRootIsFixed && installedAt !== undefined && isWithin(absolute, installedAt);
  return resolvePath(serverRoot, isInCopy ? serverRoot + absolute.slice(installedAt.length) : absolute);
}

/** The results of reading other than the directives. */
export interface ReadingReport {
  readonly problems: Refusal[];
  readonly guards: Guard[];
  /** The LoadModule lines, in the order in which they took effect. */
  readonly loadModules: LoadModule[];
  readonly includes: Include[];
  readonly executedLines: Directive[];
  readonly templateBranches: TemplateBranchReading[];
  /** The macros that were defined. */
  readonly macros: Macro[];
  /** Every file that was read, once, in order of its first reading. */
  readonly files: Map<string, ConfigTree>;
}

/** A name with its meaning while the same modules are loaded. */
export interface EffectiveName extends ResolvedName {
  /** Whether the server executes the directive while reading: it must be known by then, and allowed here. */
  readonly runsNow: boolean;
  /** Whether the server ignores the line instead of executing it. */
  readonly isSkipped: boolean;
  readonly stamp: number;
}

/** A cache for repeated lines: the meaning of names, and the results of identical text. */
export class ReaderCache {
  readonly lines = new LineCache();
  readonly names = new Map<string, EffectiveName>();
}
