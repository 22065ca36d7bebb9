import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { FileTree } from "../scope/files.js";
import { Questions } from "../scope/questions.js";
import { Walks } from "../scope/walk.js";
import { faultsIn } from "../simulate/broken-files.js";
import { fromReadable } from "../text/source.js";
import { filesOfWalk } from "./cell-files.js";
import type { PathCell, PathSide, PathWalk } from "./path-cell.js";
import type { Lead } from "./path-leads.js";
import { leadsTo } from "./path-leads.js";

/** The walks of a project, made ready once, over files that are others for each path. */
interface Walked {
  readonly walks: Walks;
  files: FileTree;
}

const known = new WeakMap<Project, Walked>();

function walksOver(files: FileTree, project: Project): Walks {
  const before = known.get(project);
  if (before) {
    before.files = files;
    return before.walks;
  }
  const kindOf: FileTree["kindOf"] = (path, mayBeFile) => made.files.kindOf(path, mayBeFile);
  const made: Walked = { walks: new Walks(project, { kindOf, mayChange: true }, faultsIn(project)), files };
  known.set(project, made);
  return made.walks;
}

/** The sections for paths and files that apply to a URL path, in the order in which they are laid over each other. */
export function sectionsFor(
  { project, server }: PathSide,
  path: string,
  lead: Lead | undefined,
  walk: PathWalk | undefined,
): readonly Directive[] {
  const questions = new Questions(new Map());
  const walks = walksOver(filesOfWalk(walk), project);
  const locations = walks.locations(path, server, questions);
  if (lead?.kind === "backend")
    return sectionsOf([...walks.proxies(leadsTo(lead, path), server, questions), ...locations]);
  if (lead === undefined || walk === undefined) return sectionsOf(locations);
  const { layers, filename } = walks.directories(leadsTo(lead, path), server, questions);
  const config = walks.configOf(server).under("directory", layers);
  return sectionsOf([...layers, ...walks.filesSections(filename, config, questions), ...locations]);
}

function sectionsOf(layers: readonly { readonly section: Directive | undefined }[]): readonly Directive[] {
  return layers.flatMap(({ section }) => section ?? []);
}

const ofPaths = /^<(directory|files|location|proxy)(match)?$/;

/** Tells the paths for which a line counts: it may stand in a section that is for some alone, or in a `.htaccess` file. */
export function concernedBy(
  directive: Directive,
  side: PathSide,
  index: number,
  indexNames: readonly string[],
): (cell: PathCell) => boolean {
  const outermost = outermostOf(directive);
  const section = ofPaths.test(outermost.key) ? outermost : undefined;
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
  const lead: Lead = { kind: "constant", target: filename };
  return (["file", "directory"] as const).some((kind) =>
    sectionsFor(side, whole, lead, { walked: whole.length, kind, filename }).includes(section),
  );
}

/** The section around a line that stands at the level of a server, or the line itself. */
function outermostOf(directive: Directive): Directive {
  const { parent } = directive;
  return parent === undefined || parent.key === "<virtualhost" ? directive : outermostOf(parent);
}
