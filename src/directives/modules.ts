import moduleTable from "./data/modules.json" with { type: "json" };
import type { Release } from "./directives.js";

/** A module under its three names. */
export interface Module {
  /** As `LoadModule` names it: `alias_module`. */
  readonly identifier: string;
  /** Its source file, the other name that `<IfModule>` knows it by: `mod_alias.c`. */
  readonly file: string;
  /** As the manual and the facts of its directives name it: `mod_alias`. */
  readonly name: string;
}

/** A module of 2.0 or 2.2 that a later release does not have. */
export interface RemovedModule extends Module {
  /** The first release without it. */
  readonly goneIn: Release;
  /** The modules that took over, by name; none where nothing did. */
  readonly becomes: readonly string[];
  /** What became of it, as a clause. */
  readonly fate: string;
}

interface ReleaseModules {
  readonly byName: ReadonlyMap<string, Module>;
  readonly byManualName: ReadonlyMap<string, Module>;
  readonly all: readonly Module[];
  readonly defaults: readonly Module[];
  readonly compiledIn: readonly Module[];
}

const releases = new Map<Release, ReleaseModules>();

/** The module that goes by an identifier or a file name, both in the case that the server asks for. */
export function findModuleByName(release: Release, name: string): Module | undefined {
  return modulesOf(release).byName.get(name);
}

/** The module that the manual and the facts of directives call so: `mod_alias`. */
export function findModuleByManualName(release: Release, name: string): Module | undefined {
  return modulesOf(release).byManualName.get(name);
}

/** Every module of a release. */
export function listModules(release: Release): readonly Module[] {
  return modulesOf(release).all;
}

/** The modules taken as loaded where a configuration does not say: no `LoadModule` in it at all. */
export function listDefaultModules(release: Release): readonly Module[] {
  return modulesOf(release).defaults;
}

/** The modules that are part of the server itself, whatever a configuration loads. */
export function listCompiledInModules(release: Release): readonly Module[] {
  return modulesOf(release).compiledIn;
}

const removedModules: readonly RemovedModule[] = moduleTable.gone.map((gone) => ({
  ...gone,
  goneIn: gone.goneIn === "2.2" ? "2.2" : "2.4",
}));

/** What became of a module of an earlier release that this one no longer has; by identifier, file name or name. */
export function findRemovedModule(release: Release, name: string): RemovedModule | undefined {
  return removedModules.find(
    (gone) => (release === "2.4" || gone.goneIn === "2.2") && [gone.identifier, gone.file, gone.name].includes(name),
  );
}

/** The modules of a release that took over from one that is gone. */
export function successorsOf(release: Release, gone: RemovedModule): readonly Module[] {
  return gone.becomes.flatMap((name) => findModuleByManualName(release, name) ?? []);
}

function modulesOf(release: Release): ReleaseModules {
  const known = releases.get(release);
  if (known) return known;
  const table = moduleTable[release];
  const modules = table.modules.map(([identifier = "", file = "", name = ""]) => ({ identifier, file, name }));
  const named = (names: readonly string[]) => modules.filter((module) => names.includes(module.name));
  const built = {
    byName: new Map(
      modules.flatMap((module) => [[module.identifier, module] as const, [module.file, module] as const]),
    ),
    byManualName: new Map(modules.map((module) => [module.name, module])),
    all: modules,
    defaults: named(table.default),
    compiledIn: named(table.compiledIn),
  };
  releases.set(release, built);
  return built;
}
