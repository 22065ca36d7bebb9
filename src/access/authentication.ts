import type { Directive } from "../project/directive.js";
import { absolutePath } from "../project/paths.js";
import { type AccessState, inForce } from "./state.js";

/** What asking for a user comes to. */
export type Authentication =
  | { readonly kind: "user"; readonly user: string }
  /** No credentials, or wrong ones: 401. */
  | { readonly kind: "challenge" }
  /** Nothing is set up to ask with. */
  | { readonly kind: "none" }
  | { readonly kind: "broken"; readonly codes: readonly string[]; readonly by: readonly Directive[] }
  /** The password file does not name the user: 401. */
  | { readonly kind: "stranger"; readonly code: string; readonly by: readonly Directive[] };

const modules: Readonly<Record<string, string>> = {
  basic: "auth_basic_module",
  digest: "auth_digest_module",
  form: "auth_form_module",
};

/** The AuthType in force, lower case; undefined for none (`ap_auth_type`). */
export function authTypeOf(state: AccessState): string | undefined {
  const type = inForce(state, "authtype")?.arguments[0]?.value.toLowerCase();
  return type === "none" && state.project.release === "2.4" ? undefined : type;
}

/**
 * Asks for a user as AuthType has it (mod_auth_basic, mod_authn_file, mod_authn_core). Credentials that a request brings
 * are valid ones.
 */
export function authenticate(state: AccessState): Authentication {
  const { project, request } = state;
  const type = authTypeOf(state);
  if (type === undefined) return { kind: "none" };
  const by = [inForce(state, "authtype")].filter((directive) => directive !== undefined);
  const module = Object.hasOwn(modules, type) ? modules[type] : undefined;
  if (module !== undefined && !project.modules.has(module)) return { kind: "broken", codes: ["AH01796"], by };
  if (module === undefined && project.modulesAreKnown && project.modules.unknown.length === 0)
    return { kind: "broken", codes: ["AH01796"], by };
  if (inForce(state, "authname") === undefined)
    return { kind: "broken", codes: [type === "digest" ? "AH01780" : "AH01615"], by };
  if (request.user === undefined) return { kind: "challenge" };
  const providers = inForce(state, "authbasicprovider")?.arguments.map((word) => word.value) ?? ["file"];
  const isOfFile = type === "basic" && providers.every((provider) => provider === "file");
  return (isOfFile ? failureOf(state, request.user, by) : undefined) ?? { kind: "user", user: request.user };
}

/** Why the password file lets nobody in; undefined where it does. @param by the AuthType in force */
function failureOf(state: AccessState, user: string, by: readonly Directive[]): Authentication | undefined {
  const line = inForce(state, "authuserfile");
  const file = line?.arguments[0]?.value;
  // What is not the last word leads on to a module that is not there.
  const isLast = inForce(state, "authbasicauthoritative")?.arguments[0]?.value.toLowerCase() !== "off";
  const onward = isLast ? [] : ["AH01796"];
  if (line === undefined || file === undefined) return { kind: "broken", codes: ["AH01619", ...onward], by };
  const path = absolutePath(state.project.serverRoot, file);
  if (state.files.kindOf(path) === "missing") return { kind: "broken", codes: ["AH01620", ...onward], by: [line] };
  if (state.files.hasUser?.(path, user) !== false) return undefined;
  return isLast ? { kind: "stranger", code: "AH01618", by: [line] } : { kind: "broken", codes: onward, by: [line] };
}
