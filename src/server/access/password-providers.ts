import { resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { findUndefinedVariable } from "../../config/model/variables.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { memoize } from "../../text/memoize.js";
import { argumentValuesOf, firstArgumentOf, keywordArgumentOf } from "../model/config-layer.js";
import type { Predicate } from "../model/dependency-tracker.js";
import { type UnknownFact, unknownFact } from "../model/unknown-facts.js";
import { type AccessState, overlaySection } from "./access-state.js";
import { UNNAMED_SUBJECT } from "./client-certificates.js";
import { isDbmFileMissing } from "./dbm-files.js";
import { checkOtherProvider } from "./other-modules.js";

/**
 * The result of an authentication provider (include/mod_auth.h `authn_status`): anything but `not found` ends the
 * search.
 */
type AuthnResult =
  | { readonly kind: "granted" }
  | { readonly kind: "not found"; readonly by: readonly Directive[] }
  | { readonly kind: "denied"; readonly by: readonly Directive[]; readonly code?: string }
  /** The provider fails: 500. */
  | { readonly kind: "error"; readonly codes: readonly string[]; readonly by: readonly Directive[] }
  /** A third-party provider makes the module respond with a status. */
  | { readonly kind: "refused"; readonly status: number; readonly by: readonly Directive[] };

/**
 * The message numbers of mod_authn_file, which differ between Basic (it checks the password) and Digest (it looks up
 * the hash).
 */
export interface FileMessages {
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

/** Returns the provider of a name, which may be that of an AuthnProviderAlias, and the state in which it is asked. */
export function resolveProvider(
  name: string,
  state: AccessState,
): { readonly provider: string; readonly state: AccessState } {
  const alias = aliasesOf(state.project).get(name);
  return alias
    ? { provider: alias.arguments[0]?.value ?? name, state: overlaySection(alias, state) }
    : { provider: name, state };
}

/**
 * Returns a provider's result for a user who sends the password that it considers right.
 *
 * @param name of a provider, or of an AuthnProviderAlias that leads to one
 */
export function checkAuthnProvider(
  name: string,
  state: AccessState,
  user: string,
  messages: FileMessages,
): AuthnResult {
  const { provider, state: inside } = resolveProvider(name, state);
  if (provider === "file") return checkPasswordFile(inside, user, messages);
  if (provider === "anon") return checkAnonymous(inside, user);
  // The cache has only users that another provider knows.
  if (provider === "socache") return { kind: "not found", by: [] };
  const needed = Object.hasOwn(requiredSettings, provider) ? requiredSettings[provider] : undefined;
  const setting = needed && inside.config.setting(needed.key);
  if (needed && (setting === undefined || (needed.isFile === true && isDbmMissing(setting, state))))
    return { kind: "error", codes: [needed.unset], by: setting ? [setting] : [] };
  const other = checkOtherProvider(provider, inside, user);
  if (other?.kind === "unset") return { kind: "error", codes: [], by: [] };
  if (other?.kind === "refused") return other.status === 401 ? { kind: "denied", by: other.by } : other;
  // A user is assumed to send the right password: providers that look it up elsewhere accept it.
  return { kind: "granted" };
}

/** Asks whether a provider knows a certificate whose subject is not known. */
export function checkSubject(answer: AuthnResult, { oracle }: AccessState, user: string): AuthnResult {
  if (user !== UNNAMED_SUBJECT || answer.kind !== "granted") return answer;
  const isKnown = oracle.ask(unknownFact("certificate-known"));
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
  const line = state.config.setting("authuserfile");
  const file = line?.arguments[0]?.value;
  if (line === undefined || file === undefined) return { kind: "error", codes: [unset], by: [] };
  // The path depends on the server's environment: it cannot be reported as missing.
  if (findUndefinedVariable(file) !== undefined) return { kind: "granted" };
  const path = resolvePath(state.project.serverRoot, file);
  const kind = state.files.kindOf(path, true);
  if (kind === "missing" || kind === "directory") return { kind: "error", codes: [unreadable], by: [line] };
  // mod_auth_digest takes the realm as written, without evaluation (`set_realm`).
  const realm = hasRealm ? firstArgumentOf(state.config.setting("authname")) : undefined;
  const entry = user === UNNAMED_SUBJECT ? undefined : state.files.passwordEntryOf?.(path, user, realm);
  if (entry === "missing") return { kind: "not found", by: [line] };
  const isRight =
    typeof entry === "object"
      ? state.oracle.ask(unknownFact("password-matches", user, entry.unknownScheme, path))
      : entry !== "unusable";
  return isRight ? { kind: "granted" } : { kind: "denied", by: [line], code: mismatch };
}

const anonymousNames: ReadonlySet<string> = new Set([
  ...["anonymous", "anonymous_mustgiveemail", "anonymous_verifyemail"],
  ...["anonymous_nouserid", "anonymous_logemail"],
]);

/** Returns the lines of mod_authn_anon that apply: the directives of one section replace all that are inherited. */
export function anonymousLinesOf({ layers }: AccessState): readonly Directive[] {
  return layers.findLast((layer) => layer.pick(anonymousNames).length > 0)?.pick(anonymousNames) ?? [];
}

/** Evaluates mod_authn_anon: names are case-insensitive (`check_anonymous`). */
function checkAnonymous(state: AccessState, user: string): AuthnResult {
  const { oracle, request, project } = state;
  const lines = anonymousLinesOf(state);
  const naming = lines.filter(({ key }) => key === "anonymous");
  const names = naming.flatMap((line) => line.arguments.map(({ value }) => value));
  const isOn = (key: string) => keywordArgumentOf(lines.findLast((line) => line.key === key));
  const acceptsNone = names.length > 0 && isOn("anonymous_nouserid") === "on";
  const isNamed =
    user === "" ? acceptsNone : names.some((name) => name === "*" || name.toLowerCase() === user.toLowerCase());
  const isAny = names.includes("*");
  const isNobody: Predicate = { kind: "user", name: "" };
  if (isAny && !acceptsNone) request.tracker?.recordPredicate(isNobody, user === "");
  else if (!isAny) {
    const accepted = names.flatMap((name) => spellingsOf(name, project));
    const spelled = isNamed && user !== "" && !accepted.includes(user) ? [...accepted, user] : accepted;
    const of = spelled.map((name): Predicate => ({ kind: "user", name }));
    request.tracker?.recordPredicate({ kind: "any", of: acceptsNone ? [...of, isNobody] : of }, isNamed);
  }
  if (!isNamed) return { kind: "not found", by: naming };
  const isTrue = (fact: UnknownFact, isRelevant: boolean) => !isRelevant || oracle.ask(fact);
  const isGranted =
    isTrue(unknownFact("some-password", user), isOn("anonymous_mustgiveemail") !== "off") &&
    isTrue(unknownFact("password-with-address", user), isOn("anonymous_verifyemail") === "on");
  return isGranted ? { kind: "granted" } : { kind: "denied", by: naming };
}

/**
 * Returns the spellings of a name, whose case does not matter here: as written, one that differs, and those that Require
 * lines distinguish. A proof treats all others like the one that differs.
 */
function spellingsOf(name: string, project: Project): readonly string[] {
  const lower = name.toLowerCase();
  const required = requiredUsersOf(project).filter((user) => user.toLowerCase() === lower);
  const mixed = name.slice(0, 1).toUpperCase() + lower.slice(1);
  const other = [lower, name.toUpperCase(), mixed].filter((each) => each !== name && !required.includes(each));
  return [...new Set([...required, ...other.slice(0, 1), name])];
}

const requiredUsersOf = memoize((project: Project): readonly string[] =>
  indexDirectives(project)
    .named("require")
    .flatMap((line) => argumentValuesOf(line).slice(1)),
);

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
