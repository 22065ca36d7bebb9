import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import { findClosestWord } from "../../text/closest-word.js";
import { takeUntilEmpty } from "./values.js";

/** Authentication providers of httpd's own modules. */
const modulesByProvider: ReadonlyMap<string, string> = new Map([
  ["file", "authn_file_module"],
  ["dbm", "authn_dbm_module"],
  ["anon", "authn_anon_module"],
  ["dbd", "authn_dbd_module"],
  ["socache", "authn_socache_module"],
  ["ldap", "authnz_ldap_module"],
]);

/** Returns the identifier of the module that provides an argument of AuthBasicProvider or a similar directive. */
export function authnProviderModule(name: string): string | undefined {
  return modulesByProvider.get(name);
}

/**
 * The provider names of AuthBasicProvider and similar directives known so far while reading: aliases count after their
 * definition.
 */
export class AuthnProviderRegistry {
  private readonly defined = new Set<string>();
  /** The defining lines of the aliases. */
  private readonly aliases = new Map<string, Directive>();

  constructor(private readonly project: Project) {}

  /** Records a directive that defines a provider. */
  define(directive: Directive): void {
    const name = directive.arguments[1]?.value;
    if (name) this.defined.add(name);
  }

  /**
   * Records an alias. Returns a fault if its name is already used, or its provider is unknown
   * (modules/aaa/mod_authn_core.c).
   */
  defineAlias(directive: Directive): Refusal | undefined {
    const [provider, word] = directive.arguments;
    if (provider === undefined || !word?.value) return undefined;
    const name = word.value;
    const earlier = this.aliases.get(name);
    const module = modulesByProvider.get(name);
    const isProvided = module !== undefined && this.project.modules.has(module);
    if (earlier === undefined && !isProvided) {
      this.aliases.set(name, directive);
      this.define(directive);
      return this.unknownIn(directive, [provider]);
    }
    return {
      ...wordingOf("duplicate-provider-alias", name, earlier !== undefined, module),
      span: directive.spanOf(word),
      ...(earlier ? { related: [{ message: "first alias with this name", span: earlier.span }] } : {}),
    };
  }

  /** Checks only the arguments of an alias, as the server does. */
  aliasFault(directive: Directive): Refusal | undefined {
    const [provider, alias] = directive.arguments;
    const nameless = checkAliasName(directive, "add the provider and the alias");
    if (nameless || provider === undefined || alias === undefined) return nameless;
    if (provider.value.toLowerCase() === alias.value.toLowerCase()) {
      return { ...wordingOf("alias-named-like-provider", alias.value), span: directive.spanOf(alias) };
    }
    return undefined;
  }

  /** Checks the arguments of a directive that names providers as the server does (modules/aaa/mod_auth_basic.c). */
  check(directive: Directive): Refusal | undefined {
    return this.unknownIn(directive, takeUntilEmpty(directive.arguments));
  }

  private unknownIn(directive: Directive, words: readonly Argument[]): Refusal | undefined {
    for (const word of words) {
      const advice = this.unknownProvider(word.value);
      if (advice) return { server: `Unknown Authn provider: ${word.value}`, ...advice, span: directive.spanOf(word) };
    }
    return undefined;
  }

  /** Returns undefined if the server knows the name, or a module may provide it. */
  private unknownProvider(name: string): RefusalText | undefined {
    if (this.defined.has(name)) return undefined;
    const module = modulesByProvider.get(name);
    if (module !== undefined) {
      if (!this.project.modulesAreKnown || this.project.modules.has(module)) return undefined;
      return wordingOf("authentication-module-not-loaded", name, module);
    }
    const lower = name.toLowerCase();
    if (modulesByProvider.has(lower)) return wordingOf("authentication-provider-case", name, lower);
    if (name.startsWith("#")) return wordingOf("comment-as-authentication-provider", name);
    // An unknown module may provide the name, and another file of the server may define it.
    const isComplete = this.project.kind === "server" && this.project.modules.unknown.length === 0;
    const near = isComplete ? findClosestWord(name, modulesByProvider.keys()) : undefined;
    return near === undefined ? undefined : wordingOf("unknown-authentication-provider", name, near);
  }
}

/** Checks a section that defines a provider alias and lacks one of the two names. @param remedy as a clause */
export function checkAliasName(section: Directive, remedy: string): Refusal | undefined {
  const [provider, alias] = section.arguments;
  if (provider?.value && alias?.value) return undefined;
  return { ...wordingOf("unnamed-provider-alias", section.key, remedy), span: section.span };
}
