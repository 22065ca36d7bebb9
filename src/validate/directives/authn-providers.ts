import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../project/model/directive.js";
import { quoteText } from "../../project/model/problems.js";
import type { Project } from "../../project/model/project.js";
import { findClosestWord } from "../../text/closest-word.js";
import type { CheckFailure } from "../refusal.js";
import { takeUntilEmpty } from "./values.js";

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
export function authnProviderModule(name: string): string | undefined {
  return modulesByProvider.get(name);
}

/** The words of AuthBasicProvider and its like known so far while reading: aliases count behind their definition. */
export class AuthnProviderRegistry {
  private readonly defined = new Set<string>();
  /** The lines of those that are aliases. */
  private readonly aliases = new Map<string, Directive>();

  constructor(private readonly project: Project) {}

  /** Takes note of a directive that brings a word of its own. */
  define(directive: Directive): void {
    const name = directive.arguments[1]?.value;
    if (name) this.defined.add(name);
  }

  /** Takes note of an alias; a fault where its name means something by now, or its provider nothing (modules/aaa/mod_authn_core.c). */
  defineAlias(directive: Directive): CheckFailure | undefined {
    const [provider, word] = directive.arguments;
    if (provider === undefined || !word?.value) return undefined;
    const name = word.value;
    const earlier = this.aliases.get(name);
    const module = modulesByProvider.get(name);
    const isBrought = module !== undefined && this.project.modules.has(module);
    if (earlier === undefined && !isBrought) {
      this.aliases.set(name, directive);
      this.define(directive);
      return this.unknownIn(directive, [provider]);
    }
    return {
      server: `The alias provider ${name} has already be registered previously as either a base provider or an alias provider.`,
      wrong: `${quoteText(name)} is ${earlier ? "an alias already" : `what \`${module}\` calls its own`}`,
      remedy: "give this one another name",
      span: directive.spanOf(word),
      ...(earlier ? { related: [{ message: "the first alias of that name", span: earlier.span }] } : {}),
    };
  }

  /** What the server refuses of the words of an alias alone. */
  aliasFault(directive: Directive): CheckFailure | undefined {
    const [provider, alias] = directive.arguments;
    const nameless = checkAliasName(directive, "write the provider and the alias");
    if (nameless || provider === undefined || alias === undefined) return nameless;
    if (provider.value.toLowerCase() === alias.value.toLowerCase()) {
      return {
        server: "The alias provider name must be different from the base provider name.",
        wrong: `${quoteText(alias.value)} is the name of the provider itself`,
        remedy: "give the alias another name",
        span: directive.spanOf(alias),
      };
    }
    return undefined;
  }

  /** What the server refuses about the words of a directive that names them (modules/aaa/mod_auth_basic.c). */
  check(directive: Directive): CheckFailure | undefined {
    return this.unknownIn(directive, takeUntilEmpty(directive.arguments));
  }

  private unknownIn(directive: Directive, words: readonly Argument[]): CheckFailure | undefined {
    for (const word of words) {
      const advice = this.unknownProvider(word.value);
      if (advice) return { server: `Unknown Authn provider: ${word.value}`, ...advice, span: directive.spanOf(word) };
    }
    return undefined;
  }

  /** Undefined where the server knows the word, or where a module may bring it. */
  private unknownProvider(name: string): Pick<CheckFailure, "wrong" | "remedy" | "missing"> | undefined {
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
    // An unknown module may bring the name, and another file of the server may define it.
    const isComplete = this.project.kind === "server" && this.project.modules.unknown.length === 0;
    const near = isComplete ? findClosestWord(name, modulesByProvider.keys()) : undefined;
    return near === undefined ? undefined : { wrong, remedy: `did you mean \`${near}\`?` };
  }
}

/** What the server refuses of a section that gives a provider another name, and lacks one of both. @param remedy as a clause */
export function checkAliasName(section: Directive, remedy: string): CheckFailure | undefined {
  const [provider, alias] = section.arguments;
  if (provider?.value && alias?.value) return undefined;
  const name = section.key === "<authnprovideralias" ? "<AuthnProviderAlias>" : "<AuthzProviderAlias>";
  return {
    server: `${name} directive requires additional arguments`,
    wrong: `\`${name}\` names no provider or no alias`,
    remedy,
    span: section.span,
  };
}
