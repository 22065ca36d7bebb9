import moduleTable from "./data/modules.json" with { type: "json" };
import { isSince, lineOf, type Release } from "./release.js";
import { hasModule } from "./versions.js";

/** A module and its three names. */
export interface Module {
  /** Identifier in `LoadModule`: `alias_module`. */
  readonly identifier: string;
  /** Its source file, the alternative name in `<IfModule>`: `mod_alias.c`. */
  readonly file: string;
  /** Name in the manual and in directive facts: `mod_alias`. */
  readonly name: string;
}

/** A module of 2.0 or 2.2 that a later release does not have. */
export interface RemovedModule extends Module {
  /** The first release without it. */
  readonly removedIn: Release;
  /** The modules that replace it, by name; possibly none. */
  readonly becomes: readonly string[];
  /** What happened to it, as a clause. */
  readonly explanation: string;
}

interface ReleaseModules {
  readonly byName: ReadonlyMap<string, Module>;
  readonly byManualName: ReadonlyMap<string, Module>;
  readonly all: readonly Module[];
  readonly defaults: readonly Module[];
  readonly compiledIn: readonly Module[];
}

const built = new Map<Release, ReleaseModules>();

/** Returns the module with an identifier or a file name, both case-sensitive as in the server. */
export function findModuleByName(release: Release, name: string): Module | undefined {
  return modulesOf(release).byName.get(name);
}

/** Returns the module with a name as in the manual and in directive facts: `mod_alias`. */
export function findModuleByManualName(release: Release, name: string): Module | undefined {
  return modulesOf(release).byManualName.get(name);
}

/** Returns every module of a release. */
export function listModules(release: Release): readonly Module[] {
  return modulesOf(release).all;
}

/** Returns the modules assumed to be loaded if a configuration has no `LoadModule`. */
export function listDefaultModules(release: Release): readonly Module[] {
  return modulesOf(release).defaults;
}

/** Returns the modules that are part of the server itself, whatever a configuration loads. */
export function listCompiledInModules(release: Release): readonly Module[] {
  return modulesOf(release).compiledIn;
}

const removedModules: readonly RemovedModule[] = moduleTable.removed.map((removed) => ({
  ...removed,
  removedIn: removed.removedIn === "2.2" ? "2.2" : "2.4",
}));

/** Returns the fate of an earlier release's module that this one does not have; by identifier, file name or name. */
export function findRemovedModule(release: Release, name: string): RemovedModule | undefined {
  return removedModules.find(
    (removed) =>
      (isSince(release, "2.4") || !isSince(removed.removedIn, "2.4")) &&
      [removed.identifier, removed.file, removed.name].includes(name),
  );
}

/** Returns the modules of a release that replace a removed one. */
export function successorsOf(release: Release, removed: RemovedModule): readonly Module[] {
  return removed.becomes.flatMap((name) => findModuleByManualName(release, name) ?? []);
}

function modulesOf(release: Release): ReleaseModules {
  const known = built.get(release);
  if (known) return known;
  const table = moduleTable[lineOf(release)];
  const modules = table.modules
    .map(([identifier = "", file = "", name = ""]) => ({ identifier, file, name }))
    .filter(({ identifier }) => hasModule(release, identifier));
  const named = (names: readonly string[]) => modules.filter((module) => names.includes(module.name));
  const modulesOfRelease = {
    byName: new Map(
      modules.flatMap((module) => [[module.identifier, module] as const, [module.file, module] as const]),
    ),
    byManualName: new Map(modules.map((module) => [module.name, module])),
    all: modules,
    defaults: named(table.default),
    compiledIn: named(table.compiledIn),
  };
  built.set(release, modulesOfRelease);
  return modulesOfRelease;
}
