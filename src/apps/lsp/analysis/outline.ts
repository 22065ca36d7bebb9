import type { ConfigTree } from "../../../../grammar/ast.js";
import { resolvePath } from "../../../config/files/paths.js";
import type { Directive } from "../../../config/model/directive.js";
import type { EntryKind, Project } from "../../../config/model/project.js";
import { expandVariables, readDefine, Variables } from "../../../config/model/variables.js";
import { findIncludedFiles } from "../../../config/reader/include.js";
import { listModules } from "../../../facts/modules.js";
import { mapCopiedText } from "../../../text/mapped-text.js";
import { fromReadable, type SourceFile, toReadable } from "../../../text/source.js";
import { collectNamedLocations, parseLine } from "../documents/config-lines.js";
import type { DocumentOutline, NamedLocation } from "../job.js";
import type { ConfigurationReader } from "./document-groups.js";

/** Describes the configuration around documents; shared parts are computed once. */
export class OutlineBuilder {
  private readonly names: readonly NamedLocation[];
  private readonly variables: Variables;
  private readonly given: readonly string[];
  private readonly modules: readonly string[] | undefined;

  constructor(
    private readonly project: Project,
    private readonly reading: ConfigurationReader,
    uri: (file: SourceFile) => string,
  ) {
    const trees = [...project.files.values()];
    this.names = trees.flatMap((tree) => collectNamedLocations(tree, uri(tree.source)));
    const defines = reading.settings.defines.map(readDefine);
    this.given = [...new Set([...reading.environment.keys(), ...defines.map(([name]) => toReadable(name))])];
    this.variables = collectVariables(trees, reading.environment, defines);
    this.modules = listLoadedModules(project);
  }

  build(realPath: string): DocumentOutline {
    const { project, names, given, modules } = this;
    const trees = [...project.files.values()].filter(({ source }) => source.realPath === realPath);
    return {
      release: project.release,
      kind: this.kindOf(trees),
      enclosingSections: findSectionsAround(project.directives, realPath) ?? [],
      includes: Object.fromEntries(trees.flatMap((tree) => [...this.includesIn(tree)])),
      names,
      given,
      modules,
    };
  }

  private kindOf(trees: readonly ConfigTree[]): EntryKind {
    const isHtaccess = this.project.htaccess.some(({ tree }) => trees.includes(tree));
    return isHtaccess ? "htaccess" : this.project.kind;
  }

  private *includesIn(tree: ConfigTree): Generator<readonly [string, readonly string[]]> {
    const { release, read } = this.project;
    for (const line of tree.lines) {
      if (line.kind !== "directive") continue;
      const { key, words: [word] = [] } = parseLine(tree, line) ?? {};
      if (word === undefined || (key !== "include" && key !== "includeoptional")) continue;
      const path = expandVariables(mapCopiedText(word.value, 0), this.variables, release).text?.text ?? word.value;
      const absolute = resolvePath(fromReadable(read.serverRoot), path);
      const found = findIncludedFiles(absolute, key === "includeoptional", release, this.reading.access);
      if (found.ok) yield [toReadable(word.value), found.value.map((file) => this.reading.access.realPath(file))];
    }
  }
}

/** Returns the variables with the values from all Define lines. */
function collectVariables(
  trees: readonly ConfigTree[],
  environment: ReadonlyMap<string, string>,
  defines: readonly (readonly [string, string | undefined])[],
): Variables {
  const variables = new Variables(environment);
  for (const [name, value] of defines) variables.define(name, value);
  for (const tree of trees) {
    if (!/^[\t ]*define[\t ]/im.test(tree.source.text)) continue;
    for (const line of tree.lines) {
      const read = parseLine(tree, line);
      const [name, value] = read?.key === "define" ? read.words : [];
      if (name) variables.define(name.value, value?.value);
    }
  }
  return variables;
}

function listLoadedModules({ release, modules, modulesAreKnown }: Project): readonly string[] | undefined {
  if (!modulesAreKnown) return undefined;
  return listModules(release)
    .filter(({ identifier }) => modules.has(identifier))
    .map(({ name }) => name);
}

/** Returns the sections around a file, from the first directive read from it; undefined if there is none. */
function findSectionsAround(directives: readonly Directive[], realPath: string): readonly string[] | undefined {
  for (const directive of directives) {
    if (directive.reading.tree.source.realPath === realPath) return listSectionsOutside(directive, realPath);
    const inside = directive.children && findSectionsAround(directive.children, realPath);
    if (inside) return inside;
  }
  return undefined;
}

function listSectionsOutside({ parent }: Directive, realPath: string): readonly string[] {
  if (parent === undefined) return [];
  const outside = listSectionsOutside(parent, realPath);
  return parent.reading.tree.source.realPath === realPath ? outside : [...outside, parent.key];
}
