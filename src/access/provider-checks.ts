import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { conditionIn, conditionOf, namesUser } from "../scope/expression-value.js";
import { readSubnet } from "../text/addresses.js";
import { isClientIn, isClientNamed, isLocal } from "./clients.js";
import type { AuthzResult } from "./new-decision.js";
import { type RequireLine, requireWords } from "./new-rules.js";
import { asksForUser } from "./providers.js";
import { type AccessState, holdsFor, inForce } from "./state.js";

type Check = (line: RequireLine, state: AccessState, user: string | undefined) => AuthzResult;

const grantedIf = (isGranted: boolean): AuthzResult => (isGranted ? "granted" : "denied");

/** The Require words that are modelled. What is not here is a question. */
const checks: Readonly<Record<string, Check>> = {
  all: (line) => grantedIf(line.rest.toLowerCase() === "granted"),
  ip: (line, { request }) =>
    grantedIf(
      requireWords(line).some(({ value }) => {
        const verdict = readSubnet(value);
        return "subnet" in verdict && isClientIn(request, verdict.subnet);
      }),
    ),
  host: (line, { request }) => grantedIf(requireWords(line).some(({ value }) => isClientNamed(request, value))),
  local: (_, { request }) => grantedIf(isLocal(request)),
  env: (line, { env }) => grantedIf(requireWords(line).some(({ value }) => env.has(value))),
  method: (line, { request }) => {
    const asked = request.method === "HEAD" ? "GET" : request.method;
    return grantedIf(requireWords(line).some(({ value }) => (value === "HEAD" ? "GET" : value) === asked));
  },
  expr: (line, state, user) => {
    const condition = line.directive.key === "require" ? conditionOf(line.directive) : conditionIn(line.rest);
    if (condition === undefined) return "denied";
    if (holdsFor(condition, state, user)) return "granted";
    return user === undefined && namesUser(condition) ? "no-user" : "denied";
  },
  ssl: (_, { request }) => grantedIf(request.scheme === "https"),
  "valid-user": (_, __, user) => (user === undefined ? "no-user" : "granted"),
  user: (line, _, user) => {
    if (user === undefined) return "no-user";
    return grantedIf(requireWords(line).some(({ value }) => value === user));
  },
  group: (line, state, user) => groupCheck(line, state, user, "authgroupfile", state.request.groups),
  "dbm-group": (line, state, user) => groupCheck(line, state, user, "authdbmgroupfile", state.request.dbmGroups),
  "file-owner": (_, state, user) => ownerCheck(state, user, "user", (name) => name === user),
  "file-group": (_, state, user) =>
    ownerCheck(
      state,
      user,
      "group",
      (name) => inForce(state, "authgroupfile") !== undefined && isAmong(name, state.request.groups),
    ),
  "dbm-file-group": (_, state, user) =>
    ownerCheck(
      state,
      user,
      "group",
      (name) => inForce(state, "authdbmgroupfile") !== undefined && isAmong(name, state.request.dbmGroups),
    ),
};

function isAmong(name: string, groups: readonly string[] = []): boolean {
  return groups.includes(name);
}

function ownerCheck(
  { files, filename = "", questions }: AccessState,
  user: string | undefined,
  whose: "user" | "group",
  fits: (name: string) => boolean,
): AuthzResult {
  if (user === undefined) return "no-user";
  const owner = files.ownerOf?.(filename);
  if (owner) return grantedIf(fits(owner[whose]));
  return grantedIf(questions.ask(`whether the ${whose} that owns \`${filename}\` fits`));
}

function groupCheck(
  line: RequireLine,
  state: AccessState,
  user: string | undefined,
  file: string,
  groups: readonly string[] = [],
): AuthzResult {
  if (user === undefined) return "no-user";
  if (inForce(state, file) === undefined) return "denied";
  return grantedIf(requireWords(line).some(({ value }) => groups.includes(value)));
}

/** What the provider of a Require line says. */
export function checkProvider(line: RequireLine, state: AccessState, user: string | undefined): AuthzResult {
  const meant = aliasesOf(state.project).get(line.provider) ?? line;
  const check = Object.hasOwn(checks, meant.provider) ? checks[meant.provider] : undefined;
  if (check) return check(meant, state, user);
  if (asksForUser(meant.provider) && user === undefined) return "no-user";
  return grantedIf(
    state.questions.ask(`whether \`Require ${meant.provider}${meant.rest && ` ${meant.rest}`}\` grants`),
  );
}

const aliases = new WeakMap<Project, ReadonlyMap<string, RequireLine>>();

/** The providers that AuthzProviderAlias sections define: of their words only the first for the provider counts. */
function aliasesOf(project: Project): ReadonlyMap<string, RequireLine> {
  const known = aliases.get(project);
  if (known) return known;
  const found = new Map<string, RequireLine>();
  for (const directive of project.directives) {
    const alias = directive.key === "<authzprovideralias" ? readAlias(directive) : undefined;
    if (alias) found.set(alias.name, alias.line);
  }
  aliases.set(project, found);
  return found;
}

function readAlias(directive: Directive): { readonly name: string; readonly line: RequireLine } | undefined {
  const [provider, name, rest] = directive.arguments;
  if (provider === undefined || name === undefined) return undefined;
  const value = rest?.value ?? "";
  const line: RequireLine = {
    kind: "require",
    directive,
    limits: [],
    negated: false,
    provider: provider.value,
    providerAt: provider,
    rest: value,
    restStart: rest?.start ?? directive.argumentText.length,
  };
  return { name: name.value, line };
}
