/** When a module decides: before Require, only if Require needs a user, or independently of access control. */
export type AuthenticationHook = "access" | "user" | "request";

/** A directive with which a module authenticates users, checks access or rejects requests. */
export interface AuthenticationCheck {
  readonly directive: string;
  readonly hook: AuthenticationHook;
  /** The values with which it applies; any by default. Case does not matter. */
  readonly on?: readonly string[];
  /** The values with which it does not apply, in lower case. */
  readonly off?: readonly string[];
  /** The statuses of requests that the module does not allow. */
  readonly statuses: readonly number[];
  /** The only method that it concerns. */
  readonly method?: string;
  /** The directives with its rules: `status:` in one adds a status, and `redirect:` adds 302. */
  readonly rules?: readonly string[];
}

/** A provider of AuthBasicProvider, AuthDigestProvider or AuthFormProvider. */
export interface PasswordProvider {
  readonly name: string;
  /** The directive without which every client with a password gets 500. */
  readonly needs: string;
  /** The statuses of requests whose password it does not accept. */
  readonly statuses: readonly number[];
}

/** A directive that adds a possible status: that in an argument, or else a fixed one. */
export interface StatusLine {
  readonly directive: string;
  readonly argument?: number;
  readonly status?: number;
}

/** The paths at which a module answers itself, for example to a browser that returns from a login page. */
export interface ModuleEndpoint {
  /** Its argument is the path, or a URL with it. */
  readonly directive?: string;
  /** The path without such a directive. */
  readonly defaultPath?: string;
  /** Whether it also answers below the path. */
  readonly hasPathsBelow: boolean;
  /** Whether it answers all allowed requests, or only those that must log in. */
  readonly answersAll: boolean;
}

/** A third-party module that takes part in authentication or access control. */
export interface AuthenticationModule {
  /** As in LoadModule. */
  readonly identifier: string;
  /** As people call it. */
  readonly name: string;
  /** Whether a running server with Debian's package shows its facts, or they come from its published source. */
  readonly facts: "live" | "source";
  readonly checks?: readonly AuthenticationCheck[];
  readonly statusLines?: readonly StatusLine[];
  /** An AuthType that works only with another line, which turns the module on. */
  readonly turnedOn?: { readonly authType: string; readonly by: string };
  readonly endpoint?: ModuleEndpoint;
  /** The directive that turns it off. */
  readonly disabledBy?: string;
  readonly passwordProviders?: readonly PasswordProvider[];
  /** Its providers for Require. Each needs a user: without an AuthType, requests get 500 (AH00027). */
  readonly requireProviders?: readonly string[];
}

/** The statuses of other ways to authenticate, about which nothing is known. */
export const unknownAuthenticationStatuses: readonly number[] = [302, 303, 401, 403, 500];

/**
 * The third-party modules that authenticate users, check access or reject requests. `test/live/other-authentication`
 * confirms the facts of modules that Debian has.
 */
export const authenticationModules: readonly AuthenticationModule[] = [
  {
    identifier: "auth_mellon_module",
    name: "mod_auth_mellon",
    facts: "live",
    checks: [
      { directive: "MellonEnable", on: ["auth"], hook: "access", statuses: [303, 403, 500] },
      { directive: "MellonEnable", off: ["off"], hook: "user", statuses: [401] },
    ],
    turnedOn: { authType: "Mellon", by: "MellonEnable auth" },
    endpoint: { directive: "MellonEndpointPath", defaultPath: "/mellon", hasPathsBelow: true, answersAll: true },
  },
  {
    identifier: "auth_openidc_module",
    name: "mod_auth_openidc",
    facts: "live",
    checks: [
      {
        directive: "AuthType",
        on: ["openid-connect", "auth-openidc"],
        hook: "user",
        statuses: [302, 401, 500],
      },
      { directive: "AuthType", on: ["oauth20"], hook: "user", statuses: [401, 500] },
    ],
    endpoint: { directive: "OIDCRedirectURI", hasPathsBelow: false, answersAll: false },
    statusLines: [
      { directive: "OIDCUnAuthAction", argument: 0 },
      { directive: "OIDCUnAutzAction", argument: 0 },
    ],
    requireProviders: ["claim", "claims_expr"],
  },
  {
    identifier: "oauth2_module",
    name: "mod_oauth2",
    facts: "live",
    checks: [{ directive: "AuthType", on: ["oauth2"], hook: "user", statuses: [401, 500] }],
    requireProviders: ["oauth2_claim"],
  },
  {
    identifier: "mod_shib",
    name: "mod_shib",
    facts: "live",
    checks: [{ directive: "AuthType", on: ["shibboleth"], hook: "user", statuses: [302, 401, 403, 500] }],
    disabledBy: "ShibDisable",
    // `handlerURL` of its own configuration file sets another path.
    endpoint: { defaultPath: "/Shibboleth.sso", hasPathsBelow: true, answersAll: true },
    requireProviders: [
      ...["shibboleth", "shib-session", "shib-user", "shib-attr", "shib-plugin"],
      ...["authnContextClassRef", "authnContextDeclRef"],
    ],
  },
  {
    identifier: "auth_cas_module",
    name: "mod_auth_cas",
    facts: "live",
    checks: [{ directive: "AuthType", on: ["CAS"], hook: "user", statuses: [302, 401, 500] }],
    requireProviders: ["cas-attribute"],
  },
  {
    identifier: "auth_gssapi_module",
    name: "mod_auth_gssapi",
    facts: "live",
    checks: [{ directive: "AuthType", on: ["GSSAPI"], hook: "user", statuses: [401, 500] }],
    statusLines: [{ directive: "GssapiRequiredNameAttributes", status: 403 }],
  },
  {
    identifier: "auth_kerb_module",
    name: "mod_auth_kerb",
    facts: "source",
    checks: [
      {
        directive: "AuthType",
        on: ["Kerberos", "KerberosV5", "KerberosV4", "KerberosDualV5V4", "KerberosDualV4V5"],
        hook: "user",
        statuses: [401, 500],
      },
    ],
  },
  {
    identifier: "auth_tkt_module",
    name: "mod_auth_tkt",
    facts: "live",
    checks: [
      { directive: "TKTAuthLoginURL", hook: "user", statuses: [302, 307, 500] },
      { directive: "TKTAuthGuestLogin", off: ["off"], hook: "user", statuses: [302, 307, 500] },
    ],
  },
  {
    identifier: "auth_pubtkt_module",
    name: "mod_auth_pubtkt",
    facts: "live",
    checks: [{ directive: "AuthType", on: ["mod_auth_pubtkt"], hook: "user", statuses: [302, 307, 403, 500] }],
  },
  {
    identifier: "cosign_module",
    name: "mod_cosign",
    facts: "source",
    checks: [
      { directive: "CosignProtected", off: ["off"], hook: "access", statuses: [302, 503] },
      { directive: "AuthType", on: ["Cosign"], hook: "user", statuses: [302, 500, 503] },
    ],
  },
  {
    identifier: "authnz_pam_module",
    name: "mod_authnz_pam",
    facts: "live",
    statusLines: [{ directive: "AuthPAMExpiredRedirect", argument: 1, status: 303 }],
    passwordProviders: [{ name: "PAM", needs: "AuthPAMService", statuses: [401, 500] }],
    requireProviders: ["pam-account"],
  },
  {
    identifier: "authnz_external_module",
    name: "mod_authnz_external",
    facts: "live",
    passwordProviders: [{ name: "external", needs: "AuthExternal", statuses: [401, 500] }],
    requireProviders: ["external-group", "external-file-group"],
  },
  {
    identifier: "authz_unixgroup_module",
    name: "mod_authz_unixgroup",
    facts: "live",
    requireProviders: ["unix-group", "unix-file-group"],
  },
  {
    // It sets REMOTE_USER after the access checks, from a form, and denies nobody.
    identifier: "intercept_form_submit_module",
    name: "mod_intercept_form_submit",
    facts: "live",
    checks: [{ directive: "InterceptFormPAMService", hook: "request", method: "POST", statuses: [] }],
    statusLines: [{ directive: "AuthPAMExpiredRedirect", argument: 1, status: 303 }],
  },
  {
    identifier: "security2_module",
    name: "mod_security2",
    facts: "live",
    checks: [
      {
        directive: "SecRuleEngine",
        off: ["off", "detectiononly"],
        hook: "request",
        statuses: [403],
        rules: ["SecRule", "SecAction", "SecDefaultAction"],
      },
    ],
  },
  { identifier: "wsgi_module", name: "mod_wsgi", facts: "source", requireProviders: ["wsgi-group"] },
];

/** Returns the modules that provide a name for Require. */
export const otherRequireProviders: ReadonlyMap<string, string> = new Map(
  authenticationModules.flatMap(({ identifier, requireProviders = [] }) =>
    requireProviders.map((name) => [name, identifier] as const),
  ),
);
