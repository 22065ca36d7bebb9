import { isWithin } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { ConfigLayer } from "../../server/model/config-layer.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { Oracle } from "../../server/model/oracle.js";
import type { Server } from "../../server/model/server.js";
import { createFaultFinder } from "../../server/phases/refused-lines.js";
import { mergeGroups } from "../../server/sections/merge-order.js";
import type { PerDirConfig } from "../../server/sections/per-dir-config.js";
import { DirectoryWalker } from "../../server/walk/directory-walk.js";
import { memoize } from "../../text/memoize.js";
import { fromReadable } from "../../text/source.js";
import type { PathClass, PathSide, PathWalk } from "../model/path-class.js";
import { isInert } from "./inert-lines.js";
import { applyMapping, type MappingTarget } from "./mapping-targets.js";

/** The walks of a project, prepared once, over files that differ for each path. */
interface ProjectWalks {
  readonly walks: DirectoryWalker;
  files: FileTree;
}

const knownWalks = new WeakMap<Project, ProjectWalks>();

function projectWalksOver(files: FileTree, project: Project): DirectoryWalker {
  const before = knownWalks.get(project);
  if (before) {
    before.files = files;
    return before.walks;
  }
  const kindOf: FileTree["kindOf"] = (path, mayBeFile) => made.files.kindOf(path, mayBeFile);
  const made: ProjectWalks = {
    walks: new DirectoryWalker(project, { kindOf, mayChange: true }, createFaultFinder(project)),
    files,
  };
  knownWalks.set(project, made);
  return made.walks;
}

/** The sections found so far, and the configuration that Files sections depend on. */
interface Applying {
  readonly config: PerDirConfig;
  readonly layers: readonly ConfigLayer[];
}

/** Returns the sections for paths and files that apply to a URL path and may decide, in merge order. */
export function findApplyingSections(
  { project, server }: PathSide,
  path: string,
  mappingTarget: MappingTarget | undefined,
  walk: PathWalk | undefined,
): readonly Directive[] {
  const oracle = new Oracle(new Map(), true);
  const walks = projectWalksOver(fileTreeOfWalk(walk), project);
  const target = mappingTarget && applyMapping(mappingTarget, path);
  const isBackend = mappingTarget?.kind === "backend";
  const walked = target !== undefined && walk && !isBackend ? walks.walkDirectories(target, server, oracle) : undefined;
  const { layers: applying } = mergeGroups<Applying>(
    { config: walks.configOf(server), layers: [] },
    {
      ...(isBackend && target !== undefined && { proxy: () => walks.proxies(target, server, oracle) }),
      ...(walked && {
        directory: () => walked.layers,
        files: ({ config }) => walks.filesSections(walked.filename, config, oracle),
      }),
      location: () => walks.locations(path, server, oracle),
    },
    // Only files are found by the configuration before them.
    ({ config, layers }, group, added) => ({
      config: group === "directory" ? config.extend(group, added) : config,
      layers: [...layers, ...added],
    }),
  );
  return applying.flatMap(({ section }) => (section && !isInert(section, project) ? section : []));
}

const pathSections = /^<(directory|files|location|proxy)(match)?$/;

/**
 * Returns a predicate for the paths to which a line applies: it may be in a restricted section or in a `.htaccess`
 * file.
 */
export function selectAffectedClasses(
  directive: Directive,
  side: PathSide,
  index: number,
  indexNames: readonly string[],
): (pathClass: PathClass) => boolean {
  const outermost = outermostOf(directive);
  const section = pathSections.test(outermost.key) ? outermost : undefined;
  const { htaccess } = side.project;
  const file = outermost.parent ? undefined : htaccess.find(({ tree }) => tree === outermost.reading.tree);
  if (file) {
    const folder = fromReadable(file.directory).replace(/\/$/, "");
    return ({ walks }) => {
      const filename = walks[index]?.filename;
      return filename === undefined || isWithin(filename, folder) || isWithin(folder, filename);
    };
  }
  if (section === undefined) return () => true;
  return ({ path, sections, walks }) => {
    if (sections[index]?.includes(section)) return true;
    const walk = walks[index];
    if (walk === undefined) return true;
    if (walk.kind !== "directory" || !path.endsWith("/")) return false;
    return indexNames.some((name) => appliesToIndexFile(section, name, { side, path, walk }));
  };
}

/** Reports whether a section applies to a file that may be looked up in a directory. */
function appliesToIndexFile(
  section: Directive,
  name: string,
  { side, path, walk }: { readonly side: PathSide; readonly path: string; readonly walk: PathWalk },
): boolean {
  const fullPath = path + name;
  const filename = `${walk.filename}/${name}`;
  const mappingTarget: MappingTarget = { kind: "constant", target: filename };
  return (["file", "directory"] as const).some((kind) =>
    findApplyingSections(side, fullPath, mappingTarget, { walked: fullPath.length, kind, filename }).includes(section),
  );
}

/** Returns the outermost section around a line within its server, or the line itself. */
function outermostOf(directive: Directive): Directive {
  const { parent } = directive;
  return parent === undefined || parent.key === "<virtualhost" ? directive : outermostOf(parent);
}

/**
 * Returns the file tree of a walk: all components above its end are directories. Anything else that the server may look
 * up is unknown, such as index files and password files.
 *
 * @param walk undefined if nothing is known
 */
export function fileTreeOfWalk(walk: PathWalk | undefined): FileTree {
  if (walk === undefined) return { kindOf: () => "unknown" };
  const { filename, kind } = walk;
  const isBelow = (path: string, above: string) => path.startsWith(`${above}/`);
  return {
    kindOf: (path) => {
      if (path === filename) return kind;
      if (isBelow(filename, path)) return "directory";
      // Nothing exists below something other than a directory.
      return kind !== "directory" && isBelow(path, filename) ? "missing" : "unknown";
    },
  };
}

/** The line length that counts as one; longer lines count as multiples of it. */
const TYPICAL_LENGTH = 64;

/** These sections are counted separately if they apply; finding them does not involve the others. */
const sectionPattern = /^<(?:virtualhost|directory|location|files|proxy)$/;

/**
 * Estimates how many lines a request for some paths is checked against: those of the servers, and of the sections that
 * apply.
 */
export function countApplyingLines(servers: readonly Server[], { sections }: PathClass): number {
  const layers = new Set(servers.flatMap((server) => server.layers));
  const applying = new Set(sections.flat());
  let lines = 0;
  for (const layer of layers) lines += countLinesOf(layer.directives);
  for (const section of applying) if (section.children) lines += countLinesOf(section.children);
  return lines;
}

const countLinesOf = memoize((directives: readonly Directive[]): number => {
  const read = directives.filter(({ key }) => !sectionPattern.test(key));
  return read.reduce((sum, { argumentText }) => sum + 1 + Math.floor(argumentText.length / TYPICAL_LENGTH), 0);
});
