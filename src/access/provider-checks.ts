import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { lookAtVariable } from "../scope/brought-environment.js";
import { conditionIn, conditionOf, namesUser, stringValue } from "../scope/expression-value.js";
import type { Look } from "../scope/looks.js";
import { Once } from "../scope/once.js";
import type { Request } from "../scope/request.js";
import { leaveIfUnset } from "../scope/unset-words.js";
import { readSubnet, type Subnet } from "../text/addresses.js";
import { isClientIn, isClientNamed, localNetworks, SERVERS_OWN } from "./clients.js";
import { fileGroupCheck, fileOwnerCheck, groupCheck } from "./member-checks.js";
import type { AuthzResult } from "./new-decision.js";
import { type AskedWords, expandedLine, isExpanded, type RequireLine, requireWords } from "./new-rules.js";
import { asksForUser } from "./providers.js";
import { type AccessState, holdsFor, isForMethod, remark, within } from "./state.js";

type Check = (line: AskedWords, state: AccessState, user: string | undefined) => AuthzResult;

/** The networks that a Require line names. */
const subnets = new Once((line: AskedWords) =>
  requireWords(line).flatMap(({ value }) => {
    const verdict = readSubnet(value);
    return "subnet" in verdict ? [verdict.subnet] : [];
  }),
);

const grantedIf = (isGranted: boolean): AuthzResult => (isGranted ? "granted" : "denied");

/** Grants where one of the words is met. @param look at what a word looks */
function grantedIfAny<T>(
  words: readonly T[],
  isMet: (word: T) => boolean,
  look: (word: T) => Look,
  { looks }: Request,
): AuthzResult {
  const isGranted = words.some(isMet);
  looks?.at({ kind: "any", of: words.map(look) }, isGranted);
  return grantedIf(isGranted);
}

/** All that the words look at that ask for nothing but the client, the method and the user's name. */
type ClientState = Pick<AccessState, "request" | "env" | "path" | "remarks">;

const clientChecks: Readonly<
  Record<string, (line: AskedWords, state: ClientState, user: string | undefined) => AuthzResult>
> = {
  all: (line) => grantedIf(line.rest.toLowerCase() === "granted"),
  ip: (line, { request }) => {
    const look = (subnet: Subnet) => ({ kind: "address", subnet }) as const;
    return grantedIfAny(subnets.of(line), (subnet) => isClientIn(request, subnet), look, request);
  },
  host: (line, state) => {
    const { request, path } = state;
    const why = "unable to get the remote host name";
    if (request.clientHost === undefined)
      remark(state, "AH01753", `access check of '${line.rest}' to ${path} failed, reason: ${why}`);
    const names = requireWords(line).map(({ value }) => value);
    return grantedIfAny(
      names,
      (name) => isClientNamed(request, name),
      (name) => ({ kind: "host", name }),
      request,
    );
  },
  local: (_, { request }) => {
    const look = (subnet: Subnet) => ({ kind: "address", subnet }) as const;
    // At what address a server is asked is left open where somebody wants to know what a decision hangs on.
    const networks = localNetworks(request.looks ? {} : request);
    const local = grantedIfAny(networks, (subnet) => isClientIn(request, subnet), look, request);
    return local !== "granted" && request.looks?.test(SERVERS_OWN, false) ? "granted" : local;
  },
  env: (line, { env, request }) => {
    const names = requireWords(line).map(({ value }) => value.toLowerCase());
    return grantedIfAny(
      names,
      (name) => env.has(name),
      (name) => lookAtVariable(env, name),
      request,
    );
  },
  method: (line, { request }) => {
    const methods = requireWords(line).map(({ value }) => value);
    return grantedIf(isForMethod([{ except: false, methods }], request));
  },
  "valid-user": (_, __, user) => (user === undefined ? "no-user" : "granted"),
  user: (line, { request }, user) => {
    if (user === undefined) return "no-user";
    const names = requireWords(line).map(({ value }) => value);
    return grantedIfAny(
      names,
      (name) => name === user,
      (name) => ({ kind: "user", name }),
      request,
    );
  },
};

/** The Require words that are modelled. What is not here is a question. */
const checks: Readonly<Record<string, Check>> = {
  ...clientChecks,
  expr: (line, state, user) => {
    const condition = line.directive.key === "require" ? conditionOf(line.directive) : conditionIn(line.rest);
    if (condition === undefined) return "denied";
    if (holdsFor(condition, state, user)) return "granted";
    // Even where somebody is authenticated: it asks for another user then.
    return namesUser(condition) ? "no-user" : "denied";
  },
  ssl: (_, { request }) => grantedIf(request.scheme === "https"),
  group: (line, state, user) => groupCheck(line, state, user, "text"),
  "dbm-group": (line, state, user) => groupCheck(line, state, user, "dbm"),
  "file-owner": (_, state, user) => fileOwnerCheck(state, user),
  "file-group": (_, state, user) => fileGroupCheck(state, user, "text"),
  "dbm-file-group": (_, state, user) => fileGroupCheck(state, user, "dbm"),
};

/** The Require words whose answer is worked out. */
export const modelledProviders: readonly string[] = Object.keys(checks);

/** What the provider of a Require line says where it asks for nothing but the client, the method and the user's name. */
export function checkClient(line: RequireLine, state: ClientState, user: string | undefined): AuthzResult | undefined {
  const check = Object.hasOwn(clientChecks, line.provider) ? clientChecks[line.provider] : undefined;
  return check?.(line, state, user);
}

/** Whether the answer of a Require word, which comes from outside, may come with the request. */
export function isGivenByRequest(provider: string): boolean {
  return provider === "forward-dns" || /^(ldap|dbd)-/.test(provider);
}

/** The provider that a Require line asks, the one behind an alias where it names one. */
export function providerOf({ provider }: RequireLine, project: Project): string {
  return aliasesOf(project).get(provider)?.provider ?? provider;
}

/** The section that defines the alias which a Require line names. */
export function aliasOf({ provider }: RequireLine, project: Project): Directive | undefined {
  return aliasesOf(project).get(provider)?.directive;
}

/** What the provider of a Require line says. */
export function checkProvider(line: RequireLine, state: AccessState, user: string | undefined): AuthzResult {
  const meant = aliasesOf(state.project).get(line.provider) ?? line;
  const check = Object.hasOwn(checks, meant.provider) ? checks[meant.provider] : undefined;
  // What stands in an AuthzProviderAlias is laid over all that is in force.
  const here = meant === line ? state : within(meant.directive, state);
  if (meant !== line) leaveIfUnset(meant.directive, state.questions);
  if (check && isExpanded(meant)) return checkExpanded(check, meant, here, user);
  if (check) return check(meant, here, user);
  if (asksForUser(meant.provider) && user === undefined) return "no-user";
  return grantedIf(isGranted(meant, state));
}

/** The same for words that hang on the request, or have escapes in them. */
function checkExpanded(check: Check, line: AskedWords, state: AccessState, user: string | undefined): AuthzResult {
  if (asksForUser(line.provider) && user === undefined) return "no-user";
  const expanded = expandedLine(line, (expression) => stringValue(expression, { ...state, user }));
  if (expanded === undefined) return grantedIf(isGranted(line, state));
  if (!expanded.isConstant)
    state.request.looks?.untold(`whom \`Require ${line.provider} ${line.rest}\` names hangs on the request`);
  return check(expanded.line, state, user);
}

/** What a provider says of which nothing is known but what the request tells: both releases ask the same of it. */
export function isGranted({ provider, rest }: Pick<RequireLine, "provider" | "rest">, state: AccessState): boolean {
  const asked = `${provider} ${rest}`.trim();
  const { grants } = state.request;
  if (grants && isGivenByRequest(provider)) return grants.includes(asked);
  return state.questions.ask(`whether \`Require ${asked}\` grants`);
}

const aliases = new WeakMap<Project, ReadonlyMap<string, AskedWords>>();

/** The providers that AuthzProviderAlias sections define: of their words only the first for the provider counts. */
function aliasesOf(project: Project): ReadonlyMap<string, AskedWords> {
  const known = aliases.get(project);
  if (known) return known;
  const found = new Map<string, AskedWords>();
  for (const directive of project.directives) {
    const alias = directive.key === "<authzprovideralias" ? readAlias(directive) : undefined;
    if (alias) found.set(alias.name, alias.line);
  }
  aliases.set(project, found);
  return found;
}

function readAlias(directive: Directive): { readonly name: string; readonly line: AskedWords } | undefined {
  const [provider, name, rest] = directive.arguments;
  if (provider === undefined || name === undefined) return undefined;
  const value = rest?.value ?? "";
  const line: AskedWords = {
    directive,
    provider: provider.value,
    rest: value,
    restStart: rest?.start ?? directive.argumentText.length,
  };
  return { name: name.value, line };
}
