import { parseStringExpression } from "../../../grammar/expression/expression.js";
import { evaluateString } from "../../httpd/expression/evaluate.js";
import { type ConfigLayer, firstArgumentOf, keywordArgumentOf } from "../../httpd/model/config-layer.js";
import { resolvePath } from "../../project/files/paths.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import { findUndefinedVariable } from "../../project/model/variables.js";
import { type AccessState, findEffectiveSetting, overlaySection } from "../model/access-state.js";

/** What asking for a user comes to. */
export type Authentication =
  | { readonly kind: "user"; readonly user: string }
  /** No credentials, or wrong ones: 401. */
  | { readonly kind: "challenge" }
  /** Nothing is set up to ask with. */
  | { readonly kind: "none" }
  | { readonly kind: "broken"; readonly codes: readonly string[]; readonly by: readonly Directive[] }
  /** No provider knows the user, or one turns the password down: 401. */
  | { readonly kind: "stranger"; readonly code: string; readonly by: readonly Directive[] };

const authModules: Readonly<Record<string, string>> = {
  basic: "auth_basic_module",
  digest: "auth_digest_module",
  form: "auth_form_module",
};

/** The number of what is said where there is no AuthName. */
const missingNameCodes: Readonly<Record<string, string>> = { digest: "AH01780", form: "AH01810" };

/** The AuthType in force, lower case; undefined for none (`ap_auth_type`). */
export function authTypeOf(state: AccessState): string | undefined {
  const type = authTypeTextOf(state)?.toLowerCase();
  return type === "none" && state.project.release === "2.4" ? undefined : type;
}

/** The same as it stands there: for 2.4 a string that is worked out for each request. */
export function authTypeTextOf(state: AccessState): string | undefined {
  const written = firstArgumentOf(findEffectiveSetting(state, "authtype"));
  if (written === undefined || state.project.release === "2.2" || !/[\\%$]/.test(written)) return written;
  const parsed = parseStringExpression(written);
  if (!("expression" in parsed)) return written;
  state.request.looks?.markUnknown(`what \`AuthType ${written}\` comes to hangs on the request`);
  return evaluateString(parsed.expression, { ...state, user: undefined }) ?? written;
}

/**
 * Asks for a user as AuthType has it (mod_auth_basic, mod_auth_digest, mod_auth_form, mod_authn_core). Credentials that a
 * request brings are valid ones.
 */
export function authenticate(state: AccessState): Authentication {
  const { project, request } = state;
  const type = authTypeOf(state);
  if (type === undefined) return { kind: "none" };
  const by = [findEffectiveSetting(state, "authtype")].filter((directive) => directive !== undefined);
  const module = authModuleOf(type);
  if (module === undefined ? !mayBeThirdPartyType(type, state) : !project.modules.has(module))
    return { kind: "broken", codes: ["AH01796"], by };
  // Ways from elsewhere do not need one.
  if (module !== undefined && findEffectiveSetting(state, "authname") === undefined)
    return { kind: "broken", codes: [missingNameCodes[type] ?? "AH01615"], by };
  request.looks?.recordPredicate({ kind: "any-user" }, request.user !== undefined);
  if (request.user === undefined) return { kind: "challenge" };
  const asking = Object.hasOwn(authTypeFacts, type) ? authTypeFacts[type] : undefined;
  return asking ? askProviders(asking, state, request.user, by) : { kind: "user", user: request.user };
}

/** The module of httpd that asks for users as an AuthType says; undefined for one that is none of httpd's. */
export function authModuleOf(type: string): string | undefined {
  return Object.hasOwn(authModules, type) ? authModules[type] : undefined;
}

/** Whether an AuthType may be that of a module from elsewhere or of a script, or is worked out request by request. */
function mayBeThirdPartyType(type: string, { project, layers }: AccessState): boolean {
  const { modules: loaded, modulesAreKnown } = project;
  return !modulesAreKnown || loaded.hasAnyThirdParty() || type.includes("%{") || layers.some(setsUser);
}

/** Whether a layer says who finds out the user, whatever AuthType says; mod_ssl takes it from a certificate. */
export function setsUser(layer: ConfigLayer): boolean {
  return userSetters.some((key) => layer.has(key));
}

const userSetters = ["luahookcheckuserid", "authnzfcgicheckauthnprovider", "sslusername"];

/** How a kind of AuthType asks its providers, with the numbers of what it says. */
interface AuthTypeFacts {
  readonly provider: string;
  /** Undefined where it is always the last word. */
  readonly authoritative?: string;
  readonly file: FileMessages;
  readonly stranger: string;
  readonly denied: string;
}

const authTypeFacts: Readonly<Record<string, AuthTypeFacts>> = {
  basic: {
    provider: "authbasicprovider",
    authoritative: "authbasicauthoritative",
    file: { unset: "AH01619", unreadable: "AH01620" },
    stranger: "AH01618",
    denied: "AH01617",
  },
  digest: {
    provider: "authdigestprovider",
    file: { unset: "AH01621", unreadable: "AH01622" },
    stranger: "AH01790",
    denied: "AH01791",
  },
  form: {
    provider: "authformprovider",
    authoritative: "authformauthoritative",
    file: { unset: "AH01619", unreadable: "AH01620" },
    stranger: "AH01808",
    denied: "AH01807",
  },
};

/**
 * Asks one provider after the other until one knows the user (mod_auth_basic.c `authenticate_basic_user`, mod_auth_digest.c
 * `get_hash`, mod_auth_form.c `check_authn`).
 *
 * @param by the AuthType in force
 */
function askProviders(
  asking: AuthTypeFacts,
  state: AccessState,
  user: string,
  by: readonly Directive[],
): Authentication {
  const { names, lines } = authnProvidersOf(state, asking.provider);
  const asked: Directive[] = [];
  // What is not the last word leads on to a module that is not there.
  const authoritative = asking.authoritative && keywordArgumentOf(findEffectiveSetting(state, asking.authoritative));
  const isLast = authoritative !== "off";
  const onward = isLast ? [] : ["AH01796"];
  for (const name of names) {
    const answer = checkAuthnProvider(name, state, user, asking.file);
    if (answer.kind === "granted") return { kind: "user", user };
    const own = answer.by.length > 0 ? answer.by : by;
    if (answer.kind === "error") return { kind: "broken", codes: [answer.code, ...onward], by: own };
    if (answer.kind === "denied") return { kind: "stranger", code: asking.denied, by: answer.by };
    asked.push(...answer.by);
  }
  const sought = asked.length > 0 ? asked : lines.length > 0 ? lines : by;
  return isLast
    ? { kind: "stranger", code: asking.stranger, by: sought }
    : { kind: "broken", codes: onward, by: sought };
}

/** What a provider of users says (include/mod_auth.h `authn_status`): anything but `not found` ends the asking. */
export type AuthnResult =
  | { readonly kind: "granted" }
  | { readonly kind: "not found" | "denied"; readonly by: readonly Directive[] }
  /** It cannot be asked: 500. */
  | { readonly kind: "error"; readonly code: string; readonly by: readonly Directive[] };

/** The messages of mod_authn_file, which differ between Basic, which it checks itself, and Digest, which it looks up for. */
interface FileMessages {
  readonly unset: string;
  readonly unreadable: string;
}

/** The names in force of one directive, AuthBasicProvider or its like, with the lines: those of one section add up. */
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
 * What a provider says of a user who sends what it takes for the right password.
 *
 * @param name of a provider, or of an AuthnProviderAlias that leads to one
 */
function checkAuthnProvider(name: string, state: AccessState, user: string, messages: FileMessages): AuthnResult {
  const alias = aliasesOf(state.project).get(name);
  const provider = alias?.arguments[0]?.value ?? name;
  const inside = alias ? overlaySection(alias, state) : state;
  if (provider === "file") return checkPasswordFile(inside, user, messages);
  if (provider === "anon") return checkAnonymous(inside, user);
  const needed = Object.hasOwn(requiredSettings, provider) ? requiredSettings[provider] : undefined;
  if (needed && findEffectiveSetting(inside, needed.key) === undefined)
    return { kind: "error", code: needed.unset, by: [] };
  // A user is one who sends the right password: whoever looks that up elsewhere takes it.
  return { kind: "granted" };
}

/** What other providers cannot do without, and the number of what they say where it is not set. */
const requiredSettings: Readonly<Record<string, { readonly key: string; readonly unset: string }>> = {
  dbm: { key: "authdbmuserfile", unset: "AH10285" },
  ldap: { key: "authldapurl", unset: "AH02558" },
};

function checkPasswordFile(state: AccessState, user: string, { unset, unreadable }: FileMessages): AuthnResult {
  const line = findEffectiveSetting(state, "authuserfile");
  const file = line?.arguments[0]?.value;
  if (line === undefined || file === undefined) return { kind: "error", code: unset, by: [] };
  // Where it lies only the server's environment knows: nothing here says that it is missing.
  if (findUndefinedVariable(file) !== undefined) return { kind: "granted" };
  const path = resolvePath(state.project.serverRoot, file);
  const kind = state.files.kindOf(path, true);
  if (kind === "missing" || kind === "directory") return { kind: "error", code: unreadable, by: [line] };
  return state.files.hasUser?.(path, user) === false ? { kind: "not found", by: [line] } : { kind: "granted" };
}

const anonymousNames: ReadonlySet<string> = new Set([
  ...["anonymous", "anonymous_mustgiveemail", "anonymous_verifyemail"],
  ...["anonymous_nouserid", "anonymous_logemail"],
]);

/**
 * mod_authn_anon: what one section says of it puts out of force all that is said further out, and names count in any case
 * (`check_anonymous`).
 */
function checkAnonymous({ layers, questions }: AccessState, user: string): AuthnResult {
  const lines = layers.findLast((layer) => layer.pick(anonymousNames).length > 0)?.pick(anonymousNames) ?? [];
  const naming = lines.filter(({ key }) => key === "anonymous");
  const names = naming.flatMap((line) => line.arguments.map(({ value }) => value));
  const isOn = (key: string) => keywordArgumentOf(lines.findLast((line) => line.key === key));
  const isNamed =
    user === ""
      ? names.length > 0 && isOn("anonymous_nouserid") === "on"
      : names.some((name) => name === "*" || name.toLowerCase() === user.toLowerCase());
  if (!isNamed) return { kind: "not found", by: naming };
  const asks = (asked: string, isAsked: boolean) => !isAsked || questions.ask(asked);
  const isTaken =
    asks(`whether \`${user}\` sends a password that is not empty`, isOn("anonymous_mustgiveemail") !== "off") &&
    asks(`whether the password of \`${user}\` has an \`@\` and a dot`, isOn("anonymous_verifyemail") === "on");
  return isTaken ? { kind: "granted" } : { kind: "denied", by: naming };
}

const aliases = new WeakMap<Project, ReadonlyMap<string, Directive>>();

/** The AuthnProviderAlias sections, which the server lays over all that is in force (mod_authn_core). */
function aliasesOf(project: Project): ReadonlyMap<string, Directive> {
  const known = aliases.get(project);
  if (known) return known;
  const found = new Map<string, Directive>();
  for (const directive of project.directives) {
    const name = directive.key === "<authnprovideralias" ? directive.arguments[1]?.value : undefined;
    if (name !== undefined) found.set(name, directive);
  }
  aliases.set(project, found);
  return found;
}
