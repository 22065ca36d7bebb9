import { parseStringExpression } from "../../../grammar/expression/expression.js";
import { evaluateString } from "../../httpd/expression/evaluate.js";
import { type ConfigLayer, firstArgumentOf, keywordArgumentOf } from "../../httpd/model/config-layer.js";
import { resolvePath } from "../../project/files/paths.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import { findUndefinedVariable } from "../../project/model/variables.js";
import { memoize } from "../../text/memoize.js";
import { type AccessState, findEffectiveSetting, overlaySection } from "../model/access-state.js";
import { findFakeBasicUser, UNNAMED_SUBJECT } from "./client-certificates.js";
import { isDbmFileMissing } from "./dbm-files.js";

/** The result of authentication. */
export type Authentication =
  | { readonly kind: "user"; readonly user: string }
  /** Missing or wrong credentials: 401. */
  | { readonly kind: "challenge" }
  /** Authentication is not configured. */
  | { readonly kind: "none" }
  | { readonly kind: "broken"; readonly codes: readonly string[]; readonly by: readonly Directive[] }
  /** No provider knows the user, or one rejects the password: 401. */
  | { readonly kind: "unknown-user"; readonly code: string; readonly by: readonly Directive[] };

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
  return type === "none" && state.project.release === "2.4" ? undefined : type;
}

/** Returns the AuthType as written: a string that 2.4 evaluates for each request. */
export function authTypeTextOf(state: AccessState): string | undefined {
  const written = firstArgumentOf(findEffectiveSetting(state, "authtype"));
  if (written === undefined || state.project.release === "2.2" || !/[\\%$]/.test(written)) return written;
  const parsed = parseStringExpression(written);
  if (!("expression" in parsed)) return written;
  state.request.tracker?.markUnknown(`the value of \`AuthType ${written}\` depends on the request`);
  return evaluateString(parsed.expression, { ...state, user: undefined }) ?? written;
}

/**
 * Authenticates the user as AuthType requires (mod_auth_basic, mod_auth_digest, mod_auth_form, mod_authn_core).
 * Credentials in a request are assumed valid.
 */
export function authenticate(state: AccessState): Authentication {
  const { project, request } = state;
  const type = authTypeOf(state);
  if (type === undefined) return { kind: "none" };
  const by = [findEffectiveSetting(state, "authtype")].filter((directive) => directive !== undefined);
  const module = authModuleOf(type);
  if (module === undefined ? !mayBeThirdPartyType(type, state) : !project.modules.mayHave(module))
    return { kind: "broken", codes: ["AH01796"], by };
  // Third-party authentication types do not need one.
  if (module !== undefined && findEffectiveSetting(state, "authname") === undefined)
    return { kind: "broken", codes: [missingNameCodes[type] ?? "AH01615"], by };
  const fake = type === "form" ? undefined : findFakeBasicUser(state);
  // The Basic credentials from the certificate replace those of the client.
  if (fake !== undefined && type !== "basic") return { kind: "challenge" };
  if (fake === undefined) request.tracker?.recordPredicate({ kind: "any-user" }, request.user !== undefined);
  const user = fake ?? request.user;
  if (user === undefined) return { kind: "challenge" };
  const facts = Object.hasOwn(authTypeFacts, type) ? authTypeFacts[type] : undefined;
  return facts ? askProviders(facts, state, user, by) : { kind: "user", user };
}

/** Returns the httpd module that implements an AuthType; undefined for a type that is not part of httpd. */
export function authModuleOf(type: string): string | undefined {
  return Object.hasOwn(authModules, type) ? authModules[type] : undefined;
}

/** Reports whether an AuthType may belong to a third-party module or a script, or is evaluated per request. */
function mayBeThirdPartyType(type: string, { project, layers }: AccessState): boolean {
  const { modules: loaded, modulesAreKnown } = project;
  return !modulesAreKnown || loaded.hasAnyThirdParty() || type.includes("%{") || layers.some(setsUser);
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
 * @param by the AuthType that applies
 */
function askProviders(
  facts: AuthTypeFacts,
  state: AccessState,
  user: string,
  by: readonly Directive[],
): Authentication {
  const { names, lines } = authnProvidersOf(state, facts.provider);
  const queriedLines: Directive[] = [];
  // A type that is not authoritative passes on to a module that does not exist.
  const authoritative = facts.authoritative && keywordArgumentOf(findEffectiveSetting(state, facts.authoritative));
  const isLast = authoritative !== "off";
  const trailingCodes = isLast ? [] : ["AH01796"];
  for (const name of names) {
    const answer = checkSubject(checkAuthnProvider(name, state, user, facts.file), state, user);
    if (answer.kind === "granted") return { kind: "user", user };
    const own = answer.by.length > 0 ? answer.by : by;
    if (answer.kind === "error") return { kind: "broken", codes: [answer.code, ...trailingCodes], by: own };
    if (answer.kind === "denied") return { kind: "unknown-user", code: answer.code ?? facts.denied, by: answer.by };
    queriedLines.push(...answer.by);
  }
  const queried = queriedLines.length > 0 ? queriedLines : lines.length > 0 ? lines : by;
  return isLast
    ? { kind: "unknown-user", code: facts.unknownUser, by: queried }
    : { kind: "broken", codes: trailingCodes, by: queried };
}

/**
 * The result of an authentication provider (include/mod_auth.h `authn_status`): anything but `not found` ends the
 * search.
 */
export type AuthnResult =
  | { readonly kind: "granted" }
  | { readonly kind: "not found"; readonly by: readonly Directive[] }
  | { readonly kind: "denied"; readonly by: readonly Directive[]; readonly code?: string }
  /** The provider fails: 500. */
  | { readonly kind: "error"; readonly code: string; readonly by: readonly Directive[] };

/**
 * The message numbers of mod_authn_file, which differ between Basic (it checks the password) and Digest (it looks up
 * the hash).
 */
interface FileMessages {
  readonly unset: string;
  readonly unreadable: string;
  readonly mismatch: string;
  /** Whether the lines of its file have a realm. */
  readonly hasRealm?: boolean;
}

/**
 * Returns the provider names that apply from AuthBasicProvider or a similar directive, with their lines. The lines of
 * one section add up.
 */
export function authnProvidersOf(
  { layers }: AccessState,
  key: string,
): { readonly names: readonly string[]; readonly lines: readonly Directive[] } {
  const layer = layers.findLast((each) => each.has(key));
  if (layer === undefined) return { names: ["file"], lines: [] };
  const lines = layer.directives.filter((directive) => directive.key === key);
  return { names: lines.flatMap((line) => line.arguments.map(({ value }) => value)), lines };
}

/**
 * Returns a provider's result for a user who sends the password that it considers right.
 *
 * @param name of a provider, or of an AuthnProviderAlias that leads to one
 */
function checkAuthnProvider(name: string, state: AccessState, user: string, messages: FileMessages): AuthnResult {
  const alias = aliasesOf(state.project).get(name);
  const provider = alias?.arguments[0]?.value ?? name;
  const inside = alias ? overlaySection(alias, state) : state;
  if (provider === "file") return checkPasswordFile(inside, user, messages);
  if (provider === "anon") return checkAnonymous(inside, user);
  // The cache has only the users whom another provider knows.
  if (provider === "socache") return { kind: "not found", by: [] };
  const needed = Object.hasOwn(requiredSettings, provider) ? requiredSettings[provider] : undefined;
  const setting = needed && findEffectiveSetting(inside, needed.key);
  if (needed && (setting === undefined || (needed.isFile === true && isDbmMissing(setting, state))))
    return { kind: "error", code: needed.unset, by: setting ? [setting] : [] };
  // A user is assumed to send the right password: providers that look it up elsewhere accept it.
  return { kind: "granted" };
}

/** Asks whether a provider knows a certificate whose subject is not known. */
function checkSubject(answer: AuthnResult, { oracle }: AccessState, user: string): AuthnResult {
  if (user !== UNNAMED_SUBJECT || answer.kind !== "granted") return answer;
  const isKnown = oracle.ask("whether the certificate's subject is a user with the password `password`");
  return isKnown ? answer : { kind: "not found", by: [] };
}

/** A directive that a provider requires, and the message number if it is not set, or names a file that does not exist. */
interface RequiredSetting {
  readonly key: string;
  readonly unset: string;
  /** Whether it names a DBM file. */
  readonly isFile?: boolean;
}

const requiredSettings: Readonly<Record<string, RequiredSetting>> = {
  dbm: { key: "authdbmuserfile", unset: "AH10285", isFile: true },
  ldap: { key: "authldapurl", unset: "AH02558" },
};

/** Reports whether the DBM file of a line does not exist: mod_authn_dbm fails then (`fetch_dbm_value`). */
function isDbmMissing(line: Directive, { project, files }: AccessState): boolean {
  const file = line.arguments[0]?.value ?? "";
  // The path depends on the server's environment: it cannot be reported as missing.
  return findUndefinedVariable(file) === undefined && isDbmFileMissing(resolvePath(project.serverRoot, file), files);
}

function checkPasswordFile(state: AccessState, user: string, messages: FileMessages): AuthnResult {
  const { unset, unreadable, mismatch, hasRealm } = messages;
  const line = findEffectiveSetting(state, "authuserfile");
  const file = line?.arguments[0]?.value;
  if (line === undefined || file === undefined) return { kind: "error", code: unset, by: [] };
  // The path depends on the server's environment: it cannot be reported as missing.
  if (findUndefinedVariable(file) !== undefined) return { kind: "granted" };
  const path = resolvePath(state.project.serverRoot, file);
  const kind = state.files.kindOf(path, true);
  if (kind === "missing" || kind === "directory") return { kind: "error", code: unreadable, by: [line] };
  // mod_auth_digest takes the realm as written, without evaluation (`set_realm`).
  const realm = hasRealm ? firstArgumentOf(findEffectiveSetting(state, "authname")) : undefined;
  const entry = user === UNNAMED_SUBJECT ? undefined : state.files.passwordEntryOf?.(path, user, realm);
  if (entry === "missing") return { kind: "not found", by: [line] };
  return entry === "unusable" ? { kind: "denied", by: [line], code: mismatch } : { kind: "granted" };
}

const anonymousNames: ReadonlySet<string> = new Set([
  ...["anonymous", "anonymous_mustgiveemail", "anonymous_verifyemail"],
  ...["anonymous_nouserid", "anonymous_logemail"],
]);

/**
 * Evaluates mod_authn_anon: the directives of one section replace all that are inherited, and names are
 * case-insensitive (`check_anonymous`).
 */
function checkAnonymous({ layers, oracle }: AccessState, user: string): AuthnResult {
  const lines = layers.findLast((layer) => layer.pick(anonymousNames).length > 0)?.pick(anonymousNames) ?? [];
  const naming = lines.filter(({ key }) => key === "anonymous");
  const names = naming.flatMap((line) => line.arguments.map(({ value }) => value));
  const isOn = (key: string) => keywordArgumentOf(lines.findLast((line) => line.key === key));
  const isNamed =
    user === ""
      ? names.length > 0 && isOn("anonymous_nouserid") === "on"
      : names.some((name) => name === "*" || name.toLowerCase() === user.toLowerCase());
  if (!isNamed) return { kind: "not found", by: naming };
  const isTrue = (question: string, isRelevant: boolean) => !isRelevant || oracle.ask(question);
  const isGranted =
    isTrue(`whether \`${user}\` sends a password that is not empty`, isOn("anonymous_mustgiveemail") !== "off") &&
    isTrue(`whether the password of \`${user}\` has an \`@\` and a dot`, isOn("anonymous_verifyemail") === "on");
  return isGranted ? { kind: "granted" } : { kind: "denied", by: naming };
}

/**
 * Returns the AuthnProviderAlias sections, which the server merges over the configuration that applies
 * (mod_authn_core).
 */
const aliasesOf = memoize((project: Project): ReadonlyMap<string, Directive> => {
  const found = new Map<string, Directive>();
  for (const directive of project.directives) {
    const name = directive.key === "<authnprovideralias" ? directive.arguments[1]?.value : undefined;
    if (name !== undefined) found.set(name, directive);
  }
  return found;
});
