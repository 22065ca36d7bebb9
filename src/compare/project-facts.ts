import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { Once } from "../scope/once.js";
import { wordsOf } from "../scope/words.js";
import { fromReadable } from "../text/source.js";

/** Whether any line looks at what a named group of a section's pattern has found: `MATCH_NAME`. */
export function looksAtGroups(project: Project): boolean {
  return lookingAtGroups.of(project);
}

const lookingAtGroups = new Once((project: Project) => isWritten(project, /match_/i));

/**
 * Whether conditions stand in Location or If sections: those are gone over for the path as it is sent, too, and what they
 * come to then decides how far the server looks later.
 */
export function hasIfsWithin(project: Project): boolean {
  return withIfs.of(project);
}

const withIfs = new Once(({ directives, htaccess }: Project) =>
  [directives, ...htaccess.map((file) => file.directives)].some((content) => hasIfsIn(content, false)),
);

function hasIfsIn(directives: readonly Directive[], isInside: boolean): boolean {
  return directives.some(
    ({ key, children }) =>
      (isInside && key === "<if") ||
      (children !== undefined && hasIfsIn(children, isInside || /^<(location|if|elseif|else)/.test(key))),
  );
}

/** Whether rules of rewriting are anywhere looked at beside others than those that they are written with. */
export function inheritsRules(project: Project): boolean {
  return inheriting.of(project);
}

const inheriting = new Once((project: Project) => isWritten(project, /rewriteoptions[^\n]*inherit/i));

/**
 * Whether an extension decides who is let in: that of a program, which is refused where programs may not run, or one that a
 * FallbackResource leaves alone. By any other handler a file is answered, one way or another.
 */
export function asksForExtensions(project: Project): boolean {
  return asking.of(project);
}

const asking = new Once((project: Project) => {
  for (const directive of allDirectives(project)) if (asksForOne(directive)) return true;
  return false;
});

function asksForOne(directive: Directive): boolean {
  const { key } = directive;
  return key === "fallbackresource" || (key === "addhandler" && wordsOf(directive)[0]?.toLowerCase() === "cgi-script");
}

function isWritten({ files }: Project, text: RegExp): boolean {
  return [...files.values()].some(({ source }) => text.test(source.text));
}

const there = new Once(({ htaccess }: Project): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const { directory } of htaccess) {
    const folder = fromReadable(directory).replace(/\/$/, "");
    for (let end = folder.length; end > 0; end = folder.lastIndexOf("/", end - 1)) found.add(folder.slice(0, end));
  }
  return found;
});

/** The directories that are there whatever else is: a `.htaccess` file that was read lies in one. */
export function directoriesThere(project: Project): ReadonlySet<string> {
  return there.of(project);
}
