import type { Directive } from "../../config/model/directive.js";
import { memoize } from "../../text/memoize.js";
import { type Predicate, predicateOfVariable } from "../model/dependency-tracker.js";
import { type AccessState, includesMethod } from "./access-state.js";
import { clientNamePredicateOf, hasClientName, isClientInNetwork } from "./clients-and-methods.js";
import type { ClientMatch, CompatRules, HostRule, Ordering } from "./compat-rules.js";

export interface OrderDecision {
  readonly allowed: boolean;
  readonly ordering: Ordering;
  /** The deciding directives: the last match, else the Order that sets the default. */
  readonly by: readonly Directive[];
  /** Whether no line matches, so that the default of the Order decides. */
  readonly isDefault: boolean;
}

/** The inputs of Order, Allow and Deny. */
type ClientState = Pick<AccessState, "request" | "env">;

/** Evaluates Order, Allow and Deny for a request (modules/aaa/mod_access_compat.c `check_dir_access`). */
export function decideByOrder(rules: CompatRules, state: ClientState): OrderDecision {
  const order = rules.orders.findLast(({ limits }) => includesMethod(limits, state.request));
  const ordering = order?.ordering ?? "deny,allow";
  const allow = findMatch(rules, "allow", state);
  // Lines that the server does not evaluate do not need a host name lookup either.
  const deny = ordering === "mutual-failure" && allow === undefined ? undefined : findMatch(rules, "deny", state);
  const defaultLines = order ? [order.directive] : rules.directives.slice(0, 1);
  const deciding = ordering === "deny,allow" ? (allow ?? deny) : (deny ?? allow);
  const by = deciding ? [deciding.directive] : defaultLines;
  const isDefault = deciding === undefined;
  switch (ordering) {
    case "deny,allow":
      return { allowed: allow !== undefined || deny === undefined, ordering, by, isDefault };
    case "allow,deny":
    case "mutual-failure":
      return { allowed: allow !== undefined && deny === undefined, ordering, by, isDefault };
  }
}

function findMatch(rules: CompatRules, list: HostRule["list"], state: ClientState): HostRule | undefined {
  const { request } = state;
  const appliesTo = (rule: HostRule) => rule.list === list && includesMethod(rule.limits, request);
  const found = rules.hosts.find((rule) => appliesTo(rule) && matches(rule.match, state));
  request.tracker?.recordPredicate(
    { kind: "any", of: rules.hosts.filter(appliesTo).map(({ match }) => predicateOf(match, state)) },
    !!found,
  );
  return found;
}

/** Returns the predicate that an argument of Allow or Deny reads. */
function predicateOf(match: ClientMatch, { env }: ClientState): Predicate {
  switch (match.kind) {
    case "all":
      return always;
    case "env": {
      const predicate = predicateOfVariable(env, match.name.toLowerCase());
      return match.negated ? { kind: "not", of: predicate } : predicate;
    }
    case "ip":
      return networkPredicateOf(match);
    case "host":
      return clientNamePredicateOf(match.name);
  }
}

const always: Predicate = { kind: "constant", value: true };

const networkPredicateOf = memoize(
  ({ subnet }: Extract<ClientMatch, { kind: "ip" }>): Predicate => ({ kind: "address", subnet }),
);

function matches(match: ClientMatch, { request, env }: ClientState): boolean {
  switch (match.kind) {
    case "all":
      return true;
    case "env":
      return env.has(match.name.toLowerCase()) !== match.negated;
    case "ip":
      return isClientInNetwork(request, match.subnet);
    case "host":
      return hasClientName(request, match.name);
  }
}
