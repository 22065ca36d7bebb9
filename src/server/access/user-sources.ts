import { resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { AccessState } from "./access-state.js";
import { anonymousLinesOf } from "./password-providers.js";

/*
 * The data outside the configuration that decide about users: password and group files, directories, databases,
 * sessions. Their content is unknown, so that proofs only compare where they are.
 */

/** What the providers of an AuthType read. */
export interface Authenticators {
  /** In lower case. */
  readonly authType: string;
  /** The names of the providers, in order. */
  readonly providers: readonly string[];
  /** Whether no other module is asked about users that they do not know. */
  readonly isAuthoritative: boolean;
  /** Whether stored passwords are for one realm, which AuthName names. */
  readonly hasRealm: boolean;
}

/**
 * Records which password data decide about a user (mod_auth_basic.c `authenticate_basic_user`, mod_auth_digest.c
 * `get_hash`, mod_auth_form.c `authenticate_form_authn`).
 *
 * @param inside returns the provider of a name, with the state in which it is asked
 */
export function recordAuthenticators(
  { authType, providers, isAuthoritative, hasRealm }: Authenticators,
  state: AccessState,
  inside: (name: string) => { readonly provider: string; readonly state: AccessState },
): void {
  const { tracker } = state.request;
  if (tracker === undefined) return;
  const asked = providers.map(inside);
  // Behind other providers, the names are a condition only on users that those do not know.
  const firstOther = asked.findIndex(({ provider }) => provider !== "anon");
  const parts = asked.map(({ provider, state: own }, index) => {
    const settings =
      provider === "anon" && firstOther >= 0 && index > firstOther
        ? anonymousLinesOf(own).map(textOf)
        : settingsOf(provider, own);
    return [provider, ...settings].join(" ");
  });
  const realm = hasRealm ? textOf(state.config.setting("authname")) : "";
  const sessions = authType === "form" ? linesOf(sessionLines, state) : [];
  const [first] = asked;
  tracker.recordUserSource({
    kind: "passwords",
    id: [authType, isAuthoritative, realm, ...sessions, ...parts].join("\n"),
    by: first?.state.config.setting(fileDirectives.get(first.provider) ?? "") ?? state.config.setting("authtype"),
  });
}

/** Records which group file decides about a user. @param path undefined if none is set */
export function recordGroupFile({ request, config }: AccessState, directive: string, path: string | undefined): void {
  request.tracker?.recordUserSource({ kind: directive, id: path ?? "", by: config.setting(directive) });
}

/** Records what a provider whose result is not computed reads: the settings of its module. */
export function recordAuthorizer(provider: string, state: AccessState): void {
  state.request.tracker?.recordUserSource({
    kind: provider,
    id: linesOf(providerLines, state).join("\n"),
    by: state.config.setting("authldapurl"),
  });
}

/** The directives that name the file of a provider. */
const fileDirectives: ReadonlyMap<string, string> = new Map([
  ["file", "authuserfile"],
  ["dbm", "authdbmuserfile"],
  ["ldap", "authldapurl"],
]);

/** Directives of the other providers. Those of this pattern that httpd itself reads are the same for all of them. */
const providerLines =
  /^(?:authdbm|authdbd|authzdbd|authldap|authnz|authn_|authnprovider|authexternal|dbd|ldap|defineexternal)/;

/** A client logs in once, and its session has the rest. */
const sessionLines = /^(?:session|authformsitepassphrase$|authformdisablenostore$)/;

function settingsOf(provider: string, state: AccessState): readonly string[] {
  switch (provider) {
    // Their names and switches are conditions on the user.
    case "anon":
      return [];
    case "file":
      return [pathIn(state, "authuserfile")];
    case "dbm":
      return [pathIn(state, "authdbmuserfile"), textOf(state.config.setting("authdbmtype"))];
    default:
      return linesOf(providerLines, state);
  }
}

function pathIn({ config, project }: AccessState, directive: string): string {
  const written = config.setting(directive)?.arguments[0]?.value;
  return written === undefined ? "" : resolvePath(project.serverRoot, written);
}

function linesOf(names: RegExp, { layers }: AccessState): readonly string[] {
  return layers.flatMap(({ directives }) => directives.filter(({ key }) => names.test(key)).map(textOf));
}

function textOf(line: Directive | undefined): string {
  return line === undefined ? "" : `${line.key} ${line.arguments.map(({ value }) => JSON.stringify(value)).join(" ")}`;
}
