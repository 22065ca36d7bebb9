import { type Directive, lineOf } from "./directive.js";
import type { Project } from "./project.js";

/** A configuration as it would be without some of its lines; nothing is read anew. */
export function withoutDirectives(project: Project, dropped: ReadonlySet<Directive>): Project {
  const lines = new Set([...dropped].map(lineOf));
  const isKept = (directive: Directive) => !dropped.has(directive);
  const isElsewhere = (directive: Directive) => !lines.has(lineOf(directive));
  return {
    ...project,
    directives: kept(project.directives, isKept),
    htaccess: project.htaccess.map((file) => ({
      ...file,
      directives: kept(file.directives, isKept),
      // These are read when they are asked for, and are others each time.
      readPassingOver: (isPassedOver) => kept(file.readPassingOver(isPassedOver), isElsewhere),
    })),
  };
}

/** A configuration with no other virtual host than one. */
export function withHostAlone(project: Project, host: Directive): Project {
  const directives = project.directives.filter((each) => each.key !== "<virtualhost" || each === host);
  return { ...project, directives };
}

/** The same list where nothing in it is dropped. */
function kept(directives: readonly Directive[], isKept: (directive: Directive) => boolean): readonly Directive[] {
  let isSame = true;
  const left = directives.flatMap((directive) => {
    if (!isKept(directive)) {
      isSame = false;
      return [];
    }
    const { children } = directive;
    const inside = children && kept(children, isKept);
    if (inside === undefined || inside === children) return [directive];
    isSame = false;
    return [directive.withChildren(inside)];
  });
  return isSame ? directives : left;
}
