import type { PathCell } from "../compare/path-cell.js";
import type { ServerPair } from "../compare/server-pairs.js";
import { type Directive, lineOf } from "../project/directive.js";
import type { Project } from "../project/project.js";

/** Where it is asked who gets in: a section for paths, a virtual host, or the folder of a `.htaccess` file. */
export interface AskedPlace {
  /** Whether requests to a server may come to it. */
  isOf(pair: ServerPair): boolean;
  /** Whether it has a say for such paths. */
  holdsFor(cell: PathCell): boolean;
}

const ofPaths = /^<(?:directory|files|location|proxy)(?:match)?$/;
const anywhere = () => true;

/** The place that a line belongs to; undefined where the line holds for no paths of its own, or was not loaded. */
export function askedPlace(project: Project, realPath: string, offset: number): AskedPlace | undefined {
  const own = find(project.directives, realPath, offset);
  if (own) return placeOfSections(sectionsFrom(own));
  for (const { directives, directory } of project.htaccess) {
    const inside = find(directives, realPath, offset);
    if (inside === undefined) continue;
    return placeOfSections(sectionsFrom(inside)) ?? { isOf: anywhere, holdsFor: (cell) => isBelow(cell, directory) };
  }
  return undefined;
}

/** The directive whose line holds an offset of a file. */
function find(directives: readonly Directive[], realPath: string, offset: number): Directive | undefined {
  for (const directive of directives) {
    if (directive.reading.tree.source.realPath === realPath) {
      const { start, end } = directive.line;
      if (offset >= start && offset < end) return directive;
    }
    const inside = directive.children && find(directive.children, realPath, offset);
    if (inside) return inside;
  }
  return undefined;
}

/** From the inside out, itself where it is one. */
function sectionsFrom(directive: Directive): readonly Directive[] {
  const outer = directive.parent ? sectionsFrom(directive.parent) : [];
  return directive.children ? [directive, ...outer] : outer;
}

function placeOfSections(sections: readonly Directive[]): AskedPlace | undefined {
  const host = sections.find(({ key }) => key === "<virtualhost");
  const section = sections.find(({ key }) => ofPaths.test(key));
  if (host === undefined && section === undefined) return undefined;
  const isHost = (other: Directive | undefined) => other !== undefined && host !== undefined && isSame(other, host);
  return {
    isOf: host ? ({ servers }) => servers.some((server) => isHost(server.section)) : anywhere,
    holdsFor: section ? (cell) => cell.sections.flat().some((each) => isSame(each, section)) : anywhere,
  };
}

function isSame(one: Directive, other: Directive): boolean {
  return lineOf(one) === lineOf(other);
}

function isBelow({ walks }: PathCell, directory: string): boolean {
  return walks.some((walk) => walk !== undefined && `${walk.filename}/`.startsWith(`${directory}/`));
}
