import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { scopeKindOf } from "../../config/model/scope.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { isWholeServer } from "../../config/queries/whole-server.js";
import { variablesSetBy } from "../../proof/paths/project-facts.js";
import { findClosestWord } from "../../text/closest-word.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";

/** Why no request has a variable when httpd checks access. */
export type Unset =
  /** No line sets it. `similar`: the variable of another line with nearly the same name */
  | { readonly kind: "never"; readonly similar: string | undefined }
  /** A line sets it after the check. */
  | { readonly kind: "late"; readonly by: Directive };

/** The variables that the lines of a server set before and after access is checked. */
class AccessVariables {
  private readonly early = new Set<string>();
  private readonly late = new Map<string, Directive[]>();
  private readonly isComplete: boolean;
  private mayHaveOthers: boolean;

  constructor(project: Project) {
    const { modules, kind, directives, htaccess } = project;
    this.isComplete = isWholeServer(project);
    this.mayHaveOthers = modules.unknown.length > 0 || modules.hasAnyThirdParty() || modules.has("lua_module");
    this.addAll(directives, kind === "htaccess");
    for (const file of htaccess) this.addAll(file.directives, true);
  }

  private addAll(directives: readonly Directive[], isInHtaccess: boolean): void {
    for (const directive of iterateDescendants(directives))
      for (const name of variablesSetBy(directive).map((each) => each.toLowerCase()))
        if (isLate(directive, isInHtaccess)) getOrCreate(this.late, name, () => []).push(directive);
        else if (isName(name)) this.early.add(name);
        // A rule sets a variable with a name that it captures.
        else this.mayHaveOthers = true;
  }

  /**
   * Returns why no request has a variable when httpd checks access; undefined if one may, or if modules or other files may
   * set it. Names do not differ in case. Live case: `SetEnv`, `PassEnv` and the rewrite rules of a directory run later.
   *
   * @param line the line that reads the variable
   */
  findUnset(name: string, line: Directive): Unset | undefined {
    const word = name.toLowerCase();
    if (this.mayHaveOthers || this.early.has(word) || !isName(word) || ofModules.test(word)) return undefined;
    const by = this.late.get(word)?.at(-1);
    // A file may also be looked up for another request, which has the variable.
    if (by !== undefined) return isInFiles(line) ? undefined : { kind: "late", by };
    return this.isComplete ? { kind: "never", similar: findClosestWord(word, [...this.early]) } : undefined;
  }

  /**
   * Reports whether it is known that no request has a variable, not even when httpd sends the response.
   *
   * @param isAssured whether the name is that of something else, so that no module sets such a variable
   */
  isNeverSet(name: string, isAssured: boolean): boolean {
    const word = name.toLowerCase();
    if (this.early.has(word) || this.late.has(word)) return false;
    return isAssured || (this.isComplete && !this.mayHaveOthers && !ofModules.test(word) && !ofCache.test(word));
  }

  /**
   * Returns the line that sets a variable of a condition only after httpd has tested it: rewrite rules and `<If>` are for
   * the request before `SetEnv` is (mod_env `fixup_env_module`; live case). Undefined if another line may set it before;
   * with PassEnv, the environment of httpd has it.
   */
  findLateSetter(name: string): Directive | undefined {
    const word = name.toLowerCase();
    const lines = this.late.get(word) ?? [];
    if (this.mayHaveOthers || this.early.has(word) || ofModules.test(word)) return undefined;
    return lines.every(({ key }) => key === "setenv") ? lines[0] : undefined;
  }
}

/** Variables of httpd, of its modules for authentication and TLS, and of requests that are redirected internally. */
const ofModules = /^(?:authenticate_|authorize_|redirect_|ssl_|https$|unique_id$|remote_|http_|request_|server_)/;

/** Variables that mod_cache sets for each response (modules/cache/mod_cache.c `cache_quick_handler`). */
const ofCache = /^cache-(?:hit|miss|revalidate|invalidate|status)$/;

/** Reports whether a text is a name, and not one that a rule captures. */
function isName(text: string): boolean {
  return /^[\w-]+$/.test(text);
}

function isLate(directive: Directive, isInHtaccess: boolean): boolean {
  const { key } = directive;
  return key === "setenv" || key === "passenv" || (key === "rewriterule" && (isInHtaccess || isInDirectory(directive)));
}

function isInDirectory({ parent }: Directive): boolean {
  if (parent === undefined) return false;
  const kind = scopeKindOf(parent);
  return kind === undefined || kind === "virtualhost" ? isInDirectory(parent) : true;
}

function isInFiles({ parent }: Directive): boolean {
  return parent !== undefined && (scopeKindOf(parent) === "files" || isInFiles(parent));
}

/** The variables of a project; rules share them. */
export const accessVariablesOf = memoize((project: Project) => new AccessVariables(project));
