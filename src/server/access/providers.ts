import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import { authenticationModules, otherRequireProviders } from "../../facts/authentication-modules.js";
import { isSince } from "../../facts/release.js";
import { readSubnet } from "../../text/addresses.js";
import { findClosestWord } from "../../text/closest-word.js";

/**
 * The Require providers of 2.4, with their modules: those of httpd (`ap_register_auth_provider` with
 * AUTHZ_PROVIDER_GROUP in its source) and of third-party modules (from their manuals).
 */
const providerModules: ReadonlyMap<string, string> = new Map([
  ["all", "authz_core_module"],
  ["env", "authz_core_module"],
  ["method", "authz_core_module"],
  ["expr", "authz_core_module"],
  ["ip", "authz_host_module"],
  ["host", "authz_host_module"],
  ["forward-dns", "authz_host_module"],
  ["local", "authz_host_module"],
  ["user", "authz_user_module"],
  ["valid-user", "authz_user_module"],
  ["group", "authz_groupfile_module"],
  ["file-group", "authz_groupfile_module"],
  ["file-owner", "authz_owner_module"],
  ["dbm-group", "authz_dbm_module"],
  ["dbm-file-group", "authz_dbm_module"],
  ["dbd-group", "authz_dbd_module"],
  ["dbd-login", "authz_dbd_module"],
  ["dbd-logout", "authz_dbd_module"],
  ["ldap-user", "authnz_ldap_module"],
  ["ldap-group", "authnz_ldap_module"],
  ["ldap-dn", "authnz_ldap_module"],
  ["ldap-attribute", "authnz_ldap_module"],
  ["ldap-filter", "authnz_ldap_module"],
  ["ldap-search", "authnz_ldap_module"],
  ["ssl", "ssl_module"],
  ["ssl-verify-client", "ssl_module"],
  ...otherRequireProviders,
]);

/** All known Require providers. */
export const knownProviders: readonly string[] = [...providerModules.keys()];

/** Returns the identifier of the module that implements a Require provider. */
export function moduleOfProvider(name: string): string | undefined {
  return providerModules.get(name);
}

/** Providers that need a user. 2.2 has them too, except those of mod_authz_dbd and `dbm-group`, `dbm-file-group`. */
const userProviders = new Set(
  [...providerModules.keys()].filter(
    (name) => otherRequireProviders.has(name) || /user|group|owner|^ldap-|^dbd-/.test(name),
  ),
);
const newUserProviders = new Set(["dbm-group", "dbm-file-group", "dbd-group", "dbd-login", "dbd-logout"]);

/** Providers that depend only on the client and its connection. */
const clientProviders = new Set(["ip", "host", "forward-dns", "local", "env", "ssl", "ssl-verify-client"]);

const newProviders = new Set([...clientProviders, "all", "method", "expr", ...newUserProviders]);

/** Reports whether a Require provider needs an authenticated user. */
export function requiresUser(provider: string): boolean {
  return userProviders.has(provider);
}

/** Reports whether a Require provider depends only on the client's address, connection or environment. */
export function checksClientOnly(provider: string): boolean {
  return clientProviders.has(provider);
}

/** Reports whether a Require provider was introduced in 2.4. */
export function isNewProvider(provider: string): boolean {
  return newProviders.has(provider);
}

/** The Require providers known so far while reading. An alias counts only after its definition. */
export class ProviderRegistry {
  private readonly defined = new Set<string>();
  private scripted: boolean | undefined;

  constructor(private readonly project: Project) {}

  /** Records a directive that defines a provider. */
  define(directive: Directive): void {
    const name = directive.arguments[1]?.value;
    if (name && (directive.key === "<authzprovideralias" || directive.key === "authnzfcgidefineprovider"))
      this.defined.add(name);
  }

  /** Returns undefined if the server knows the provider, or may know it. */
  explainUnknown(name: string): RefusalText | undefined {
    const { modules } = this.project;
    const module = providerModules.get(name);
    if (this.defined.has(name)) return undefined;
    if (module !== undefined) {
      if (modules.has(module) || (!this.project.modulesAreKnown && !modules.isWithheld(module))) return undefined;
      return wordingOf("authorization-module-not-loaded", name, module);
    }
    if (name === "") return wordingOf("missing-authorization-provider");
    const lower = name.toLowerCase();
    if (providerModules.has(lower)) {
      return wordingOf("authorization-provider-case", name, lower);
    }
    // A third-party module without a directive table, or a script, may define any provider.
    if (modules.unknown.length > 0 || this.hasScripts()) return undefined;
    const remedy = remedyFor(name);
    // Another file of the server may define the name with AuthzProviderAlias.
    if (this.project.kind !== "server" && remedy === undefined) return undefined;
    return wordingOf("unknown-authorization-provider", name, remedy);
  }

  /**
   * Reports whether scripts may define providers: it shows in the text even if no line loads mod_lua.
   */
  private hasScripts(): boolean {
    this.scripted ??= [...this.project.files.values()].some(({ source }) =>
      /^[\t ]*LuaAuthzProvider[\t ]/im.test(source.text),
    );
    return this.scripted;
  }
}

/** Returns the replacement for a provider that no module implements. */
function remedyFor(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower === "granted" || lower === "denied") return `use \`Require all ${lower}\``;
  if (lower.startsWith("env=")) return "use `Require env` with the variable's name";
  if (providerModules.has(lower.split(" ", 1)[0] ?? "")) return "delete the quotes";
  if (readSubnet(name).ok) return `use \`Require ip ${name}\``;
  const near = findClosestWord(name, knownProviders);
  return near && `did you mean \`${near}\`?`;
}

/**
 * Reports whether Order, Allow, Deny and Satisfy are unknown to the server. If the loaded modules are not known, they
 * are assumed to be available.
 */
export function lacksAccessCompat(project: Project): boolean {
  return isSince(project.release, "2.4") && !project.modules.has("access_compat_module");
}

/** Reports whether the server does not know Require; its lines then have no effect. */
export function lacksRequire({ release, modules, modulesAreKnown }: Project): boolean {
  return isSince(release, "2.4") && modulesAreKnown && !modules.has("authz_core_module");
}

/** Names of third-party modules that identify users by means other than AuthType, or by scripts. */
const ownAuthModule = /auth|perl|python|shib|gridsite|netcgi|lisp|rivet/;

const knownAuthModules: ReadonlySet<string> = new Set(authenticationModules.map(({ identifier }) => identifier));

/** Reports whether a loaded third-party module, of which the facts are not known, may identify the user in its own way. */
export function hasOwnAuthModule({ modules }: Project): boolean {
  return (
    modules.unknown.length > 0 ||
    modules.listThirdParty().some((name) => ownAuthModule.test(name) && !knownAuthModules.has(name))
  );
}
