import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";

const lookingAtGroups = new WeakMap<Project, boolean>();

/** Whether any line looks at what a named group of a section's pattern has found: `MATCH_NAME`. */
export function looksAtGroups(project: Project): boolean {
  const known = lookingAtGroups.get(project);
  if (known !== undefined) return known;
  const found = [...project.files.values()].some(({ source }) => /match_/i.test(source.text));
  lookingAtGroups.set(project, found);
  return found;
}

const withIfs = new WeakMap<Project, boolean>();

/**
 * Whether conditions stand in Location or If sections: those are gone over for the path as it is sent, too, and what they
 * come to then decides how far the server looks later.
 */
export function hasIfsWithin(project: Project): boolean {
  const known = withIfs.get(project);
  if (known !== undefined) return known;
  const isThere = (directives: readonly Directive[], isInside: boolean): boolean =>
    directives.some(
      ({ key, children }) =>
        (isInside && key === "<if") ||
        (children !== undefined && isThere(children, isInside || /^<(location|if|elseif|else)/.test(key))),
    );
  const found = isThere(project.directives, false) || project.htaccess.some((file) => isThere(file.directives, false));
  withIfs.set(project, found);
  return found;
}

const inheriting = new WeakMap<Project, boolean>();

/** Whether rules of rewriting are anywhere looked at beside others than those that they are written with. */
export function inheritsRules(project: Project): boolean {
  const known = inheriting.get(project);
  if (known !== undefined) return known;
  const found = [...project.files.values()].some(({ source }) => /rewriteoptions[^\n]*inherit/i.test(source.text));
  inheriting.set(project, found);
  return found;
}
