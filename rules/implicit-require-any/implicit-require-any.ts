import {
  checksClientOnly,
  isSatisfyAny,
  lacksRequire,
  type RequireLine,
  type RequireRule,
  requireArgumentsOf,
  requireRulesOf,
  requiresUser,
} from "../../src/rule-api/access.js";
import { findLimitAround, type Scope } from "../../src/rule-api/configuration.js";
import { defineRule, toReadable } from "../../src/rule-api/rule.js";

const messages = {
  grantsAll: (open: RequireLine, other: RequireRule) =>
    `${titleOf(open)} lets everybody in, so ${titleOf(other)} beside it decides nothing: side by side either is enough; take out the one that is not meant`,
  needsNoUser: (open: RequireLine, other: RequireRule) =>
    `${titleOf(open)} lets in by itself, without the user that ${titleOf(other)} asks for: side by side either is enough; write \`<RequireAll>\` around them if both are meant, \`<RequireAny>\` if not`,
};

const labels = { noEffect: "this decides nothing", user: "the user is asked for here" };

export const implicitRequireAny = defineRule({
  id: "implicit-require-any",
  title: "A Require that lets in by itself",
  severity: "warning",
  description:
    "Require lines side by side of which one lets in without the user, or without anything, that the others ask for.",
  help: "Require lines that stand in a section without a container count as if inside RequireAny: an address alone lets in and no password is asked, and with `Require all granted` the others decide nothing. If all are meant, wrap them in RequireAll; if one is enough, say so with RequireAny.",
  securitySeverity: 5,
  tags: ["access-control", "security"],
  supersedes: ["shadowed-rule"],
  messages,
  check: ({ project, release, report }) => ({
    scope: {
      holding: ["require"],
      visit(scope) {
        // The top level of a fragment may be inside a container; at server level, Require is misplaced.
        if (release !== "2.4" || elsewhere.has(scope.place) || lacksRequire(project)) return;
        const rules = requireRulesOf(scope).filter((rule) => !takesAway(rule));
        if (rules.length < 2 || saysAny(scope)) return;
        const [open, other] = openPair(rules) ?? [];
        if (open === undefined || other === undefined) return;
        const isGrant = grants(open);
        report({
          // A client is allowed that the other line is meant to deny.
          ...(isGrant ? { severity: "error" } : {}),
          message: isGrant ? messages.grantsAll(open, other) : messages.needsNoUser(open, other),
          span: open.directive.span,
          related: [{ message: isGrant ? labels.noEffect : labels.user, span: other.directive.span }],
        });
      },
    },
  }),
});

const elsewhere: ReadonlySet<string> = new Set(["unknown", "server", "virtualhost"]);

/** Returns a line that grants access on its own, with the first sibling that has no effect because of it. */
function openPair(rules: readonly RequireRule[]): readonly [RequireLine, RequireRule] | undefined {
  const lines = rules.filter(isLine);
  for (const grant of lines.filter(grants)) {
    const limit = findLimitAround(grant.directive);
    // A grant for some methods and a requirement for all others are both effective.
    const other = rules.find(
      (rule) => !(isLine(rule) && grants(rule)) && (limit === undefined || limit === findLimitAround(rule.directive)),
    );
    if (other) return [grant, other];
  }
  for (const open of lines.filter(needsNoUser)) {
    const user = lines.find((line) => requiresUser(line.provider) && sharesMethods(open, line));
    if (user) return [open, user];
  }
  return undefined;
}

/** Returns whether a rule cannot allow anybody, so that the server rejects it here. */
function takesAway(rule: RequireRule): boolean {
  return rule.kind === "none" || (rule.kind === "require" && rule.negated);
}

function isLine(rule: RequireRule): rule is RequireLine {
  return rule.kind === "require";
}

function grants({ provider, rest }: RequireLine): boolean {
  return provider === "all" && rest.toLowerCase() === "granted";
}

/** Returns whether a line may allow a client without a password. */
function needsNoUser(line: RequireLine): boolean {
  switch (line.provider) {
    case "expr":
      return !/REMOTE_USER|Authorization/i.test(line.rest);
    case "method":
      // Browsers send OPTIONS before they send a password: both lines are intended.
      return requireArgumentsOf(line).some((word) => word.value !== "OPTIONS");
    default:
      return checksClientOnly(line.provider);
  }
}

/** `Satisfy any` states that either one is sufficient. */
function saysAny(scope: Scope): boolean {
  return scope.directives.some(isSatisfyAny);
}

/**
 * Returns whether two lines may apply to the same request. Different Limit sections are assumed to apply to different
 * requests.
 */
function sharesMethods(one: RequireLine, other: RequireLine): boolean {
  const [a, b] = [findLimitAround(one.directive), findLimitAround(other.directive)];
  return a === undefined || b === undefined || a === b;
}

function titleOf(rule: RequireRule): string {
  if (!isLine(rule)) return `\`${rule.directive.name}>\``;
  const rest = toReadable(rule.rest);
  return `\`Require ${`${rule.provider} ${rest.length > 40 ? `${rest.slice(0, 39)}…` : rest}`.trim()}\``;
}
