import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { findClosestWord } from "../../text/closest-word.js";
import { quoteText } from "../../text/words.js";
import type { CheckFailure } from "../refusal.js";
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
  defineAlias(directive: Directive): CheckFailure | undefined {
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
      server: `The alias provider ${name} has already be registered previously as either a base provider or an alias provider.`,
      wrong: `the provider name ${quoteText(name)} is already used by ${earlier ? "another alias" : `\`${module}\``}`,
      remedy: "use another name",
      span: directive.spanOf(word),
      ...(earlier ? { related: [{ message: "first alias with this name", span: earlier.span }] } : {}),
    };
  }

  /** Checks only the arguments of an alias, as the server does. */
  aliasFault(directive: Directive): CheckFailure | undefined {
    const [provider, alias] = directive.arguments;
    const nameless = checkAliasName(directive, "add the provider and the alias");
    if (nameless || provider === undefined || alias === undefined) return nameless;
    if (provider.value.toLowerCase() === alias.value.toLowerCase()) {
      return {
        server: "The alias provider name must be different from the base provider name.",
        wrong: `alias ${quoteText(alias.value)} has the name of its provider`,
        remedy: "use another name for the alias",
        span: directive.spanOf(alias),
      };
    }
    return undefined;
  }

  /** Checks the arguments of a directive that names providers as the server does (modules/aaa/mod_auth_basic.c). */
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

  /** Returns undefined if the server knows the name, or a module may provide it. */
  private unknownProvider(name: string): Pick<CheckFailure, "wrong" | "facts" | "remedy" | "missing"> | undefined {
    if (this.defined.has(name)) return undefined;
    const module = modulesByProvider.get(name);
    if (module !== undefined) {
      if (!this.project.modulesAreKnown || this.project.modules.has(module)) return undefined;
      return {
        wrong: `\`${name}\` needs \`${module}\`, which is not loaded`,
        remedy: `load \`${module}\``,
        missing: module,
      };
    }
    const lower = name.toLowerCase();
    if (modulesByProvider.has(lower))
      return {
        wrong: `unknown authentication provider \`${name}\``,
        facts: ["names are case-sensitive"],
        remedy: `use \`${lower}\``,
      };
    const wrong = `unknown authentication provider \`${name}\``;
    if (name.startsWith("#")) return { wrong, remedy: "delete it" };
    // An unknown module may provide the name, and another file of the server may define it.
    const isComplete = this.project.kind === "server" && this.project.modules.unknown.length === 0;
    const near = isComplete ? findClosestWord(name, modulesByProvider.keys()) : undefined;
    return near === undefined ? undefined : { wrong, remedy: `did you mean \`${near}\`?` };
  }
}

/** Checks a section that defines a provider alias and lacks one of the two names. @param remedy as a clause */
export function checkAliasName(section: Directive, remedy: string): CheckFailure | undefined {
  const [provider, alias] = section.arguments;
  if (provider?.value && alias?.value) return undefined;
  const name = section.key === "<authnprovideralias" ? "<AuthnProviderAlias>" : "<AuthzProviderAlias>";
  return {
    server: `${name} directive requires additional arguments`,
    wrong: `\`${name}\` needs a provider and an alias`,
    remedy,
    span: section.span,
  };
}
