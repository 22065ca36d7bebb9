import { parseStringExpression } from "../../grammar/expression/expression.js";
import type { Directive } from "../project/directive.js";
import { stringValue } from "../scope/expression-value.js";
import type { Layer } from "../scope/layer.js";
import { keywordOf, wordOf } from "../scope/words.js";
import { askProvider, type FileMessages, providersIn } from "./authn-providers.js";
import { type AccessState, inForce } from "./state.js";

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

const modules: Readonly<Record<string, string>> = {
  basic: "auth_basic_module",
  digest: "auth_digest_module",
  form: "auth_form_module",
};

/** The number of what is said where there is no AuthName. */
const nameless: Readonly<Record<string, string>> = { digest: "AH01780", form: "AH01810" };

/** The AuthType in force, lower case; undefined for none (`ap_auth_type`). */
export function authTypeOf(state: AccessState): string | undefined {
  const type = authTypeText(state)?.toLowerCase();
  return type === "none" && state.project.release === "2.4" ? undefined : type;
}

/** The same as it stands there: for 2.4 a string that is worked out for each request. */
export function authTypeText(state: AccessState): string | undefined {
  const written = wordOf(inForce(state, "authtype"));
  if (written === undefined || state.project.release === "2.2" || !/[\\%$]/.test(written)) return written;
  const parsed = parseStringExpression(written);
  if (!("expression" in parsed)) return written;
  state.request.looks?.untold(`what \`AuthType ${written}\` comes to hangs on the request`);
  return stringValue(parsed.expression, { ...state, user: undefined }) ?? written;
}

/**
 * Asks for a user as AuthType has it (mod_auth_basic, mod_auth_digest, mod_auth_form, mod_authn_core). Credentials that a
 * request brings are valid ones.
 */
export function authenticate(state: AccessState): Authentication {
  const { project, request } = state;
  const type = authTypeOf(state);
  if (type === undefined) return { kind: "none" };
  const by = [inForce(state, "authtype")].filter((directive) => directive !== undefined);
  const module = moduleOf(type);
  if (module === undefined ? !mayBeElsewhere(type, state) : !project.modules.has(module))
    return { kind: "broken", codes: ["AH01796"], by };
  // Ways from elsewhere do not need one.
  if (module !== undefined && inForce(state, "authname") === undefined)
    return { kind: "broken", codes: [nameless[type] ?? "AH01615"], by };
  request.looks?.at({ kind: "any-user" }, request.user !== undefined);
  if (request.user === undefined) return { kind: "challenge" };
  const asking = Object.hasOwn(askings, type) ? askings[type] : undefined;
  return asking ? askAll(asking, state, request.user, by) : { kind: "user", user: request.user };
}

/** The module of httpd that asks for users as an AuthType says; undefined for one that is none of httpd's. */
export function moduleOf(type: string): string | undefined {
  return Object.hasOwn(modules, type) ? modules[type] : undefined;
}

/** Whether an AuthType may be that of a module from elsewhere or of a script, or is worked out request by request. */
function mayBeElsewhere(type: string, { project, layers }: AccessState): boolean {
  const { modules: loaded, modulesAreKnown } = project;
  return !modulesAreKnown || loaded.hasForeign() || type.includes("%{") || layers.some(findsUsers);
}

/** Whether a layer says who finds out the user, whatever AuthType says; mod_ssl takes it from a certificate. */
export function findsUsers(layer: Layer): boolean {
  return userFinders.some((key) => layer.has(key));
}

const userFinders = ["luahookcheckuserid", "authnzfcgicheckauthnprovider", "sslusername"];

/** How a kind of AuthType asks its providers, with the numbers of what it says. */
interface Asking {
  readonly provider: string;
  /** Undefined where it is always the last word. */
  readonly authoritative?: string;
  readonly file: FileMessages;
  readonly stranger: string;
  readonly denied: string;
}

const askings: Readonly<Record<string, Asking>> = {
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
function askAll(asking: Asking, state: AccessState, user: string, by: readonly Directive[]): Authentication {
  const { names, lines } = providersIn(state, asking.provider);
  const asked: Directive[] = [];
  // What is not the last word leads on to a module that is not there.
  const authoritative = asking.authoritative && keywordOf(inForce(state, asking.authoritative));
  const isLast = authoritative !== "off";
  const onward = isLast ? [] : ["AH01796"];
  for (const name of names) {
    const answer = askProvider(name, state, user, asking.file);
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
