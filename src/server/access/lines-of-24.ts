import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { isCompatDirective } from "./compat-rules.js";
import { isRequireContainer } from "./require-rules.js";

const authoritativeDirectives: ReadonlySet<string> = new Set([
  ...["authzuserauthoritative", "authzgroupfileauthoritative", "authzdbmauthoritative"],
  ...["authzownerauthoritative", "authzldapauthoritative", "authzdefaultauthoritative"],
]);

/** Reports whether a directive does not exist in 2.4 without mod_access_compat. */
export function isLegacyDirective(directive: Directive): boolean {
  return isCompatDirective(directive) || authoritativeDirectives.has(directive.key);
}

/** Reports the same for a name, in any case. */
export function isLegacyDirectiveName(name: string): boolean {
  const key = name.toLowerCase();
  return isCompatDirective({ key }) || authoritativeDirectives.has(key);
}

/** Reports whether a directive controls access, in either release. */
export function isAccessLine(directive: Directive): boolean {
  const { key } = directive;
  return isLegacyDirective(directive) || key === "require" || key === "authmerging" || isRequireContainer(directive);
}

/** First words of Require that only 2.4 knows. */
const newerWords: ReadonlySet<string> = new Set([
  ...["all", "env", "expr", "forward-dns", "host", "ip", "local", "method", "not", "ssl", "ssl-verify-client"],
]);

/** Reports whether a directive is an access directive that only 2.4 knows. */
export function isLineOf24(directive: Directive): boolean {
  return (
    isRequireContainer(directive) ||
    directive.key === "authmerging" ||
    (directive.key === "require" && newerWords.has(directive.arguments[0]?.value.toLowerCase() ?? ""))
  );
}

/**
 * Returns the files that are already for 2.4, by real path, each with a line that shows it: an access directive of 2.4
 * that is not in a conditional section. A file that still has mod_access_compat directives is not one of them.
 */
export function findFilesFor24(project: Project): ReadonlyMap<string, Directive> {
  const files = new Map<string, Directive>();
  const legacy = new Set<string>();
  for (const directive of iterateDirectives(project)) {
    const { realPath } = directive.span.file;
    if (isLegacyDirective(directive)) legacy.add(realPath);
    else if (directive.guard === undefined && !files.has(realPath) && isLineOf24(directive))
      files.set(realPath, directive);
  }
  return new Map([...files].filter(([path]) => !legacy.has(path)));
}

/**
 * Returns a line that shows that a configuration is for 2.4 as a whole; undefined if there is none, or if other lines
 * are still mod_access_compat directives.
 */
export function findLineOf24(project: Project): Directive | undefined {
  for (const directive of iterateDirectives(project)) if (isLegacyDirective(directive)) return undefined;
  const [line] = findFilesFor24(project).values();
  return line;
}
