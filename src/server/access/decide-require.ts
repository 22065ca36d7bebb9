import type { Directive } from "../../config/model/directive.js";
import { memoize } from "../../text/memoize.js";
import type { Request } from "../model/request.js";
import { type AccessState, includesMethod } from "./access-state.js";
import type { RequireSet } from "./merge.js";
import { checkProvider } from "./provider-checks.js";
import type { RequireLine, RequireRule } from "./require-rules.js";

/**
 * The result of a Require rule: `no-user` if a user must be authenticated first, `neutral` if it does not apply,
 * `error` if it fails, which ends the evaluation.
 */
export type AuthzResult = "granted" | "denied" | "no-user" | "neutral" | "error";

export interface RequireDecision {
  readonly result: AuthzResult;
  /** The deciding Require lines. */
  readonly by: readonly Directive[];
}

/** A rule as mod_authz_core evaluates it: containers with the same operator as their parent are flattened. */
type RequireNode =
  | RequireLine
  | { readonly kind: "and" | "or"; readonly negated: boolean; readonly members: readonly RequireNode[] };

/**
 * Evaluates the Require rules that apply (modules/aaa/mod_authz_core.c `apply_authz_sections`).
 *
 * @param user undefined before authentication, and if nobody is authenticated
 */
export function decideByRequire(set: RequireSet, state: AccessState, user: string | undefined): RequireDecision {
  return decideByRequireWith(set, state.request, (line) => checkProvider(line, state, user));
}

/**
 * Evaluates Require rules with a custom check for the providers.
 *
 * @param check the result of a line's provider
 */
export function decideByRequireWith(set: RequireSet, request: Request, check: CheckLine): RequireDecision {
  return new Evaluation(request, check).node(treeOf(set), "and");
}

/** Reports whether Require rules apply to the request's method. */
export function appliesToMethod(set: RequireSet, request: Request): boolean {
  return isForMethodOf(treeOf(set), request);
}

const treeOf: (set: RequireSet) => RequireNode = memoize((set) =>
  set.kind === "section"
    ? { kind: "or", negated: false, members: set.rules.flatMap((rule) => nodesOf(rule, "or")) }
    : { kind: set.operator, negated: false, members: [treeOf(set.first), treeOf(set.second)] },
);

function nodesOf(rule: RequireRule, outer: "and" | "or"): readonly RequireNode[] {
  if (rule.kind === "require") return [rule];
  const kind = rule.kind === "all" ? "and" : "or";
  const negated = rule.kind === "none";
  const members = rule.rules.flatMap((each) => nodesOf(each, kind));
  return !negated && kind === outer ? members : [{ kind, negated, members }];
}

/** Reports whether a rule applies to the method. A container applies to the methods of all its contents. */
function isForMethodOf(node: RequireNode, request: Request): boolean {
  if (node.kind === "require") return includesMethod(node.limits, request);
  return node.members.some((member) => isForMethodOf(member, request));
}

type CheckLine = (line: RequireLine) => AuthzResult;

class Evaluation {
  constructor(
    private readonly request: Request,
    private readonly check: CheckLine,
  ) {}

  node(node: RequireNode, outer: "and" | "or"): RequireDecision {
    if (!isForMethodOf(node, this.request)) return { result: outer === "and" ? "granted" : "neutral", by: [] };
    return negate(node.negated, this.inside(node));
  }

  private inside(node: RequireNode): RequireDecision {
    if (node.kind === "require") return { result: this.check(node), by: [node.directive] };
    return node.kind === "and" ? this.all(node.members) : this.any(node.members);
  }

  private all(members: readonly RequireNode[]): RequireDecision {
    let sum: RequireDecision = { result: "neutral", by: [] };
    for (const member of members) {
      const { result, by } = this.node(member, "and");
      if (result === "denied" || result === "error") return { result, by };
      if (result === "neutral") continue;
      if (result === "no-user" && sum.result !== "no-user") sum = { result, by };
      else if (sum.result === result || sum.result === "neutral") sum = { result, by: [...sum.by, ...by] };
    }
    return sum;
  }

  private any(members: readonly RequireNode[]): RequireDecision {
    let sum: RequireDecision = { result: "neutral", by: [] };
    for (const member of members) {
      const { result, by } = this.node(member, "or");
      if (result === "granted" || result === "error") return { result, by };
      if (result === "neutral") continue;
      if (result === "no-user" && sum.result === "denied") sum = { result, by };
      else if (sum.result === result || sum.result === "neutral") sum = { result, by: [...sum.by, ...by] };
    }
    return sum;
  }
}

function negate(isNegated: boolean, decision: RequireDecision): RequireDecision {
  const { result, by } = decision;
  if (!isNegated || result === "error") return decision;
  return { result: result === "granted" ? "denied" : "neutral", by };
}
