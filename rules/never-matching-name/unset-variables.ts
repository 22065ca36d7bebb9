import { variablesSetBy } from "../../src/lint/api/access.js";
import {
  type Directive,
  isWholeServer,
  iterateDescendants,
  type Project,
  scopeKindOf,
} from "../../src/lint/api/configuration.js";
import { findClosestWord } from "../../src/lint/api/rule.js";

/** Why no request has a variable when httpd checks access. */
export type Unset =
  /** No line sets it. `similar`: the variable of another line with nearly the same name */
  | { readonly kind: "never"; readonly similar: string | undefined }
  /** A line sets it after the check. */
  | { readonly kind: "late"; readonly by: Directive };

/** The variables that the lines of a server set before and after access is checked. */
export class AccessVariables {
  private readonly early = new Set<string>();
  private readonly late = new Map<string, Directive>();
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
        if (isLate(directive, isInHtaccess)) this.late.set(name, directive);
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
    const by = this.late.get(word);
    // A file may also be looked up for another request, which has the variable.
    if (by !== undefined) return isInFiles(line) ? undefined : { kind: "late", by };
    return this.isComplete ? { kind: "never", similar: findClosestWord(word, [...this.early]) } : undefined;
  }
}

/** Variables of httpd, of its modules for authentication and TLS, and of requests that are redirected internally. */
const ofModules = /^(?:authenticate_|authorize_|redirect_|ssl_|https$|unique_id$|remote_|http_|request_|server_)/;

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
