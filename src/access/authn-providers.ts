import type { Directive } from "../project/directive.js";
import { absolutePath } from "../project/paths.js";
import type { Project } from "../project/project.js";
import { unsetVariable } from "../project/unset-variables.js";
import { keywordOf } from "../scope/words.js";
import { type AccessState, inForce, within } from "./state.js";

/** What a provider of users says (include/mod_auth.h `authn_status`): anything but `not found` ends the asking. */
export type ProviderAnswer =
  | { readonly kind: "granted" }
  | { readonly kind: "not found" | "denied"; readonly by: readonly Directive[] }
  /** It cannot be asked: 500. */
  | { readonly kind: "error"; readonly code: string; readonly by: readonly Directive[] };

/** The messages of mod_authn_file, which differ between Basic, which it checks itself, and Digest, which it looks up for. */
export interface FileMessages {
  readonly unset: string;
  readonly unreadable: string;
}

/** The names in force of one directive, AuthBasicProvider or its like, with the lines: those of one section add up. */
export function providersIn(
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
export function askProvider(name: string, state: AccessState, user: string, messages: FileMessages): ProviderAnswer {
  const alias = aliasesOf(state.project).get(name);
  const provider = alias?.arguments[0]?.value ?? name;
  const inside = alias ? within(alias, state) : state;
  if (provider === "file") return askFile(inside, user, messages);
  if (provider === "anon") return askAnonymous(inside, user);
  const needed = Object.hasOwn(needs, provider) ? needs[provider] : undefined;
  if (needed && inForce(inside, needed.key) === undefined) return { kind: "error", code: needed.unset, by: [] };
  // A user is one who sends the right password: whoever looks that up elsewhere takes it.
  return { kind: "granted" };
}

/** What other providers cannot do without, and the number of what they say where it is not set. */
const needs: Readonly<Record<string, { readonly key: string; readonly unset: string }>> = {
  dbm: { key: "authdbmuserfile", unset: "AH10285" },
  ldap: { key: "authldapurl", unset: "AH02558" },
};

function askFile(state: AccessState, user: string, { unset, unreadable }: FileMessages): ProviderAnswer {
  const line = inForce(state, "authuserfile");
  const file = line?.arguments[0]?.value;
  if (line === undefined || file === undefined) return { kind: "error", code: unset, by: [] };
  // Where it lies only the server's environment knows: nothing here says that it is missing.
  if (unsetVariable(file) !== undefined) return { kind: "granted" };
  const path = absolutePath(state.project.serverRoot, file);
  const kind = state.files.kindOf(path, true);
  if (kind === "missing" || kind === "directory") return { kind: "error", code: unreadable, by: [line] };
  return state.files.hasUser?.(path, user) === false ? { kind: "not found", by: [line] } : { kind: "granted" };
}

const ofAnonymous: ReadonlySet<string> = new Set([
  ...["anonymous", "anonymous_mustgiveemail", "anonymous_verifyemail"],
  ...["anonymous_nouserid", "anonymous_logemail"],
]);

/**
 * mod_authn_anon: what one section says of it puts out of force all that is said further out, and names count in any case
 * (`check_anonymous`).
 */
function askAnonymous({ layers, questions }: AccessState, user: string): ProviderAnswer {
  const lines = layers.findLast((layer) => layer.only(ofAnonymous).length > 0)?.only(ofAnonymous) ?? [];
  const naming = lines.filter(({ key }) => key === "anonymous");
  const names = naming.flatMap((line) => line.arguments.map(({ value }) => value));
  const isOn = (key: string) => keywordOf(lines.findLast((line) => line.key === key));
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
