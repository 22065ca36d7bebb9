import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { nearest } from "../text/nearest.js";
import type { Fault } from "./refusal.js";
import { filled } from "./values.js";

/** What looks users up in httpd's own modules. */
const modulesByProvider: ReadonlyMap<string, string> = new Map([
  ["file", "authn_file_module"],
  ["dbm", "authn_dbm_module"],
  ["anon", "authn_anon_module"],
  ["dbd", "authn_dbd_module"],
  ["socache", "authn_socache_module"],
  ["ldap", "authnz_ldap_module"],
]);

/** The module that brings a word of AuthBasicProvider and its like, by its identifier. */
export function moduleOfAuthnProvider(name: string): string | undefined {
  return modulesByProvider.get(name);
}

/** The words of AuthBasicProvider and its like known so far while reading: aliases count behind their definition. */
export class AuthnProviders {
  private readonly defined = new Set<string>();

  constructor(private readonly project: Project) {}

  /** Takes note of a directive that brings a word of its own. */
  define(directive: Directive): void {
    const name = directive.arguments[1]?.value;
    if (name) this.defined.add(name);
  }

  /** What the server refuses about the words of a directive that names them (modules/aaa/mod_auth_basic.c). */
  fault(directive: Directive): Fault | undefined {
    const words =
      directive.key === "<authnprovideralias" ? directive.arguments.slice(0, 1) : filled(directive.arguments);
    for (const word of words) {
      const advice = this.unknown(word.value);
      if (advice) return { server: `Unknown Authn provider: ${word.value}`, ...advice, span: directive.spanOf(word) };
    }
    return undefined;
  }

  /** Undefined where the server knows the word, or where a module may bring it. */
  private unknown(name: string): Pick<Fault, "wrong" | "remedy" | "missing"> | undefined {
    if (this.defined.has(name)) return undefined;
    const module = modulesByProvider.get(name);
    if (module !== undefined) {
      if (!this.project.modulesAreKnown || this.project.modules.has(module)) return undefined;
      return {
        wrong: `\`${name}\` needs \`${module}\`, which is not loaded`,
        remedy: "load the module",
        missing: module,
      };
    }
    const lower = name.toLowerCase();
    if (modulesByProvider.has(lower))
      return { wrong: `case counts here, and nothing is called \`${name}\``, remedy: `write \`${lower}\`` };
    const wrong = `nothing is called \`${name}\``;
    if (name.startsWith("#")) return { wrong, remedy: "take it out" };
    // Many modules bring a word of their own, and none one that is so near to another.
    const near = this.project.modules.unknown.length === 0 ? nearest(name, modulesByProvider.keys()) : undefined;
    return near === undefined ? undefined : { wrong, remedy: `did you mean \`${near}\`?` };
  }
}
