import type { ConfigLayer } from "../../httpd/model/config-layer.js";
import type { FileTree } from "../../httpd/model/file-tree.js";
import { Oracle } from "../../httpd/model/oracle.js";
import type { Server } from "../../httpd/model/server.js";
import { DirectoryWalker } from "../../httpd/walk/directory-walk.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import { createFaultFinder } from "../../simulate/inputs/refused-lines.js";
import { fromReadable } from "../../text/source.js";
import { applyMapping, type MappingTarget } from "../predicates/mapping-targets.js";
import type { PathClass, PathSide, PathWalk } from "./path-class.js";

/** The walks of a project, made ready once, over files that are others for each path. */
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

/** The sections for paths and files that apply to a URL path, in the order in which they are laid over each other. */
export function findApplyingSections(
  { project, server }: PathSide,
  path: string,
  lead: MappingTarget | undefined,
  walk: PathWalk | undefined,
): readonly Directive[] {
  const questions = new Oracle(new Map());
  const walks = projectWalksOver(fileTreeOfWalk(walk), project);
  const locations = walks.locations(path, server, questions);
  if (lead?.kind === "backend")
    return sectionsOf([...walks.proxies(applyMapping(lead, path), server, questions), ...locations]);
  if (lead === undefined || walk === undefined) return sectionsOf(locations);
  const { layers, filename } = walks.walkDirectories(applyMapping(lead, path), server, questions);
  const config = walks.configOf(server).extend("directory", layers);
  return sectionsOf([...layers, ...walks.filesSections(filename, config, questions), ...locations]);
}

function sectionsOf(layers: readonly { readonly section: Directive | undefined }[]): readonly Directive[] {
  return layers.flatMap(({ section }) => section ?? []);
}

const pathSections = /^<(directory|files|location|proxy)(match)?$/;

/** Tells the paths for which a line counts: it may stand in a section that is for some alone, or in a `.htaccess` file. */
export function selectAffectedClasses(
  directive: Directive,
  side: PathSide,
  index: number,
  indexNames: readonly string[],
): (cell: PathClass) => boolean {
  const outermost = outermostOf(directive);
  const section = pathSections.test(outermost.key) ? outermost : undefined;
  const { htaccess } = side.project;
  const file = outermost.parent ? undefined : htaccess.find(({ tree }) => tree === outermost.reading.tree);
  if (file) {
    const folder = fromReadable(file.directory).replace(/\/$/, "");
    return ({ walks }) => {
      const filename = walks[index]?.filename;
      return (
        filename === undefined || `${filename}/`.startsWith(`${folder}/`) || `${folder}/`.startsWith(`${filename}/`)
      );
    };
  }
  if (section === undefined) return () => true;
  return ({ path, sections, walks }) => {
    if (sections[index]?.includes(section)) return true;
    const walk = walks[index];
    if (walk === undefined) return true;
    if (walk.kind !== "directory" || !path.endsWith("/")) return false;
    return indexNames.some((name) => isForInside(section, name, { side, path, walk }));
  };
}

/** Whether a section is for a file that may be sought in a directory. */
function isForInside(
  section: Directive,
  name: string,
  { side, path, walk }: { readonly side: PathSide; readonly path: string; readonly walk: PathWalk },
): boolean {
  const whole = path + name;
  const filename = `${walk.filename}/${name}`;
  const lead: MappingTarget = { kind: "constant", target: filename };
  return (["file", "directory"] as const).some((kind) =>
    findApplyingSections(side, whole, lead, { walked: whole.length, kind, filename }).includes(section),
  );
}

/** The section around a line that stands at the level of a server, or the line itself. */
function outermostOf(directive: Directive): Directive {
  const { parent } = directive;
  return parent === undefined || parent.key === "<virtualhost" ? directive : outermostOf(parent);
}

/**
 * What exists where a walk ends as it does: all components above are directories. Whatever else the server may ask for is
 * unknown, such as index files and the files of passwords.
 *
 * @param walk undefined where nothing is known
 */
export function fileTreeOfWalk(walk: PathWalk | undefined): FileTree {
  if (walk === undefined) return { kindOf: () => "unknown" };
  const { filename, kind } = walk;
  const isBelow = (path: string, above: string) => path.startsWith(`${above}/`);
  return {
    kindOf: (path) => {
      if (path === filename) return kind;
      if (isBelow(filename, path)) return "directory";
      // Nothing lies below what is no directory.
      return kind !== "directory" && isBelow(path, filename) ? "missing" : "unknown";
    },
  };
}

/** A line of the usual length counts as one, and a longer one as so many. */
const TYPICAL_LENGTH = 64;

/** Of these those that apply are counted by themselves; they are found without a look at the others. */
const sectionPattern = /^<(?:virtualhost|directory|location|files|proxy)$/;

const knownCounts = new WeakMap<ConfigLayer | Directive, number>();

/** About how many lines a request for some paths is held against: those of the servers, and of the sections that apply. */
export function countApplyingLines(servers: readonly Server[], { sections }: PathClass): number {
  const layers = new Set(servers.flatMap((server) => server.layers));
  const applying = new Set(sections.flat());
  let lines = 0;
  for (const layer of layers) lines += memoizeLineCount(layer, () => countLinesOf(layer.directives));
  for (const section of applying) lines += memoizeLineCount(section, () => countLinesOf(section.children ?? []));
  return lines;
}

function memoizeLineCount(of: ConfigLayer | Directive, count: () => number): number {
  const lines = knownCounts.get(of) ?? count();
  knownCounts.set(of, lines);
  return lines;
}

function countLinesOf(directives: readonly Directive[]): number {
  const read = directives.filter(({ key }) => !sectionPattern.test(key));
  return read.reduce((sum, { argumentText }) => sum + 1 + Math.floor(argumentText.length / TYPICAL_LENGTH), 0);
}
