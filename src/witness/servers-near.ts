import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { Once } from "../scope/once.js";
import { fromReadable } from "../text/source.js";
import { rootsOf } from "./paths.js";

/** The virtual hosts of a server, by where they lead to. */
interface Hosts {
  readonly all: readonly Directive[];
  /** The numbers of those that lead to a folder, by its path with a slash at its end. */
  readonly byRoot: ReadonlyMap<string, readonly number[]>;
  /** Those paths, sorted. */
  readonly roots: readonly string[];
}

const hostsOf = new Once((project: Project): Hosts => {
  const all = project.directives.filter(({ key }) => key === "<virtualhost");
  const byRoot = new Map<string, number[]>();
  for (const [number, host] of all.entries())
    for (const { to } of rootsOf(project, host)) {
      const others = byRoot.get(to);
      if (others === undefined) byRoot.set(to, [number]);
      else if (others.at(-1) !== number) others.push(number);
    }
  return { all, byRoot, roots: [...byRoot.keys()].sort() };
});

/**
 * The main server and the virtual hosts that may lead to a directory, or to something in it, in the order in which they are
 * written: of thousands a few do.
 *
 * @param directory absent: all of them
 */
export function* serversNear(project: Project, directory: string | undefined): Generator<Directive | undefined> {
  yield undefined;
  const { all, byRoot, roots } = hostsOf.of(project);
  if (directory === undefined) {
    yield* all;
    return;
  }
  const path = fromReadable(directory.endsWith("/") ? directory : `${directory}/`);
  const near = new Set<number>();
  const add = (root: string) => {
    for (const number of byRoot.get(root) ?? []) near.add(number);
  };
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) add(path.slice(0, slash + 1));
  for (let at = firstFrom(roots, path); roots[at]?.startsWith(path); at++) add(roots[at] ?? "");
  for (const number of [...near].sort((a, b) => a - b)) yield all[number];
}

/** The first of some sorted texts that is not before another. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? "") < text) from = middle + 1;
    else to = middle;
  }
  return from;
}
