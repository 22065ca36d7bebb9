import {
  type AccessAnswer,
  type CompatRules,
  describeProbe,
  findCompatRulesWithout,
  findWitness,
  formatLineTitle,
  type Inspector,
  isCompatDirective,
  isSatisfyAny,
  listRequireLines,
  ownRulesOf,
  type ProbeContext,
  parseCompatRules,
  type RulesTransform,
} from "../../src/lint/api/access.js";
import { type Directive, findLimitAround, type Scope } from "../../src/lint/api/configuration.js";
import { defineRule, type Report } from "../../src/lint/api/rule.js";

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
        const reset = resetIn(situation);
        return reset && findReport(reset, situation, inspector);
      },
    },
  }),
});

/** A section whose mod_access_compat lines seem to refine inherited ones, but discard them. */
interface Reset {
  readonly own: CompatRules;
  /** The first line of the section. */
  readonly line: Directive;
  readonly dropped: readonly [Directive, ...Directive[]];
  /** The discarded lines, then those of the section. */
  readonly refined: CompatRules;
  /** Reads the rules as if the section refined the inherited ones. */
  readonly asRefined: RulesTransform;
  /** Reads the rules as if the section had no line of mod_access_compat. */
  readonly asOuter: RulesTransform;
}

function resetIn(situation: ProbeContext): Reset | undefined {
  const { compat, layer } = situation;
  const own = ownRulesOf(situation).compat;
  const [line] = own?.directives ?? [];
  const outer = findCompatRulesWithout(situation, layer);
  const [first, ...others] = own ? refinedBy(own, outer?.rules) : [];
  if (compat?.layer !== layer || !own || !line || !first) return undefined;
  const refined = parseCompatRules([first, ...others, ...own.directives]);
  if (refined === undefined) return undefined;
  const asRefined: RulesTransform = (rules) => ({ ...rules, compat: { ...compat, rules: refined } });
  return {
    own,
    line,
    dropped: [first, ...others],
    refined,
    asRefined,
    asOuter: (rules) => ({ ...rules, compat: outer }),
  };
}

/** A request that the section answers differently, and the discarded line that would decide it. */
interface Difference {
  readonly answer: AccessAnswer;
  readonly missed: Directive;
}

/** Prefers a request that the section allows; another may only be inconvenient. */
function findReport(reset: Reset, situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { own, line, dropped, asRefined, asOuter } = reset;
  const find = (read: RulesTransform, isWanted: (answer: AccessAnswer, missed: Directive | undefined) => boolean) =>
    findDifference(reset, situation, inspector, read, isWanted);
  const notRefined = find(asRefined, isAllowed);
  const opened =
    !notRefined && own.directives.every(isSatisfyAny)
      ? find(asOuter, (answer, missed) => isAllowed(answer) && missed !== undefined)
      : undefined;
  const found = notRefined ?? opened ?? find(asRefined, (answer) => !isAllowed(answer));
  if (found === undefined) return undefined;
  const { answer, missed } = found;
  return {
    severity: isAllowed(answer) ? "error" : "warning",
    message: opened ? messages.opened(line, missed, answer) : messages.notRefined(line, missed, answer),
    span: line.span,
    related: dropped.map(({ span }) => ({ message: labels.dropped, span })),
    witness: inspector.witness(answer),
  };
}

function isAllowed(answer: AccessAnswer): boolean {
  return answer.class === "allowed";
}

/** Finds a request that the section answers differently from other rules. @param read returns these rules */
function findDifference(
  { dropped, refined }: Reset,
  situation: ProbeContext,
  inspector: Inspector,
  read: RulesTransform,
  isWanted: (answer: AccessAnswer, missed: Directive | undefined) => boolean,
): Difference | undefined {
  const { method } = situation.request;
  const otherThan = ({ request }: AccessAnswer) => inspector.probe(situation, request, read);
  const missedBy = (other: AccessAnswer | undefined) => other?.decidedBy.find((line) => dropped.includes(line));
  const isDifference = (answer: AccessAnswer) => {
    const other = otherThan(answer);
    return other !== undefined && other.class !== answer.class && isWanted(answer, missedBy(other));
  };
  const lines = [...refined.directives, ...listRequireLines(situation)];
  // Limit sections apply to some methods, but discard inherited rules for all.
  const hasLimits = refined.directives.some((line) => findLimitAround(line) !== undefined);
  const methods = hasLimits ? [...new Set(["GET", method, "POST"])] : [method];
  const answer = findWitness(inspector, situation, lines, isDifference, methods);
  return answer && { answer, missed: missedBy(otherThan(answer)) ?? dropped[0] };
}

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
