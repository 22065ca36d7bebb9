import {
  filterModules,
  findDirectiveFacts,
  findModuleByManualName,
  findModuleByName,
  type Guard,
  identifierOf,
  isKnownModule,
  listInactiveLines,
  type Module,
  type Project,
  type Release,
} from "../../src/lint/api/configuration.js";
import { findClosestWord } from "../../src/lint/api/rule.js";

type InactiveLine = ReturnType<typeof listInactiveLines>[number];

/**
 * Returns the intended name of a module in a condition: one of the modules that the lines of the section are of. None if httpd or
 * a known module has the written name, or if the section has a line that is not of httpd: it is then for a module that is not known.
 */
export function findMisspelledModule({ argument, ...guard }: Guard, project: Project): string | undefined {
  const isFile = /^mod_\w+\.c$/.test(argument);
  if (guard.holds || (!isFile && !/^\w+_module$/.test(argument)) || isKnownModule(identifierOf(argument)))
    return undefined;
  const { release } = project;
  const lines = listInactiveLines(project).filter((line) => line.guard.span === guard.span);
  if (lines.some(({ key }) => findDirectiveFacts(release, key).length === 0)) return undefined;
  const names = lines
    .flatMap((line) => listModulesOf(line, release))
    .map(({ file, identifier }) => (isFile ? file : identifier));
  // The ending does not count: `mod_jk.c` is not similar to `mod_md.c`.
  const bareOf = (name: string) => name.replace(/^mod_|\.c$|_module$/g, "");
  const closest = findClosestWord(bareOf(argument), names.map(bareOf));
  return closest === undefined ? undefined : names.find((name) => bareOf(name) === closest);
}

/** Returns the modules of httpd that a line needs: that of its directive, and those of the filters that it names. */
function listModulesOf({ key, words }: InactiveLine, release: Release): readonly Module[] {
  const ofFilters = words.flatMap((word) => filterModules.get(word.toUpperCase()) ?? []);
  return [
    ...findDirectiveFacts(release, key).flatMap(({ module }) => findModuleByManualName(release, module) ?? []),
    ...ofFilters.flatMap((identifier) => findModuleByName(release, identifier) ?? []),
  ];
}
