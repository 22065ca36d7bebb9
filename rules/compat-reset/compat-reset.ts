import {
  type CompatRules,
  defineProbeRule,
  describeProbe,
  findCompatRulesWithout,
  findWitness,
  formatLineTitle,
  isCompatDirective,
  isSatisfyAny,
  listRequireLines,
  ownRulesOf,
  type ProbeAnswer,
  parseCompatRules,
  type RulesTransform,
} from "../../src/rule-api/access.js";
import { type Directive, findLimitAround, type Scope } from "../../src/rule-api/configuration.js";

const describeReset = (line: Directive, dropped: Directive, seen: ProbeAnswer) =>
  `${formatLineTitle(line)} does not refine the inherited ${formatLineTitle(dropped)} but drops it: a section with any of Order, Allow, Deny and Satisfy inherits none of them, so ${describeProbe(seen)}`;

const messages = {
  /** The section decides differently from the inherited lines refined by its own. */
  notRefined: (line: Directive, dropped: Directive, seen: ProbeAnswer) =>
    `${describeReset(line, dropped, seen)}; repeat here all that is to hold, or take the line out`,
  /** A Satisfy on its own discards the inherited lines, and a client is allowed. */
  opened: (line: Directive, dropped: Directive, seen: ProbeAnswer) =>
    `${describeReset(line, dropped, seen)}; take the line out`,
};

const labels = { dropped: "this is dropped" };

export const compatReset = defineProbeRule({
  id: "compat-reset",
  title: "A single old line that wipes those above",
  severity: "error",
  description:
    "A section with a part of Order, Allow, Deny and Satisfy, which drops what it inherits of them and seems to refine.",
  help: "mod_access_compat keeps the four as one: a section with any of them inherits none. A lone `Satisfy All`, `Allow from` or `Order` starts from the default, which is `Order deny,allow` with empty lists: everybody comes in. Repeat in the section all that is to hold there, or take the line out.",
  securitySeverity: 7,
  tags: ["upgrade", "access-control", "security"],
  supersedes: ["mixed-access-control", "old-access-control", "shadowed-rule"],
  applies: (scope, scopes) => isPartial(scope) && scopes.mayInherit(scope, "old"),
  messages,
  check(situation, inspector) {
    const { old, layer, request } = situation;
    const own = ownRulesOf(situation).old;
    const [line] = own?.directives ?? [];
    const outer = findCompatRulesWithout(situation, layer);
    const dropped = own ? refinedBy(own, outer?.rules) : [];
    const [first] = dropped;
    const refined = own && parseCompatRules([...dropped, ...own.directives]);
    if (!old || !line || !first || !refined || old.layer !== layer) return undefined;
    const asRefined: RulesTransform = (rules) => ({ ...rules, old: { ...old, rules: refined } });
    const asOuter: RulesTransform = (rules) => ({ ...rules, old: outer });
    const lines = [...refined.directives, ...listRequireLines(situation)];
    // Limit sections apply to some methods, but discard inherited rules for all.
    const hasLimits = refined.directives.some((each) => findLimitAround(each) !== undefined);
    const methods = hasLimits ? [...new Set(["GET", request.method, "POST"])] : [request.method];
    let missed = first;
    const isOtherwise = (isLetIn: boolean, read: RulesTransform, isMissed: (by: Directive | undefined) => boolean) =>
      findWitness(
        inspector,
        situation,
        lines,
        (each) => {
          const other = inspector.probe(situation, each.request, read);
          const by = other?.by.find((one) => dropped.includes(one));
          missed = by ?? first;
          if (other === undefined || other.class === each.class || !isMissed(by)) return false;
          return (each.class === "allowed") === isLetIn;
        },
        methods,
      );
    const openedBySatisfy = () =>
      own.directives.every(isSatisfyAny) ? isOtherwise(true, asOuter, (by) => by !== undefined) : undefined;
    const refinedIn = isOtherwise(true, asRefined, () => true);
    const letIn = refinedIn ?? openedBySatisfy();
    const seen = letIn ?? isOtherwise(false, asRefined, () => true);
    return (
      seen && {
        severity: letIn ? ("error" as const) : ("warning" as const),
        message: letIn && !refinedIn ? messages.opened(line, missed, seen) : messages.notRefined(line, missed, seen),
        span: line.span,
        related: dropped.map(({ span }) => ({ message: labels.dropped, span })),
        witness: inspector.witness(seen),
      }
    );
  },
});

/** Returns whether a scope has an incomplete set of mod_access_compat directives. */
function isPartial({ directives }: Scope): boolean {
  const own = directives.filter(isCompatDirective);
  return own.length > 0 && !(saysHosts(own) && own.some(({ key }) => key === "satisfy"));
}

/** Returns whether lines fully set the access by address: an Order with a list, or all addresses. */
function saysHosts(lines: readonly Directive[]): boolean {
  const has = (key: string) => lines.some((each) => each.key === key);
  return (has("order") && (has("allow") || has("deny"))) || lines.some(isForAll);
}

function isForAll(line: Directive): boolean {
  const isList = line.key === "allow" || line.key === "deny";
  return isList && /^from\s+all\s*$/i.test(line.argumentText) && findLimitAround(line) === undefined;
}

/** Returns whether lines deny everybody; a Satisfy beside them is then meant to lift that. */
function keepsAllOut(lines: readonly Directive[]): boolean {
  return lines.every(({ key }) => key !== "allow") && lines.some((each) => each.key === "deny" && isForAll(each));
}

/**
 * Returns the inherited lines that a section seems to refine: only Satisfy if its host rules are complete, else all.
 */
function refinedBy(own: CompatRules, outer: CompatRules | undefined): readonly Directive[] {
  if (outer === undefined || keepsAllOut(own.directives)) return [];
  return saysHosts(own.directives) ? outer.satisfies.map(({ directive }) => directive) : outer.directives;
}
