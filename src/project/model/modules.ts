import {
  type DirectiveFacts,
  findDirectiveFacts,
  findThirdPartyDirective,
  isThirdPartyModule,
  type Release,
} from "../../directives/directives.js";
import {
  findModuleByManualName,
  findModuleByName,
  findRemovedModule,
  listCompiledInModules,
  listDefaultModules,
  type Module,
  successorsOf,
} from "../../directives/modules.js";
import type { Span } from "../../text/source.js";
import type { Directive } from "./directive.js";
import type { Guard } from "./guards.js";
import type { Project } from "./project.js";
import { findUndefinedVariable, mayExpandTo } from "./variables.js";

/** A LoadModule line that guards let through. */
export interface LoadModule {
  /** As written: `alias_module`. */
  readonly identifier: string;
  readonly span: Span;
  /** The innermost guard around it. */
  readonly guard: Guard | undefined;
  /** Whether the file that it names is missing beside those of other modules. */
  readonly isMissing?: boolean;
}

/** The modules that the server has at some point of reading, by identifier (`alias_module`) and file (`mod_alias.c`). */
export class LoadedModules {
  private readonly identifiers = new Set<string>();
  private readonly files = new Set<string>();
  private readonly names = new Set<string>();
  private readonly withheld = new Set<string>();
  private isClosed = false;
  /** Loaded modules that no table knows: their directives may have any name. */
  readonly unknown: string[] = [];
  /** Identifiers and files with variables that have no value. */
  private readonly undecided: string[] = [];
  /** Grows with each change, so that what was worked out from the set can be kept until then. */
  stamp = 0;

  constructor(
    private readonly release: Release,
    modules: Iterable<Module>,
  ) {
    for (const module of modules) this.addKnown(module);
  }

  /**
   * @param name an identifier, a file name, or the manual's name (`mod_alias`), with or without what they have in common
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
    // Its source file is named like its shared object, by custom.
    const base = sharedObject?.replace(/^.*\//, "").replace(/\.so$/, "");
    if (base) this.files.add(`${base}.c`);
    if (name.endsWith(".c")) this.files.add(name);
    for (const each of [identifier, `${base}.c`])
      if (findUndefinedVariable(each) !== undefined) this.undecided.push(each);
  }

  private addKnown(module: Module): void {
    this.stamp++;
    this.identifiers.add(module.identifier);
    this.files.add(module.file);
    this.names.add(module.name);
  }

  /** Whether a LoadModule line for a module would count. */
  accepts(name: string): boolean {
    return !this.isClosed && !this.withheld.has(this.identifierOf(name));
  }

  /** From here on no LoadModule line counts: what is loaded was given. */
  close(): void {
    this.isClosed = true;
  }

  /** Takes a module out for good, whatever LoadModule lines there are. */
  withhold(name: string): void {
    this.withheld.add(this.identifierOf(name));
    this.remove(name);
  }

  /** Whether a module was taken out for good. @param identifier as LoadModule names it */
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

  /** What `<IfModule NAME>` asks: an exact identifier or file name. */
  matchesGuard(name: string): boolean {
    return this.identifiers.has(name) || this.files.has(name);
  }

  /** The variable by which a LoadModule line may have loaded what such a guard asks for. */
  undecidedBy(name: string): string | undefined {
    const line = this.matchesGuard(name) ? undefined : this.undecided.find((each) => mayExpandTo(each, name));
    return line && findUndefinedVariable(line);
  }

  /** Whether the module that defines a directive is loaded. Names without a module of their own (core, MPMs) are. */
  provides(facts: DirectiveFacts): boolean {
    return this.names.has(facts.module) || findModuleByManualName(this.release, facts.module) === undefined;
  }

  /** By identifier, in the order in which they were loaded. */
  listIdentifiers(): readonly string[] {
    return [...this.identifiers];
  }

  has(identifier: string): boolean {
    return this.identifiers.has(identifier);
  }

  /** Whether any module is loaded that does not come with httpd. */
  hasAnyThirdParty(): boolean {
    return this.listThirdParty().length > 0;
  }

  /** Those that do not come with httpd, by identifier. */
  listThirdParty(): readonly string[] {
    return [...this.identifiers].filter(
      (identifier) =>
        findModuleByName(this.release, identifier) === undefined && findRemovedModule("2.4", identifier) === undefined,
    );
  }

  /** Whether a module from elsewhere is loaded, in whichever of its versions. */
  hasThirdParty(identifier: string): boolean {
    return [...this.identifiers].some((each) => isVersionOf(each, identifier));
  }
}

/** The module of a release that a user means by any of its names, or by what they have in common (`alias`). */
export function findModule(release: Release, name: string): Module | undefined {
  return (
    findModuleByName(release, name) ??
    findModuleByManualName(release, name) ??
    findModuleByName(release, identifierOf(name))
  );
}

/** By custom, the identifier of a module that goes by another name: `php_module` for `mod_php` and `mod_php.c`. */
export function identifierOf(name: string): string {
  return name.endsWith("_module") || isThirdPartyModule(name)
    ? name
    : `${name.replace(/^mod_/, "").replace(/\.c$/, "")}_module`;
}

/** By custom, the file that a LoadModule line brings a module from: `mod_alias.so` for `alias_module`. */
export function sharedObjectOf(identifier: string): string {
  return `mod_${identifier.replace(/_module$/, "")}.so`;
}

/** Whether all directives of a module are known; one of httpd that another release has brings none of its own. */
export function isKnownModule(identifier: string): boolean {
  const isOfHttpd =
    findModuleByName("2.2", identifier) ?? findModuleByName("2.4", identifier) ?? findRemovedModule("2.4", identifier);
  return isOfHttpd !== undefined || isThirdPartyModule(identifier) || isThirdPartyModule(dropVersion(identifier));
}

/** Whether a module as it is loaded is one that is known, in whichever of its versions: `php5_module` is a `php_module`. */
export function isVersionOf(identifier: string, known: string): boolean {
  return identifier === known || dropVersion(identifier) === known;
}

/** `php_module` for `php5_module`. */
function dropVersion(identifier: string): string {
  return identifier.replace(/\d+(?=_module$)/, "");
}

/**
 * What a configuration starts from: with LoadModule lines only what is compiled in, without any the usual list of the
 * release, since the modules are then loaded by somebody else.
 */
export function listStartingModules(release: Release, hasLoadModule: boolean): readonly Module[] {
  return hasLoadModule ? listCompiledInModules(release) : listDefaultModules(release);
}

/** The one module that takes the place of a module that is gone: its line may load that instead. */
export function replacementOf(line: LoadModule, { release }: { readonly release: Release }): Module | undefined {
  const gone = findRemovedModule(release, line.identifier);
  const [one, ...others] = gone ? successorsOf(release, gone) : [];
  return others.length === 0 ? one : undefined;
}

const releases: readonly Release[] = ["2.2", "2.4"];

/**
 * Whether a directive that the release does not have may be one of a loaded module that does not come with httpd: of the one
 * that is known to have it, or of one of which nothing is known.
 */
export function mayBeThirdParty(
  { key }: Pick<Directive, "key">,
  { modules, modulesAreKnown }: Pick<Project, "modules" | "modulesAreKnown">,
): boolean {
  const foreign = findThirdPartyDirective(key);
  if (foreign) return !modulesAreKnown || modules.hasThirdParty(foreign.module);
  return modules.unknown.length > 0 && releases.every((release) => findDirectiveFacts(release, key).length === 0);
}
