import { type Directive, lineKeyOf } from "../model/directive.js";
import type { Project } from "../model/project.js";

/** Yields every directive and section of a configuration and its `.htaccess` files, each section before its content. */
export function* iterateDirectives({
  directives,
  htaccess,
}: Pick<Project, "directives" | "htaccess">): Generator<Directive> {
  yield* iterateDescendants(directives);
  for (const file of htaccess) yield* iterateDescendants(file.directives);
}

/** Yields directives with their descendants, each section before its content. */
export function* iterateDescendants(directives: readonly Directive[]): Generator<Directive> {
  for (const directive of directives) {
    yield directive;
    if (directive.children) yield* iterateDescendants(directive.children);
  }
}

/** Returns a configuration without some of its directives; nothing is read again. */
export function removeDirectives(project: Project, dropped: ReadonlySet<Directive>): Project {
  const lines = new Set([...dropped].map(lineKeyOf));
  const isKept = (directive: Directive) => !dropped.has(directive);
  const isElsewhere = (directive: Directive) => !lines.has(lineKeyOf(directive));
  return {
    ...project,
    directives: filterDirectives(project.directives, isKept),
    htaccess: project.htaccess.map((file) => ({
      ...file,
      directives: filterDirectives(file.directives, isKept),
      // These are read on request, and are different objects each time.
      readWithout: (isSkipped) => filterDirectives(file.readWithout(isSkipped), isElsewhere),
    })),
  };
}

/** Returns a configuration with only one of its virtual hosts. */
export function isolateHost(project: Project, host: Directive): Project {
  const directives = project.directives.filter((each) => each.key !== "<virtualhost" || each === host);
  return { ...project, directives };
}

/** Filters directives; returns the same list if none is dropped. */
function filterDirectives(
  directives: readonly Directive[],
  isKept: (directive: Directive) => boolean,
): readonly Directive[] {
  let isSame = true;
  const left = directives.flatMap((directive) => {
    if (!isKept(directive)) {
      isSame = false;
      return [];
    }
    const { children } = directive;
    const inside = children && filterDirectives(children, isKept);
    if (inside === undefined || inside === children) return [directive];
    isSame = false;
    return [directive.withChildren(inside)];
  });
  return isSame ? directives : left;
}

/** Returns a directive and the sections around it, innermost first. */
export function listWithParents(directive: Directive): readonly Directive[] {
  return directive.parent ? [directive, ...listWithParents(directive.parent)] : [directive];
}
