import type { ConfigTree, Line } from "../../../grammar/ast.js";
import { findDirectiveFacts } from "../../facts/directives.js";
import { findModuleByManualName, findModuleByName, findRemovedModule } from "../../facts/modules.js";
import { type Release, releaseLines } from "../../facts/release.js";
import { identifierOf, isKnownModule, type LoadedModules } from "../model/modules.js";

/**
 * Assumes that the modules of a file are loaded, if the configuration does not list the modules of its server: the
 * server does not start without those of its directives, conditional sections are for those that they name, and MultiViews needs
 * mod_negotiation. A module
 * that a line of the file loads is not loaded before that line.
 */
export function assumeModulesOf(tree: ConfigTree, release: Release, modules: LoadedModules): void {
  if (!modules.isOpen) return;
  const { names, options, conditions, loadedHere } = findUses(tree, tree.lines);
  const used = [...names].flatMap((name) => findModuleToAssume(name, release, modules) ?? []);
  const named = [...conditions].flatMap((name) => findModuleByName(release, name)?.identifier ?? []);
  for (const identifier of [...used, ...options, ...named.filter((each) => !otherSystems.test(each))])
    if (!loadedHere.has(identifier) && !isMpm(identifier)) modules.assume(identifier);
  for (const name of conditions)
    if (isKnownThirdParty(name) && !loadedHere.has(identifierOf(name))) modules.assume(name);
}

/**
 * Returns the modules of httpd, by identifier, that lines of a file need and that are not loaded: those that a server has
 * on which these lines apply.
 */
export function listNeededModules(
  tree: ConfigTree,
  lines: Iterable<Line>,
  release: Release,
  modules: LoadedModules,
): readonly string[] {
  const { names, options, loadedHere } = findUses(tree, lines);
  const used = [...names].flatMap((name) => findModuleToAssume(name, release, modules) ?? []);
  return [...used, ...[...options].filter((each) => !modules.has(each))].filter(
    (each) => !loadedHere.has(each) && !isMpm(each) && !otherSystems.test(each),
  );
}

/** The uses of modules in lines. */
interface ModuleUses {
  /** Names of directives and sections, in lower case, also those that `<IfDirective>` and `<IfSection>` test for. */
  readonly names: ReadonlySet<string>;
  /** The modules, by identifier, that options need without a directive. */
  readonly options: ReadonlySet<string>;
  /** What `<IfModule>` tests for; a negated condition does not name a module. */
  readonly conditions: ReadonlySet<string>;
  /** The identifiers in LoadModule lines. */
  readonly loadedHere: ReadonlySet<string>;
}

function findUses(tree: ConfigTree, lines: Iterable<Line>): ModuleUses {
  const uses = { names: new Set<string>(), options: new Set<string>() };
  const tests = { conditions: new Set<string>(), loadedHere: new Set<string>() };
  for (const line of lines) {
    if (line.kind !== "directive" && line.kind !== "open") continue;
    const name = textOf(tree, line.nameStart, line.nameEnd).toLowerCase();
    uses.names.add(name);
    if (name === "options" && /(?:^|[\s"+])multiviews\b/i.test(restOf(tree, line)))
      uses.options.add("negotiation_module");
    if (name === "loadmodule") tests.loadedHere.add(firstWordOf(tree, line));
    else if (name === "<ifmodule") tests.conditions.add(firstWordOf(tree, line));
    else if (name === "<ifdirective") uses.names.add(firstWordOf(tree, line));
    else if (name === "<ifsection") uses.names.add(`<${firstWordOf(tree, line)}`);
  }
  return { ...uses, ...tests };
}

/** Reports whether a name is that of a module that is not part of httpd, and whose directives are known. */
function isKnownThirdParty(name: string): boolean {
  const isOfHttpd = (release: Release) => findModuleByName(release, name) ?? findRemovedModule(release, name);
  return isKnownModule(identifierOf(name)) && !releaseLines.some((release) => isOfHttpd(release) !== undefined);
}

function textOf({ text }: ConfigTree, start: number, end: number): string {
  return text.slice(start, end).replace(/^"|>$|"$/g, "");
}

/** Returns the arguments of a line as written. */
function restOf({ text }: ConfigTree, { restStart, restEnd }: Line): string {
  return text.slice(restStart, restEnd);
}

/** Returns the first word after a name, without the end of the tag; a negated condition does not name a module. */
function firstWordOf(tree: ConfigTree, line: Line): string {
  return /^[^\s>]*/.exec(restOf(tree, line).replace(/"/g, ""))?.[0] ?? "";
}

/** Returns the module that defines directives of a name, unless one of several is loaded. */
function findModuleToAssume(name: string, release: Release, modules: LoadedModules): string | undefined {
  const facts = findDirectiveFacts(release, name).filter(({ manualOnly }) => !manualOnly);
  const [first] = facts;
  if (first === undefined || facts.some((each) => modules.provides(each))) return undefined;
  return findModuleByManualName(release, first.module)?.identifier;
}

/** Modules that only servers on other systems have. */
const otherSystems = /^(?:win32|isapi|netware|nwssl|privileges)_module$/;

/** A server has one MPM, which is not known. */
function isMpm(identifier: string): boolean {
  return /^mpm_/.test(identifier);
}
