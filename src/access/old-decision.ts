import type { Directive } from "../project/directive.js";
import { lookAtVariable } from "../scope/brought-environment.js";
import type { Look } from "../scope/looks.js";
import { Once } from "../scope/once.js";
import { isClientIn, isClientNamed } from "./clients.js";
import type { HostRule, OldMatch, OldRules, Ordering } from "./old-rules.js";
import { type AccessState, isForMethod } from "./state.js";

export interface OldDecision {
  readonly allowed: boolean;
  readonly ordering: Ordering;
  /** The lines that decide: what matched last, else the Order that sets the default. */
  readonly by: readonly Directive[];
}

/** All that old rules look at. */
type ClientState = Pick<AccessState, "request" | "env">;

/** What old rules say to a request (modules/aaa/mod_access_compat.c `check_dir_access`). */
export function decideOld(rules: OldRules, state: ClientState): OldDecision {
  const order = rules.orders.findLast(({ limits }) => isForMethod(limits, state.request));
  const ordering = order?.ordering ?? "deny,allow";
  const allow = matching(rules, "allow", state);
  // What the server does not look at asks for no name either.
  const deny = ordering === "mutual-failure" && allow === undefined ? undefined : matching(rules, "deny", state);
  const otherwise = order ? [order.directive] : rules.directives.slice(0, 1);
  const deciding = ordering === "deny,allow" ? (allow ?? deny) : (deny ?? allow);
  const by = deciding ? [deciding.directive] : otherwise;
  switch (ordering) {
    case "deny,allow":
      return { allowed: allow !== undefined || deny === undefined, ordering, by };
    case "allow,deny":
    case "mutual-failure":
      return { allowed: allow !== undefined && deny === undefined, ordering, by };
  }
}

function matching(rules: OldRules, list: HostRule["list"], state: ClientState): HostRule | undefined {
  const { request } = state;
  const isMeant = (rule: HostRule) => rule.list === list && isForMethod(rule.limits, request);
  const found = rules.hosts.find((rule) => isMeant(rule) && matches(rule.match, state));
  request.looks?.at({ kind: "any", of: rules.hosts.filter(isMeant).map(({ match }) => lookOf(match, state)) }, !!found);
  return found;
}

/** What a word of an Allow or Deny line looks at. */
function lookOf(match: OldMatch, { env }: ClientState): Look {
  switch (match.kind) {
    case "all":
      return always;
    case "env": {
      const look = lookAtVariable(env, match.name.toLowerCase());
      return match.negated ? { kind: "not", of: look } : look;
    }
    case "ip":
      return looksAtNetworks.of(match);
    case "host":
      return { kind: "host", name: match.name };
  }
}

const always: Look = { kind: "constant", value: true };

const looksAtNetworks = new Once(
  ({ subnet }: Extract<OldMatch, { kind: "ip" }>): Look => ({ kind: "address", subnet }),
);

function matches(match: OldMatch, { request, env }: ClientState): boolean {
  switch (match.kind) {
    case "all":
      return true;
    case "env":
      return env.has(match.name.toLowerCase()) !== match.negated;
    case "ip":
      return isClientIn(request, match.subnet);
    case "host":
      return isClientNamed(request, match.name);
  }
}
