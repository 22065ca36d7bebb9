import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { hostSubnetOf, readSubnet, type Subnet } from "../../text/addresses.js";
import { memoize } from "../../text/memoize.js";
import { conditionOf, evaluateString, parseExpressionCondition, readsUser } from "../expression/evaluate.js";
import { type Predicate, predicateOfVariable } from "../model/dependency-tracker.js";
import { type Request, recordTest } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";
import { findHostAddresses } from "../request/client-name.js";
import { markIfUndefined } from "../sections/undecidable-lines.js";
import { type AccessState, addRemark, holdsForRequest, includesMethod, overlaySection } from "./access-state.js";
import { isClientVerified, UNNAMED_SUBJECT } from "./client-certificates.js";
import {
  clientNamePredicateOf,
  hasClientName,
  isClientInNetwork,
  localNetworksOf,
  OWN_ADDRESS,
} from "./clients-and-methods.js";
import type { AuthzResult } from "./decide-require.js";
import { checkFileGroup, checkFileOwner, checkGroupMembership } from "./group-membership.js";
import { requiresUser } from "./providers.js";
import {
  expandRequireLine,
  hasExpansion,
  type ProviderArguments,
  type RequireLine,
  requireArgumentsOf,
} from "./require-rules.js";
import { recordAuthorizer } from "./user-sources.js";

type ProviderCheck = (line: ProviderArguments, state: AccessState, user: string | undefined) => AuthzResult;

/** The networks that a Require line names. */
const subnetsOf = memoize((line: ProviderArguments) =>
  requireArgumentsOf(line).flatMap(({ value }) => {
    const verdict = readSubnet(value);
    return verdict.ok ? [verdict.value] : [];
  }),
);

const grantedIf = (isGranted: boolean): AuthzResult => (isGranted ? "granted" : "denied");

/** Grants access if one of the arguments is met. @param predicateOf the predicate that an argument reads */
function grantedIfAny<T>(
  words: readonly T[],
  isMet: (word: T) => boolean,
  predicateOf: (word: T) => Predicate,
  { tracker }: Request,
): AuthzResult {
  const isGranted = words.some(isMet);
  tracker?.recordPredicate({ kind: "any", of: words.map(predicateOf) }, isGranted);
  return grantedIf(isGranted);
}

/** The inputs of providers that depend only on the client, the method and the user name. */
type ClientState = Pick<AccessState, "request" | "env" | "path" | "remarks">;

const clientChecks: Readonly<
  Record<string, (line: ProviderArguments, state: ClientState, user: string | undefined) => AuthzResult>
> = {
  all: (line) => grantedIf(line.rest.toLowerCase() === "granted"),
  ip: (line, { request }) => {
    const predicateOf = (subnet: Subnet) => ({ kind: "address", subnet }) as const;
    return grantedIfAny(subnetsOf(line), (subnet) => isClientInNetwork(request, subnet), predicateOf, request);
  },
  host: (line, state) => {
    const { request, path } = state;
    const why = "unable to get the remote host name";
    if (request.clientHost === undefined)
      addRemark(state, "AH01753", `access check of '${line.rest}' to ${path} failed, reason: ${why}`);
    const names = requireArgumentsOf(line).map(({ value }) => value);
    return grantedIfAny(names, (name) => hasClientName(request, name), clientNamePredicateOf, request);
  },
  local: (_, { request }) => {
    const predicateOf = (subnet: Subnet) => ({ kind: "address", subnet }) as const;
    // The server's address is left open if the dependencies of a decision are recorded.
    const networks = localNetworksOf(request.tracker ? {} : request);
    const local = grantedIfAny(networks, (subnet) => isClientInNetwork(request, subnet), predicateOf, request);
    return local !== "granted" && recordTest(request, OWN_ADDRESS, false) ? "granted" : local;
  },
  env: (line, { env, request }) => {
    const names = requireArgumentsOf(line).map(({ value }) => value.toLowerCase());
    return grantedIfAny(
      names,
      (name) => env.has(name),
      (name) => predicateOfVariable(env, name),
      request,
    );
  },
  method: (line, { request }) => {
    const methods = requireArgumentsOf(line).map(({ value }) => value);
    return grantedIf(includesMethod([{ except: false, methods }], request));
  },
  "valid-user": (_, __, user) => (user === undefined ? "no-user" : "granted"),
  user: (line, { request }, user) => {
    if (user === undefined) return "no-user";
    const names = requireArgumentsOf(line).map(({ value }) => value);
    return grantedIfAny(
      names,
      (name) => name === user,
      (name) => ({ kind: "user", name }),
      request,
    );
  },
};

/** The Require providers that are modelled. Any other provider is an oracle question. */
const checks: Readonly<Record<string, ProviderCheck>> = {
  ...clientChecks,
  expr: (line, state, user) => {
    const condition =
      line.directive.key === "require" ? conditionOf(line.directive) : parseExpressionCondition(line.rest);
    if (condition === undefined) return "denied";
    if (user === UNNAMED_SUBJECT && readsUser(condition)) return grantedIf(isProviderGranted(line, state));
    if (holdsForRequest(condition, state, user)) return "granted";
    // Applies even to an authenticated user: the condition asks for a different user.
    return readsUser(condition) ? "no-user" : "denied";
  },
  ssl: (_, { request }) => grantedIf(request.scheme === "https"),
  group: (line, state, user) => checkGroupMembership(line, state, user, "text"),
  "dbm-group": (line, state, user) => checkGroupMembership(line, state, user, "dbm"),
  "file-owner": (_, state, user) => checkFileOwner(state, user),
  "file-group": (_, state, user) => checkFileGroup(state, user, "text"),
  "dbm-file-group": (_, state, user) => checkFileGroup(state, user, "dbm"),
};

/** The Require providers whose result is computed. */
export const modelledProviders: readonly string[] = Object.keys(checks);

/** Evaluates a Require line whose provider depends only on the client, the method and the user name. */
export function checkClientProvider(
  line: RequireLine,
  state: ClientState,
  user: string | undefined,
): AuthzResult | undefined {
  const check = Object.hasOwn(clientChecks, line.provider) ? clientChecks[line.provider] : undefined;
  return check?.(line, state, user);
}

/** Reports whether the result of a provider, which is not computed, may be given with the request. */
export function isSuppliedByRequest(provider: string): boolean {
  return provider === "forward-dns" || /^(ldap|dbd)-/.test(provider);
}

/** Returns the provider of a Require line, resolving an alias. */
export function providerOf(line: RequireLine, project: Project): string {
  return findAlias(line, project)?.provider ?? line.provider;
}

/** Returns the section that defines the alias in a Require line. */
export function aliasOf(line: RequireLine, project: Project): Directive | undefined {
  return findAlias(line, project)?.directive;
}

/**
 * Returns the alias in a Require line. A line before the section has the provider of this name (mod_authz_core.c
 * `add_authz_provider`).
 */
function findAlias({ provider, directive }: RequireLine, project: Project): ProviderArguments | undefined {
  const alias = aliasesOf(project).get(provider);
  if (alias === undefined || !Object.hasOwn(checks, provider)) return alias;
  const [place, own] = [alias.directive, directive].map((each) => placesOf(project).get(each));
  return place !== undefined && own !== undefined && own < place ? undefined : alias;
}

/** Returns the place of each directive in reading order. */
const placesOf = memoize(
  (project: Project): ReadonlyMap<Directive, number> =>
    new Map([...iterateDirectives(project)].map((directive, place) => [directive, place])),
);

/** Evaluates a Require line with its provider. */
export function checkProvider(line: RequireLine, state: AccessState, user: string | undefined): AuthzResult {
  const resolved = findAlias(line, state.project) ?? line;
  const check = Object.hasOwn(checks, resolved.provider) ? checks[resolved.provider] : undefined;
  // The contents of an AuthzProviderAlias are merged over the configuration that applies.
  const here = resolved === line ? state : overlaySection(resolved.directive, state);
  if (resolved !== line) markIfUndefined(resolved.directive, state.oracle);
  if (check && hasExpansion(resolved)) return checkExpanded(check, resolved, here, user);
  if (check) return check(resolved, here, user);
  if (requiresUser(resolved.provider) && user === undefined) return "no-user";
  const isVerified = resolved.provider === "ssl-verify-client" ? isClientVerified(state) : undefined;
  return grantedIf(isVerified ?? isProviderGranted(resolved, state));
}

/** Evaluates a provider whose arguments depend on the request or contain escapes. */
function checkExpanded(
  check: ProviderCheck,
  line: ProviderArguments,
  state: AccessState,
  user: string | undefined,
): AuthzResult {
  if (requiresUser(line.provider) && user === undefined) return "no-user";
  const expanded = expandRequireLine(line, (expression) => evaluateString(expression, { ...state, user }));
  if (expanded === undefined) return grantedIf(isProviderGranted(line, state));
  if (!expanded.isConstant)
    state.request.tracker?.markUnknown(unknownFact("value-of-request", `Require ${line.provider} ${line.rest}`));
  return check(expanded.line, state, user);
}

/**
 * Returns the result of an unknown provider as given with the request or by the oracle. Both releases use the same
 * oracle question.
 */
export function isProviderGranted(
  { provider, rest }: Pick<RequireLine, "provider" | "rest">,
  state: AccessState,
): boolean {
  const words = `${provider} ${rest}`.trim();
  if (requiresUser(provider)) recordAuthorizer(provider, state);
  const { grants, tracker } = state.request;
  if (grants && isSuppliedByRequest(provider)) return grants.includes(words);
  if (provider === "forward-dns" && !tracker) {
    const addresses = rest.split(/[ \t]+/).map((name) => findHostAddresses(name, state.files));
    if (addresses.flat().some((address) => address && isClientInNetwork(state.request, hostSubnetOf(address))))
      return true;
    if (!addresses.includes(undefined)) return false;
  }
  return state.oracle.ask(unknownFact("grants", `Require ${words}`));
}

/**
 * Returns the providers that AuthzProviderAlias sections define. Only the first of their arguments to the provider
 * counts.
 */
const aliasesOf = memoize((project: Project): ReadonlyMap<string, ProviderArguments> => {
  const found = new Map<string, ProviderArguments>();
  for (const directive of project.directives) {
    const alias = directive.key === "<authzprovideralias" ? readAlias(directive) : undefined;
    if (alias) found.set(alias.name, alias.line);
  }
  return found;
});

function readAlias(directive: Directive): { readonly name: string; readonly line: ProviderArguments } | undefined {
  const [provider, name, rest] = directive.arguments;
  if (provider === undefined || name === undefined) return undefined;
  const value = rest?.value ?? "";
  const line: ProviderArguments = {
    directive,
    provider: provider.value,
    rest: value,
    restStart: rest?.start ?? directive.argumentText.length,
  };
  return { name: name.value, line };
}
