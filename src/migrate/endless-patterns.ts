import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Span } from "../text/source.js";

/**
 * A DirectoryMatch section whose pattern says where a name ends. 2.2 asks it of the name with a slash behind it, and no name
 * ends there: 2.4 applies it where 2.2 did not.
 */
export type EndlessPattern =
  | { readonly section: Directive; readonly kind: "never" }
  /** What 2.2 makes of it, in words of 2.4. */
  | { readonly section: Directive; readonly kind: "pattern"; readonly span: Span; readonly text: string };

/** Those of a configuration of 2.2 that can be written for 2.4. */
export function endlessPatterns(project: Project): readonly EndlessPattern[] {
  if (project.release !== "2.2") return [];
  const found: EndlessPattern[] = [];
  for (const section of allDirectives(project)) {
    const [first, second] = section.arguments;
    const argument = section.key === "<directorymatch" ? first : first?.value === "~" ? second : undefined;
    if (argument === undefined || !/^<directory/.test(section.key) || !hasEnd(argument.value)) continue;
    const text = argument.value.replace(/\((?:\?:)?(?:\/\|\$|\$\|\/)\)/g, "/");
    if (!hasEnd(text)) found.push({ section, kind: "pattern", span: section.spanOf(argument), text });
    else if (/[^\\]\$$/.test(text) && !text.includes("|")) found.push({ section, kind: "never" });
  }
  return found;
}

/** Whether a pattern has a `$` that is none of its letters. */
function hasEnd(pattern: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*\$/.test(pattern);
}
