import {
  type DirectiveFacts,
  findDirectiveFacts,
  findThirdPartyDirective,
  isThirdPartyModule,
  listModulesWithPrefix,
  suggestDirectiveName,
} from "../../facts/directives.js";
import {
  findModuleByManualName,
  findModuleByName,
  findRemovedModule,
  listCompiledInModules,
  listDefaultModules,
  type Module,
  successorsOf,
} from "../../facts/modules.js";
import { type Release, releaseLines } from "../../facts/release.js";
import type { Span } from "../../text/source.js";
import type { PathRules } from "../files/paths.js";
import type { Directive } from "./directive.js";
import type { Guard } from "./guards.js";
import type { Project } from "./project.js";
import { findUndefinedVariable, mayExpandTo } from "./variables.js";

/** A LoadModule line that takes effect. */
export interface LoadModule {
  /** As written: `alias_module`. */
  readonly identifier: string;
  readonly span: Span;
  /** The innermost conditional section around it. */
  readonly guard: Guard | undefined;
  /** The Include or Use line that led to it; absent in the main file. */
  readonly includedFrom?: Directive | undefined;
  /** Whether its file is missing from a folder that has other modules. */
  readonly isMissing?: boolean;
}

/** The modules loaded at a point of reading, by identifier (`alias_module`) and file (`mod_alias.c`). */
export class LoadedModules {
  private readonly identifiers = new Set<string>();
  private readonly files = new Set<string>();
  private readonly names = new Set<string>();
  private readonly withheld = new Set<string>();
  private readonly assumed = new Set<string>();
  private isClosed = false;
  /** Loaded modules that are not in any table: their directives may have any name. */
  readonly unknown: string[] = [];
  /** Identifiers and files with undefined variables. */
  private readonly undecided: string[] = [];
  /** Increases with each change, which invalidates results computed from the set. */
  stamp = 0;

  /** @param isOpen whether the server may have modules that no line loads: nothing lists all of them */
  constructor(
    private readonly release: Release,
    modules: Iterable<Module>,
    readonly isOpen = false,
  ) {
    for (const module of modules) this.addKnown(module);
  }

  /** Returns a copy, for further modules that do not apply everywhere. */
  copy(): LoadedModules {
    const copied = new LoadedModules(this.release, [], this.isOpen);
    for (const each of this.identifiers) copied.identifiers.add(each);
    for (const each of this.files) copied.files.add(each);
    for (const each of this.names) copied.names.add(each);
    for (const each of this.withheld) copied.withheld.add(each);
    for (const each of this.assumed) copied.assumed.add(each);
    copied.unknown.push(...this.unknown);
    copied.undecided.push(...this.undecided);
    copied.isClosed = this.isClosed;
    copied.stamp = this.stamp;
    return copied;
  }

  /** Adds a module that no line loads, unless the user removed it. @param name an identifier or file name */
  assume(name: string): void {
    if (this.matchesGuard(name) || !this.accepts(name)) return;
    this.add(name);
    this.assumed.add(this.identifierOf(name));
  }

  /** Returns the identifiers of the modules that no line loads, but that the configuration needs. */
  listAssumed(): readonly string[] {
    return [...this.assumed].filter((each) => this.has(each));
  }

  /** Reports whether a module is loaded, or may be. @param identifier as in LoadModule */
  mayHave(identifier: string): boolean {
    return this.has(identifier) || (this.isOpen && !this.isWithheld(identifier));
  }

  /**
   * @param name an identifier, a file name, or the manual's name (`mod_alias`), with or without their common affixes
   * @param sharedObject the file that a LoadModule line names
   */
  add(name: string, sharedObject?: string): void {
    if (!this.accepts(name)) return;
    const module = findModule(this.release, name);
    if (module) {
      this.addKnown(module);
      return;
    }
    this.stamp++;
    const identifier = identifierOf(name);
    this.identifiers.add(identifier);
    if (!isKnownModule(identifier)) this.unknown.push(identifier);
    // By convention its source file is named like its shared object.
    const base = sharedObject?.replace(/^.*\//, "").replace(/\.so$/, "");
    if (base) this.files.add(`${base}.c`);
    // Not all names end like those of httpd: `LiteSpeed`.
    if (sharedObject === undefined) this.files.add(name);
    for (const each of [identifier, `${base}.c`])
      if (findUndefinedVariable(each) !== undefined) this.undecided.push(each);
  }

  private addKnown(module: Module): void {
    this.stamp++;
    this.identifiers.add(module.identifier);
    this.files.add(module.file);
    this.names.add(module.name);
  }

  /** Reports whether a LoadModule line for a module would take effect. */
  accepts(name: string): boolean {
    return !this.isClosed && !this.withheld.has(this.identifierOf(name));
  }

  /** Ignores all further LoadModule lines: the modules were given. */
  close(): void {
    this.isClosed = true;
  }

  /** Removes a module permanently; LoadModule lines do not load it again. */
  withhold(name: string): void {
    this.withheld.add(this.identifierOf(name));
    this.remove(name);
  }

  /** Reports whether a module was removed permanently. @param identifier as in LoadModule */
  isWithheld(identifier: string): boolean {
    return this.withheld.has(identifier);
  }

  private identifierOf(name: string): string {
    return findModule(this.release, name)?.identifier ?? identifierOf(name);
  }

  private remove(name: string): void {
    this.stamp++;
    const module = findModule(this.release, name);
    this.identifiers.delete(module?.identifier ?? identifierOf(name));
    if (!module) return;
    this.files.delete(module.file);
    this.names.delete(module.name);
  }

  /** Reports whether `<IfModule NAME>` applies: NAME is an exact identifier or file name. */
  matchesGuard(name: string): boolean {
    return this.identifiers.has(name) || this.files.has(name);
  }

  /** Returns the variable in a LoadModule line that may have loaded the module of such a condition. */
  undecidedBy(name: string): string | undefined {
    const line = this.matchesGuard(name) ? undefined : this.undecided.find((each) => mayExpandTo(each, name));
    return line && findUndefinedVariable(line);
  }

  /**
   * Reports whether the module that defines a directive is loaded. Parts that are not modules (core, MPMs) always are.
   */
  provides(facts: DirectiveFacts): boolean {
    return this.names.has(facts.module) || findModuleByManualName(this.release, facts.module) === undefined;
  }

  /** Returns the identifiers in load order. */
  listIdentifiers(): readonly string[] {
    return [...this.identifiers];
  }

  has(identifier: string): boolean {
    return this.identifiers.has(identifier);
  }

  /** Reports whether a third-party module is loaded. */
  hasAnyThirdParty(): boolean {
    return this.listThirdParty().length > 0;
  }

  /** Returns the identifiers of the loaded third-party modules. */
  listThirdParty(): readonly string[] {
    return [...this.identifiers].filter(
      (identifier) =>
        findModuleByName(this.release, identifier) === undefined && findRemovedModule("2.4", identifier) === undefined,
    );
  }

  /** Reports whether any version of a third-party module is loaded. */
  hasThirdParty(identifier: string): boolean {
    return [...this.identifiers].some((each) => isVersionOf(each, identifier));
  }
}

/** Returns the module of a release that the user names, by any of its names or their common part (`alias`). */
export function findModule(release: Release, name: string): Module | undefined {
  return (
    findModuleByName(release, name) ??
    findModuleByManualName(release, name) ??
    findModuleByName(release, identifierOf(name))
  );
}

/**
 * Returns the conventional identifier of a module given by another name: `php_module` for `mod_php` and `mod_php.c`.
 */
export function identifierOf(name: string): string {
  return name.endsWith("_module") || isThirdPartyModule(name)
    ? name
    : `${name.replace(/^mod_/, "").replace(/\.c$/, "")}_module`;
}

/** Returns the conventional file of a module for LoadModule: `mod_alias.so` for `alias_module`. */
export function sharedObjectOf(identifier: string): string {
  return `mod_${identifier.replace(/_module$/, "")}.so`;
}

/** Reports whether all directives of a module are known. A module of another httpd release adds no directives. */
export function isKnownModule(identifier: string): boolean {
  const isOfHttpd =
    findModuleByName("2.2", identifier) ?? findModuleByName("2.4", identifier) ?? findRemovedModule("2.4", identifier);
  return isOfHttpd !== undefined || isThirdPartyModule(identifier) || isThirdPartyModule(dropVersion(identifier));
}

/** Reports whether a loaded module is any version of a known one: `php5_module` is a `php_module`. */
export function isVersionOf(identifier: string, known: string): boolean {
  return identifier === known || dropVersion(identifier) === known;
}

/** `php_module` for `php5_module`. */
function dropVersion(identifier: string): string {
  return identifier.replace(/\d+(?=_module$)/, "");
}

/**
 * Returns the initial modules of a configuration. With LoadModule lines these are only the compiled-in ones. Without
 * any, they are the usual modules of the release, which are then loaded elsewhere.
 */
export function listStartingModules(release: Release, hasLoadModule: boolean, rules: PathRules): readonly Module[] {
  const listed = hasLoadModule ? listCompiledInModules(release) : listDefaultModules(release);
  if (rules === "posix") return listed;
  return [...listed, ...builtInOnWindows.flatMap((identifier) => findModule(release, identifier) ?? [])];
}

/** Modules that builds for Windows contain (`builtin_module_shortnames` in CMakeLists.txt of httpd). */
const builtInOnWindows = ["win32_module", "mpm_winnt_module"];

/** Returns the only module that replaces a removed one: its line may load that instead. */
export function replacementOf(line: LoadModule, { release }: { readonly release: Release }): Module | undefined {
  const removedModule = findRemovedModule(release, line.identifier);
  const [one, ...others] = removedModule ? successorsOf(release, removedModule) : [];
  return others.length === 0 ? one : undefined;
}

/**
 * Reports whether a directive unknown to the release may belong to a loaded third-party module: the module known to
 * define it, which may be loaded if the modules are not known, another version of a known module, or a module about which nothing is known.
 */
export function mayBeThirdParty(
  { key }: Pick<Directive, "key">,
  project: Pick<Project, "release" | "modules" | "modulesAreKnown">,
): boolean {
  const { modules, modulesAreKnown } = project;
  const foreign = findThirdPartyDirective(key);
  if (foreign)
    return foreign.modules.some(
      (module) => modules.hasThirdParty(module) || (!modulesAreKnown && !modules.isWithheld(module)),
    );
  if (releaseLines.some((release) => findDirectiveFacts(release, key).length > 0)) return false;
  return modules.unknown.length > 0 || findModuleOfSimilarNames(key, project) !== undefined;
}

/**
 * Returns a third-party module that may be loaded, and whose directives begin like an unknown name. Undefined for a name
 * that is close to one of httpd.
 */
export function findModuleOfSimilarNames(
  name: string,
  { release, modules, modulesAreKnown }: Pick<Project, "release" | "modules" | "modulesAreKnown">,
): string | undefined {
  const named = listModulesWithPrefix(name, modulesAreKnown ? 2 : 4);
  const found = modulesAreKnown ? named.find((module) => modules.hasThirdParty(module)) : named[0];
  // Only few names begin like those of such a module, and the search for a close name takes long.
  return found === undefined || suggestDirectiveName(release, name) !== undefined ? undefined : found;
}
