import { parseStringExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import { behaves } from "../../facts/behaviours.js";
import { isSince } from "../../facts/release.js";
import { evaluateString } from "../expression/evaluate.js";
import { type ConfigLayer, firstArgumentOf, keywordArgumentOf } from "../model/config-layer.js";
import { isMethod, recordLogin } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";
import type { AccessState } from "./access-state.js";
import { findFakeBasicUser } from "./client-certificates.js";
import { findOtherCheck, identifyByOther, type OtherCheck, unknownCheck } from "./other-modules.js";
import {
  authnProvidersOf,
  checkAuthnProvider,
  checkSubject,
  type FileMessages,
  resolveProvider,
} from "./password-providers.js";
import { hasOwnAuthModule } from "./providers.js";
import { recordAuthenticators } from "./user-sources.js";

/** The result of authentication. */
export type Authentication =
  | { readonly kind: "user"; readonly user: string }
  /** Missing or wrong credentials: 401. */
  | { readonly kind: "challenge" }
  /** Authentication is not configured. */
  | { readonly kind: "none" }
  | { readonly kind: "broken"; readonly codes: readonly string[]; readonly by: readonly Directive[] }
  /** No provider knows the user, or one rejects the password: 401. */
  | { readonly kind: "unknown-user"; readonly code: string; readonly by: readonly Directive[] }
  /** A third-party module identifies a user whose name is not known. */
  | { readonly kind: "somebody" }
  /** A third-party module responds instead. */
  | { readonly kind: "refused"; readonly status: number; readonly by: readonly Directive[] };

const authModules: Readonly<Record<string, string>> = {
  basic: "auth_basic_module",
  digest: "auth_digest_module",
  form: "auth_form_module",
};

/** The message numbers for a missing AuthName. */
const missingNameCodes: Readonly<Record<string, string>> = { digest: "AH01780", form: "AH01810" };

/** Returns the AuthType that applies, in lower case; undefined for none (`ap_auth_type`). */
export function authTypeOf(state: AccessState): string | undefined {
  const type = authTypeTextOf(state)?.toLowerCase();
  return type === "none" && isSince(state.project.release, "2.4") ? undefined : type;
}

/** Returns the AuthType as written: a string that 2.4 evaluates for each request. */
export function authTypeTextOf(state: AccessState): string | undefined {
  const written = firstArgumentOf(state.config.setting("authtype"));
  if (written === undefined || !/[\\%$]/.test(written)) return written;
  if (behaves(state.project.release, "authentication-expressions") !== true) return written;
  const parsed = parseStringExpression(written);
  if (!parsed.ok) return written;
  state.request.tracker?.markUnknown(unknownFact("value-of-request", `AuthType ${written}`));
  return evaluateString(parsed.value.expression, { ...state, user: undefined }) ?? written;
}

/**
 * Authenticates the user as AuthType requires (mod_auth_basic, mod_auth_digest, mod_auth_form, mod_authn_core).
 * Credentials in a request are assumed valid.
 */
export function authenticate(state: AccessState): Authentication {
  const { project, request } = state;
  const type = authTypeOf(state);
  const line = state.config.setting("authtype");
  const other = findOtherCheck("user", state, type);
  if (other) return askOtherModule(other, state);
  if (type === undefined || line === undefined) return { kind: "none" };
  const by = [line];
  const module = authModuleOf(type);
  if (module === undefined && mayBeThirdPartyType(type, state)) return askOtherModule(unknownCheck(line, state), state);
  if (module === undefined || !project.modules.mayHave(module)) return { kind: "broken", codes: ["AH01796"], by };
  if (state.config.setting("authname") === undefined)
    return { kind: "broken", codes: [missingNameCodes[type] ?? "AH01615"], by };
  if (type === "form" && !mayHaveLogin(state)) return { kind: "challenge" };
  const fake = type === "form" ? undefined : findFakeBasicUser(state);
  // The Basic credentials from the certificate replace those of the client.
  if (fake !== undefined && type !== "basic") return { kind: "challenge" };
  if (fake === undefined) recordLogin(request);
  const user = fake ?? request.user;
  if (user === undefined) return { kind: "challenge" };
  const facts = Object.hasOwn(authTypeFacts, type) ? authTypeFacts[type] : undefined;
  return facts ? askProviders(type, facts, state, user, by) : { kind: "user", user };
}

/** The directives that say where mod_session keeps the session of a client. */
const sessionStores = [
  ...["sessioncookiename", "sessioncookiename2", "sessiondbdcookiename", "sessiondbdcookiename2", "sessiondbdperuser"],
];

/**
 * Reports whether a request may have a login of mod_auth_form: in a session, or in the body of a POST request
 * (`authenticate_form_authn`).
 */
function mayHaveLogin(state: AccessState): boolean {
  const { config, project, request } = state;
  const isStored = sessionStores.some((key) => config.has(key)) || project.modules.hasAnyThirdParty();
  if (keywordArgumentOf(config.setting("session")) === "on" && isStored && hasSessionAtPath(state)) return true;
  return !project.modulesAreKnown || isMethod(request, "POST");
}

const sessionPaths = { included: new Set(["sessioninclude"]), excluded: new Set(["sessionexclude"]) } as const;

/**
 * Reports whether SessionInclude and SessionExclude let a path have a session: they name beginnings of paths, and add up
 * over all sections (mod_session.c `session_included`). Proofs cover requests with and without one.
 */
function hasSessionAtPath({ layers, path, request }: AccessState): boolean {
  if (request.tracker) return true;
  const prefixes = (keys: ReadonlySet<string>) =>
    layers.flatMap((layer) => layer.pick(keys)).flatMap((line) => firstArgumentOf(line) ?? []);
  const included = prefixes(sessionPaths.included);
  const isNamed = (names: readonly string[]) => names.some((name) => path.startsWith(name));
  return (included.length === 0 || isNamed(included)) && !isNamed(prefixes(sessionPaths.excluded));
}

function askOtherModule(check: OtherCheck, state: AccessState): Authentication {
  const answer = identifyByOther(check, state);
  if (answer.kind === "refused") return { ...answer, by: [check.line] };
  const { user } = state.request;
  return user === undefined ? { kind: "somebody" } : { kind: "user", user };
}

/** Returns the httpd module that implements an AuthType; undefined for a type that is not part of httpd. */
export function authModuleOf(type: string): string | undefined {
  return Object.hasOwn(authModules, type) ? authModules[type] : undefined;
}

/** Reports whether an AuthType may belong to a third-party module or a script, or is evaluated per request. */
function mayBeThirdPartyType(type: string, { project, layers }: AccessState): boolean {
  const isEvaluated = type.includes("%{") && behaves(project.release, "authentication-expressions") === true;
  return !project.modulesAreKnown || hasOwnAuthModule(project) || isEvaluated || layers.some(setsUser);
}

/**
 * Reports whether a per-directory configuration determines the user independently of AuthType; mod_ssl takes it from a
 * certificate.
 */
export function setsUser(layer: ConfigLayer): boolean {
  return userSetters.some((key) => layer.has(key));
}

const userSetters = ["luahookcheckuserid", "authnzfcgicheckauthnprovider", "sslusername"];

/** The provider directives and message numbers of an AuthType. */
interface AuthTypeFacts {
  readonly provider: string;
  /** Undefined if it is always authoritative. */
  readonly authoritative?: string;
  readonly file: FileMessages;
  readonly unknownUser: string;
  readonly denied: string;
}

const authTypeFacts: Readonly<Record<string, AuthTypeFacts>> = {
  basic: {
    provider: "authbasicprovider",
    authoritative: "authbasicauthoritative",
    file: { unset: "AH01619", unreadable: "AH01620", mismatch: "AH01617" },
    unknownUser: "AH01618",
    denied: "AH01617",
  },
  digest: {
    provider: "authdigestprovider",
    file: { unset: "AH01621", unreadable: "AH01622", mismatch: "AH01794", hasRealm: true },
    unknownUser: "AH01790",
    denied: "AH01791",
  },
  form: {
    provider: "authformprovider",
    authoritative: "authformauthoritative",
    file: { unset: "AH01619", unreadable: "AH01620", mismatch: "AH01807" },
    unknownUser: "AH01808",
    denied: "AH01807",
  },
};

/**
 * Queries the providers in turn until one knows the user (mod_auth_basic.c `authenticate_basic_user`, mod_auth_digest.c
 * `get_hash`, mod_auth_form.c `check_authn`).
 *
 * @param type the AuthType that applies, in lower case
 * @param by its line
 */
function askProviders(
  type: string,
  facts: AuthTypeFacts,
  state: AccessState,
  user: string,
  by: readonly Directive[],
): Authentication {
  const { names, lines } = authnProvidersOf(state, facts.provider);
  const queriedLines: Directive[] = [];
  // A type that is not authoritative passes on to a module that does not exist.
  const authoritative = facts.authoritative && keywordArgumentOf(state.config.setting(facts.authoritative));
  const isLast = authoritative !== "off";
  const trailingCodes = isLast ? [] : ["AH01796"];
  const hasRealm = type !== "basic";
  recordAuthenticators({ authType: type, providers: names, isAuthoritative: isLast, hasRealm }, state, (name) =>
    resolveProvider(name, state),
  );
  for (const name of names) {
    const answer = checkSubject(checkAuthnProvider(name, state, user, facts.file), state, user);
    if (answer.kind === "granted") return { kind: "user", user };
    const own = answer.by.length > 0 ? answer.by : by;
    if (answer.kind === "refused") return answer;
    if (answer.kind === "error") return { kind: "broken", codes: [...answer.codes, ...trailingCodes], by: own };
    if (answer.kind === "denied") return { kind: "unknown-user", code: answer.code ?? facts.denied, by: answer.by };
    queriedLines.push(...answer.by);
  }
  const queried = queriedLines.length > 0 ? queriedLines : lines.length > 0 ? lines : by;
  return isLast
    ? { kind: "unknown-user", code: facts.unknownUser, by: queried }
    : { kind: "broken", codes: trailingCodes, by: queried };
}
