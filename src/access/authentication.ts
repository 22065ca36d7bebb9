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
  | { readonly kind: "broken"; readonly code: string; readonly by: readonly Directive[] }
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
  const { project, request, files } = state;
  const type = authTypeOf(state);
  if (type === undefined) return { kind: "none" };
  const by = [inForce(state, "authtype")].filter((directive) => directive !== undefined);
  const module = Object.hasOwn(modules, type) ? modules[type] : undefined;
  if (module !== undefined && !project.modules.has(module)) return { kind: "broken", code: "AH01796", by };
  if (module === undefined && project.modulesAreKnown && project.modules.unknown.length === 0)
    return { kind: "broken", code: "AH01796", by };
  if (inForce(state, "authname") === undefined)
    return { kind: "broken", code: type === "digest" ? "AH01780" : "AH01615", by };
  if (request.user === undefined) return { kind: "challenge" };
  const providers = inForce(state, "authbasicprovider")?.arguments.map((word) => word.value) ?? ["file"];
  if (type === "basic" && providers.every((provider) => provider === "file")) {
    const line = inForce(state, "authuserfile");
    const file = line?.arguments[0]?.value;
    if (line === undefined || file === undefined) return { kind: "broken", code: "AH01619", by };
    const path = absolutePath(project.serverRoot, file);
    if (files.kindOf(path) === "missing") return { kind: "broken", code: "AH01620", by: [line] };
    if (files.hasUser?.(path, request.user) === false) return { kind: "stranger", code: "AH01618", by: [line] };
  }
  return { kind: "user", user: request.user };
}
