import {
  type AccessAnswer,
  describeProbe,
  describeRequest,
  findWitness,
  formatLineTitle,
  type Inspector,
  includesMethod,
  limitsOf,
  type ProbeContext,
  requireLinesOf,
} from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule, type Report } from "../../src/lint/api/rule.js";
import { chooseProbedMethods, findLimits, listRulesIn } from "./limit-sections.js";

const messages = {
  methodOpen: (limit: Directive, open: AccessAnswer, kept: AccessAnswer) => ({
    message: `${formatLineTitle(limit)} does not restrict ${open.request.method} requests`,
    notes: [`${describeRequest(open.request)} is allowed`, describeProbe(kept)],
    help: [
      "move the lines out of the section to apply them to every method",
      "or use `<LimitExcept>` with the methods to leave open",
    ],
  }),
};

const labels = { limited: "applies to these methods only" };

export const limitLeavesMethodsOpen = defineRule({
  id: "limit-leaves-methods-open",
  title: "Limit section leaves other methods open",
  group: "exposure",
  severity: "warning",
  description:
    "Access control in `<Limit GET POST>` or similar that a request with another method bypasses. No other rule denies that request.",
  help: "A Limit section applies only to the methods that it names. A server answers more methods than these: POST returns a file as GET does, and a program runs for PUT, PATCH or an invented method. Move the lines out of the Limit section to apply them to every method. Or use `<LimitExcept>` with the methods to leave open.",
  securitySeverity: 7,
  references: { cis: ["5.7"], cwe: [650] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    probe: {
      releases: ["2.2", "2.4"],
      applies: (scope) => findLimits(scope).length > 0,
      check(situation, inspector) {
        for (const limit of findLimits(situation.scope)) {
          const report = findOpenMethod(limit, situation, inspector);
          if (report) return report;
        }
        return undefined;
      },
    },
  }),
});

/** Reports a client that a Limit section denies with a method that it names, and that is allowed with another. */
function findOpenMethod(limit: Directive, situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { compat, require, scope } = situation;
  const ask = chooseProbedMethods(limit);
  if (!ask) return undefined;
  const { named, others, mayBeOff } = ask;
  const lines = [...(compat?.rules.directives ?? []), ...(require ? requireLinesOf(require) : [])];
  const own = new Set(listRulesIn(limit, scope.directives));
  if (!lines.some((each) => own.has(each))) return undefined;
  let open: AccessAnswer | undefined;
  const kept = findWitness(
    inspector,
    situation,
    lines,
    (answer) => {
      // Users may have their own rules in addition to those for every client.
      const isDenied = answer.request.user === undefined && (answer.class === "401" || answer.class === "403");
      if (!isDenied || !answer.decidedBy.some((each) => own.has(each))) return false;
      open = findGrantingLine(others, answer, situation, inspector);
      return open !== undefined;
    },
    [named],
  );
  if (!kept || !open) return undefined;
  if (mayBeOff && !findWitness(inspector, situation, lines, ({ isAuthorized }) => isAuthorized, [named]))
    return undefined;
  return {
    message: messages.methodOpen(limit, open, kept),
    span: limit.span,
    related: kept.decidedBy
      .filter((line) => own.has(line))
      .map((line) => ({ message: labels.limited, span: line.span })),
    witness: inspector.witness(open),
  };
}

function findGrantingLine(
  methods: readonly string[],
  { request }: AccessAnswer,
  situation: ProbeContext,
  inspector: Inspector,
) {
  for (const method of methods) {
    const answer = inspector.probe(situation, { ...request, method });
    if (answer?.isAuthorized && !answer.decidedBy.some((each) => isIntendedFor(each, answer))) return answer;
  }
  return undefined;
}

/**
 * Returns whether a line is in a Limit or LimitExcept section for the method of a request: it then allows the method on
 * purpose.
 */
function isIntendedFor(line: Directive, { request }: AccessAnswer): boolean {
  const limits = limitsOf(line);
  return limits.length > 0 && includesMethod(limits, request);
}
