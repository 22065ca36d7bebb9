import {
  type AccessAnswer,
  type CompatRules,
  describeProbe,
  findCompatRulesWithout,
  findWitness,
  formatLineTitle,
  isCompatDirective,
  isSatisfyAny,
  listRequireLines,
  ownRulesOf,
  parseCompatRules,
  type RulesTransform,
} from "../../src/lint/api/access.js";
import { type Directive, findLimitAround, type Scope } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const describeReset = (line: Directive, dropped: Directive, answer: AccessAnswer) => ({
  message: `${formatLineTitle(line)} discards the inherited ${formatLineTitle(dropped)}`,
  notes: ["a section with any of Order, Allow, Deny and Satisfy inherits none of them", describeProbe(answer)],
});

const messages = {
  /** The section decides differently from the inherited lines refined by its own. */
  notRefined: (line: Directive, dropped: Directive, answer: AccessAnswer) => ({
    ...describeReset(line, dropped, answer),
    help: [
      "repeat the inherited lines in this section",
      // An Allow or Deny names clients, which deletion would lose.
      ...(line.key === "order" || line.key === "satisfy" ? [`to inherit them, delete ${formatLineTitle(line)}`] : []),
    ],
  }),
  /** A section with Satisfy only allows a client without the inherited lines. */
  opened: (line: Directive, dropped: Directive, answer: AccessAnswer) => ({
    ...describeReset(line, dropped, answer),
    help: [`repeat the inherited lines in this section, or delete ${formatLineTitle(line)}`],
  }),
};

const labels = { dropped: "discarded" };

export const compatReset = defineRule({
  id: "compat-reset",
  title: "Inherited access rules discarded",
  group: "access",
  severity: "error",
  description:
    "A section with only some of Order, Allow, Deny and Satisfy seems to refine the inherited ones, but discards them.",
  help: "mod_access_compat treats the four directives as one setting: a section with any of them inherits none. A section with only `Satisfy All`, `Allow from` or `Order` starts from the default, `Order deny,allow` with empty lists, which allows every client. Repeat the inherited lines in the section, or delete the line.",
  securitySeverity: 7,
  references: { cwe: [863] },
  tags: ["upgrade", "access-control", "security"],
  supersedes: ["mixed-access-control", "old-access-control", "open-allow-list", "shadowed-rule"],
  messages,
  check: () => ({
    probe: {
      applies: (scope, scopes) => isPartial(scope) && scopes.mayInherit(scope, "compat"),
      check(situation, inspector) {
        const { compat, layer, request } = situation;
        const own = ownRulesOf(situation).compat;
        const [line] = own?.directives ?? [];
        const outer = findCompatRulesWithout(situation, layer);
        const dropped = own ? refinedBy(own, outer?.rules) : [];
        const [first] = dropped;
        const refined = own && parseCompatRules([...dropped, ...own.directives]);
        if (!compat || !line || !first || !refined || compat.layer !== layer) return undefined;
        const asRefined: RulesTransform = (rules) => ({ ...rules, compat: { ...compat, rules: refined } });
        const asOuter: RulesTransform = (rules) => ({ ...rules, compat: outer });
        const lines = [...refined.directives, ...listRequireLines(situation)];
        // Limit sections apply to some methods, but discard inherited rules for all.
        const hasLimits = refined.directives.some((each) => findLimitAround(each) !== undefined);
        const methods = hasLimits ? [...new Set(["GET", request.method, "POST"])] : [request.method];
        let missed = first;
        const findDifferent = (
          isAllowed: boolean,
          read: RulesTransform,
          isMissed: (by: Directive | undefined) => boolean,
        ) =>
          findWitness(
            inspector,
            situation,
            lines,
            (each) => {
              const other = inspector.probe(situation, each.request, read);
              const by = other?.decidedBy.find((one) => dropped.includes(one));
              missed = by ?? first;
              if (other === undefined || other.class === each.class || !isMissed(by)) return false;
              return (each.class === "allowed") === isAllowed;
            },
            methods,
          );
        const openedBySatisfy = () =>
          own.directives.every(isSatisfyAny) ? findDifferent(true, asOuter, (by) => by !== undefined) : undefined;
        const refinedIn = findDifferent(true, asRefined, () => true);
        const allowed = refinedIn ?? openedBySatisfy();
        const answer = allowed ?? findDifferent(false, asRefined, () => true);
        return (
          answer && {
            severity: allowed ? ("error" as const) : ("warning" as const),
            message:
              allowed && !refinedIn ? messages.opened(line, missed, answer) : messages.notRefined(line, missed, answer),
            span: line.span,
            related: dropped.map(({ span }) => ({ message: labels.dropped, span })),
            witness: inspector.witness(answer),
          }
        );
      },
    },
  }),
});

/** Returns whether a scope has an incomplete set of mod_access_compat directives. */
function isPartial({ directives }: Scope): boolean {
  const own = directives.filter(isCompatDirective);
  return own.length > 0 && !(hasHostRules(own) && own.some(({ key }) => key === "satisfy"));
}

/** Returns whether lines fully set the access by address: an Order with a list, or all addresses. */
function hasHostRules(lines: readonly Directive[]): boolean {
  const has = (key: string) => lines.some((each) => each.key === key);
  return (has("order") && (has("allow") || has("deny"))) || lines.some(isForAll);
}

function isForAll(line: Directive): boolean {
  const isList = line.key === "allow" || line.key === "deny";
  return isList && /^from\s+all\s*$/i.test(line.argumentText) && findLimitAround(line) === undefined;
}

/** Returns whether lines deny every client; a Satisfy beside them is then intended to override that. */
function deniesAllClients(lines: readonly Directive[]): boolean {
  return lines.every(({ key }) => key !== "allow") && lines.some((each) => each.key === "deny" && isForAll(each));
}

/**
 * Returns the inherited lines that a section seems to refine: only Satisfy if its host rules are complete, else all.
 */
function refinedBy(own: CompatRules, outer: CompatRules | undefined): readonly Directive[] {
  if (outer === undefined || deniesAllClients(own.directives)) return [];
  return hasHostRules(own.directives) ? outer.satisfies.map(({ directive }) => directive) : outer.directives;
}
