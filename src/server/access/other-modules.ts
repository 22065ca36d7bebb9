import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import {
  type AuthenticationCheck,
  type AuthenticationHook,
  type AuthenticationModule,
  authenticationModules,
  type PasswordProvider,
  unknownAuthenticationStatuses,
} from "../../facts/authentication-modules.js";
import { findThirdPartyDirective } from "../../facts/directives.js";
import { decodeUrl } from "../../text/escaping.js";
import { memoize } from "../../text/memoize.js";
import { quoteText } from "../../text/words.js";
import { argumentValuesOf, findSetting, keywordArgumentOf } from "../model/config-layer.js";
import { type Request, recordLogin } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";
import type { AccessState } from "./access-state.js";

const UNKNOWN_MODULE = "another module";

/** The parts of a state that the checks of other modules read. */
export type OtherModuleState = Pick<AccessState, "project" | "request" | "layers" | "oracle">;

/** A check of a third-party module that applies to a request. */
export interface OtherCheck {
  /** Undefined for a module about which nothing is known. */
  readonly owner?: AuthenticationModule;
  /** The module, and the line in parentheses: `mod_shib (AuthType shibboleth)`. */
  readonly module: string;
  readonly line: Directive;
  readonly statuses: readonly number[];
  /** The directives with its rules, in lower case; empty if it does not have any. */
  readonly ruleKeys: readonly string[];
}

/** The answer of a third-party module: it identifies the user, whose name is not known, or responds itself. */
export type OtherAnswer = { readonly kind: "identified" } | { readonly kind: "refused"; readonly status: number };

interface NamedCheck extends AuthenticationCheck {
  readonly key: string;
  readonly module: AuthenticationModule;
}

const allChecks: readonly NamedCheck[] = authenticationModules.flatMap((module) =>
  (module.checks ?? []).map((check) => ({ ...check, module, key: check.directive.toLowerCase() })),
);

const providersByName: ReadonlyMap<string, PasswordProvider & { readonly module: AuthenticationModule }> = new Map(
  authenticationModules.flatMap((module) =>
    (module.passwordProviders ?? []).map((provider) => [provider.name.toLowerCase(), { ...provider, module }] as const),
  ),
);

/** The directives of the checks, other than AuthType. */
const ownKeys: ReadonlySet<string> = new Set(allChecks.flatMap(({ key }) => (key === "authtype" ? [] : [key])));
const usesOtherChecks = memoize((project: Project) => indexDirectives(project).hasAny(ownKeys));

const identifyingKeys: ReadonlySet<string> = new Set(
  allChecks.flatMap(({ key, hook }) => (key === "authtype" || hook === "request" ? [] : [key])),
);
const typesOfHttpd: ReadonlySet<string | undefined> = new Set([undefined, "none", "basic", "digest", "form"]);

/** Reports whether a line has a third-party module identify clients: what it returns instead is not access. */
export function identifiesElsewhere(line: Directive): boolean {
  return line.key === "authtype" ? !typesOfHttpd.has(keywordArgumentOf(line)) : identifyingKeys.has(line.key);
}

const moduleIdentifiers: ReadonlySet<string> = new Set(authenticationModules.map(({ identifier }) => identifier));

/** Reports whether a directive belongs to a module of the table. */
export function isOfOtherModule({ key }: Directive): boolean {
  return findThirdPartyDirective(key)?.modules.some((module) => moduleIdentifiers.has(module)) ?? false;
}

/** Returns the line without which a loaded module does not provide an AuthType; undefined for other types. */
export function findMissingSwitch(type: string, { modules }: Project): string | undefined {
  const isOwner = ({ identifier, turnedOn }: AuthenticationModule) =>
    modules.has(identifier) && turnedOn?.authType.toLowerCase() === type;
  return authenticationModules.find(isOwner)?.turnedOn?.by;
}

/** Names the module of such a line. */
export function nameModuleOf(line: Directive): string {
  const value = keywordArgumentOf(line) ?? "";
  const owner = allChecks.find(
    (check) => check.key === line.key && (check.key !== "authtype" || appliesWith(value, check)),
  );
  return owner?.module.name ?? UNKNOWN_MODULE;
}

/** Returns the first check that applies, if any. @param authType the one that applies, in lower case */
export function findOtherCheck(
  hook: AuthenticationHook,
  state: OtherModuleState,
  authType?: string,
): OtherCheck | undefined {
  if (authType === undefined && !usesOtherChecks(state.project)) return undefined;
  for (const check of allChecks) {
    if (check.hook !== hook || !mayBeLoaded(check.module.identifier, state.project)) continue;
    const line = findSetting(state.layers, check.key);
    const value = check.key === "authtype" ? authType : keywordArgumentOf(line);
    if (line === undefined || value === undefined || !appliesWith(value, check) || isTurnedOff(check, state)) continue;
    if (check.method !== undefined && check.method !== state.request.method) continue;
    return {
      owner: check.module,
      module: check.module.name,
      line,
      statuses: statusesOf(check.statuses, check.module, state),
      ruleKeys: (check.rules ?? []).map((name) => name.toLowerCase()),
    };
  }
  return undefined;
}

/** Returns the check of a module about which nothing is known, such as one that provides another AuthType. */
export function unknownCheck(line: Directive, { request }: OtherModuleState): OtherCheck {
  return { module: UNKNOWN_MODULE, line, statuses: inProofs(unknownAuthenticationStatuses, request), ruleKeys: [] };
}

function appliesWith(value: string, { on, off }: AuthenticationCheck): boolean {
  return on === undefined ? off?.includes(value) !== true : on.some((each) => each.toLowerCase() === value);
}

function isTurnedOff(
  { module: { disabledBy } }: { readonly module: Pick<AuthenticationModule, "disabledBy"> },
  { layers }: Pick<OtherModuleState, "layers">,
): boolean {
  return disabledBy !== undefined && keywordArgumentOf(findSetting(layers, disabledBy.toLowerCase())) === "on";
}

function mayBeLoaded(identifier: string, { modules, modulesAreKnown }: Project): boolean {
  return modules.has(identifier) || (!modulesAreKnown && !modules.isWithheld(identifier));
}

/** Returns the possible statuses, with those that lines of the module set. */
function statusesOf(
  statuses: readonly number[],
  { statusLines = [] }: AuthenticationModule,
  { layers, request }: OtherModuleState,
): readonly number[] {
  const added = statusLines.flatMap(({ directive, argument, status }) => {
    const line = findSetting(layers, directive.toLowerCase());
    if (line === undefined) return [];
    const written = argument === undefined ? Number.NaN : Number(argumentValuesOf(line)[argument]);
    const read = written >= 300 && written < 600 ? written : status;
    return read === undefined ? [] : [read];
  });
  return inProofs([...statuses, ...added], request);
}

/** Returns the statuses in order; one of each kind for proofs, which only distinguish redirects, logins, denials and errors. */
function inProofs(statuses: readonly number[], { tracker }: Pick<Request, "tracker">): readonly number[] {
  const all = [...new Set(statuses)].sort((a, b) => a - b);
  return tracker
    ? all.filter((status, index) => all.findIndex((each) => kindOf(each) === kindOf(status)) === index)
    : all;
}

function kindOf(status: number): string {
  if (status >= 500) return "error";
  if (status < 400) return "redirect";
  return status === 401 || status === 407 ? "login" : "denial";
}

/**
 * Has a module identify the user of a request. A user that is given with the request counts as identified; without one,
 * the client may have a session that the request does not show.
 */
export function identifyByOther(
  check: OtherCheck,
  { project, request, layers, oracle }: OtherModuleState,
): OtherAnswer {
  recordLogin(request);
  if (check.owner) markEndpoint(check.owner, { project, request, layers, oracle });
  if (request.user !== undefined) return { kind: "identified" };
  if (oracle.ask(unknownFact("identifies", check.module, formatCheckLine(check)))) return { kind: "identified" };
  return { kind: "refused", status: chooseStatus(check, oracle) };
}

/** Marks the answer to an allowed request as undecidable if a module answers it at a path of its own. */
export function markOwnEndpoints(state: OtherModuleState): void {
  for (const module of authenticationModules) if (module.endpoint?.answersAll) markEndpoint(module, state);
}

/** Proofs are not about the answers at these paths. */
function markEndpoint(
  { endpoint, identifier, name, ...module }: AuthenticationModule,
  { project, request, layers, oracle }: OtherModuleState,
): void {
  if (endpoint === undefined || request.tracker || !project.modules.has(identifier)) return;
  if (isTurnedOff({ module }, { layers })) return;
  const line = endpoint.directive === undefined ? undefined : findSetting(layers, endpoint.directive.toLowerCase());
  const written = (line && argumentValuesOf(line)[0]) ?? endpoint.defaultPath;
  const path = written?.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/[?#].*$|\/+$/g, "");
  const sent = decodeUrl(request.path);
  if (path === undefined || !(sent === path || (endpoint.hasPathsBelow && sent.startsWith(`${path}/`)))) return;
  oracle.markUndecidable(unknownFact("endpoint-answer", name, quoteText(path)), line);
}

/** Returns the response of a third-party module that denies a request before Require is checked, if one does. */
export function findOtherRefusal(
  state: OtherModuleState,
): { readonly status: number; readonly by: readonly Directive[] } | undefined {
  const check = findOtherCheck("access", state);
  const answer = check && identifyByOther(check, state);
  return check && answer?.kind === "refused" ? { status: answer.status, by: [check.line] } : undefined;
}

/** Returns one of the possible statuses, by a question for each but the last. */
export function chooseStatus(check: OtherCheck, oracle: AccessState["oracle"]): number {
  const { module, statuses } = check;
  const asked = statuses
    .slice(0, -1)
    .find((status) => oracle.ask(unknownFact("returns", module, String(status), formatCheckLine(check))));
  return asked ?? statuses.at(-1) ?? 403;
}

/** Formats the line of a check. */
export function formatCheckLine({ line }: Pick<OtherCheck, "line">): string {
  return quoteText(`${line.name} ${line.argumentText}`.trim());
}

/**
 * Returns the result of a third-party provider for a password; undefined if the name is that of another provider.
 *
 * @param name as in AuthBasicProvider; case does not matter for httpd
 */
export function checkOtherProvider(
  name: string,
  state: AccessState,
  user: string,
):
  | { readonly kind: "granted" | "unset" }
  | { readonly kind: "refused"; readonly status: number; readonly by: readonly Directive[] }
  | undefined {
  const provider = providersByName.get(name.toLowerCase());
  if (provider === undefined) return undefined;
  const line = state.config.setting(provider.needs.toLowerCase());
  if (line === undefined) return { kind: "unset" };
  const check = {
    module: provider.module.name,
    line,
    statuses: statusesOf(provider.statuses, provider.module, state),
    ruleKeys: [],
  };
  const written = formatCheckLine(check);
  // Proofs are about any user.
  const isAccepted = state.request.tracker
    ? unknownFact("accepts-any-password", check.module, written)
    : unknownFact("accepts-password", check.module, user, written);
  if (state.oracle.ask(isAccepted)) return { kind: "granted" };
  return { kind: "refused", status: chooseStatus(check, state.oracle), by: [line] };
}
