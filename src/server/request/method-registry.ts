import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { memoize } from "../../text/memoize.js";

/** The methods that httpd registers at startup (modules/http/http_protocol.c `ap_method_registry_init`). */
export const builtInMethods =
  "GET HEAD PUT POST DELETE CONNECT OPTIONS TRACE PATCH PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK VERSION-CONTROL CHECKOUT UNCHECKOUT CHECKIN UPDATE LABEL REPORT MKWORKSPACE MKACTIVITY BASELINE-CONTROL MERGE".split(
    " ",
  );

/** The methods that mod_dav registers after the configuration is read (modules/dav/main/mod_dav.c `dav_init_handler`). */
const davMethods = ["BIND", "SEARCH"];

/** The method names known so far while reading. */
export class MethodRegistry {
  private readonly known: Set<string>;

  /** @param others the methods that modules register */
  constructor(others: readonly string[] = []) {
    this.known = new Set([...builtInMethods, ...others]);
  }

  /** Records a directive that registers names: Limit sections, RegisterHttpMethod, mod_actions' Script. */
  define(directive: Directive, inHtaccess: boolean): void {
    if (inHtaccess) return;
    const { key } = directive;
    const words = directive.arguments;
    if (key === "<limit" || key === "<limitexcept" || key === "registerhttpmethod") {
      for (const word of words) this.known.add(word.value);
    } else if (key === "script" && words[0]) this.known.add(words[0].value);
  }

  has(name: string): boolean {
    return this.known.has(name);
  }

  /** Returns all method names. */
  list(): readonly string[] {
    return [...this.known];
  }
}

/** Returns the methods that the server has registered after reading its configuration. */
export const collectRegisteredMethods = memoize((project: Project): MethodRegistry => {
  const methods = new MethodRegistry(project.modules.has("dav_module") ? davMethods : []);
  const define = (directive: Directive) => {
    methods.define(directive, false);
    directive.children?.forEach(define);
  };
  project.directives.forEach(define);
  return methods;
});
