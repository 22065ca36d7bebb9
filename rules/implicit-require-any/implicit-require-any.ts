import {
  checksClientOnly,
  isSatisfyAny,
  lacksRequire,
  type RequireLine,
  type RequireRule,
  requireArgumentsOf,
  requireRulesOf,
  requiresUser,
} from "../../src/lint/api/access.js";
import { findLimitAround, type Scope } from "../../src/lint/api/configuration.js";
import { defineRule, shortenText, toReadable } from "../../src/lint/api/rule.js";

const ALTERNATIVES = "sibling `Require` lines are alternatives (RequireAny)";

const messages = {
  grantsAll: (open: RequireLine, other: RequireRule) => ({
    message: `${titleOf(open)} overrides ${titleOf(other)}`,
    notes: [ALTERNATIVES, `every client is allowed, so ${titleOf(other)} has no effect`],
    help: ["delete the line that is not intended"],
  }),
  needsNoUser: (open: RequireLine, other: RequireRule) => ({
    message: `${titleOf(open)} grants access without a login`,
    notes: [ALTERNATIVES, `clients that match it do not need the user of ${titleOf(other)}`],
    help: ["if both must match, wrap them in `<RequireAll>`", "if one is enough, wrap them in `<RequireAny>`"],
  }),
};

const labels = { noEffect: "has no effect", user: "the user is required here" };

export const implicitRequireAny = defineRule({
  id: "implicit-require-any",
  title: "Sibling Require lines are alternatives",
  group: "access",
  severity: "warning",
  description: "A Require line allows clients without the user that a sibling line requires, or allows every client.",
  help: "Require lines without a container work as if inside RequireAny. An address that matches is enough, without a password. With `Require all granted`, the other lines have no effect. If all must match, wrap them in RequireAll. If one is enough, wrap them in RequireAny to show it.",
  securitySeverity: 5,
  references: { cwe: [863] },
  tags: ["access-control", "security"],
  supersedes: ["shadowed-rule"],
  messages,
  check: ({ project, release, report }) => ({
    scope: {
      holding: ["require"],
      visit(scope) {
        // The top level of a fragment may be inside a container; at server level, Require is misplaced.
        if (release !== "2.4" || elsewhere.has(scope.place) || lacksRequire(project)) return;
        const rules = requireRulesOf(scope).filter((rule) => !neverAllows(rule));
        if (rules.length < 2 || hasSatisfyAny(scope)) return;
        const [open, other] = openPair(rules) ?? [];
        if (open === undefined || other === undefined) return;
        const isGrant = grants(open);
        report({
          // This line allows a client that the other one is intended to deny.
          ...(isGrant ? { severity: "error" } : {}),
          message: isGrant ? messages.grantsAll(open, other) : messages.needsNoUser(open, other),
          span: open.directive.span,
          mayAllow: true,
          related: [{ message: isGrant ? labels.noEffect : labels.user, span: other.directive.span }],
          ...(isGrant ? { covers: rules.map(({ directive }) => directive.span) } : {}),
        });
      },
      passesAlikeHosts: true,
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

/** Returns whether a rule cannot allow a client, so that the server rejects it here. */
function neverAllows(rule: RequireRule): boolean {
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
    case "host":
      // `never-matching-name` reports these: httpd compares the `*` literally.
      return requireArgumentsOf(line).some((word) => !word.value.includes("*"));
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
function hasSatisfyAny(scope: Scope): boolean {
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
  return `\`Require ${`${rule.provider} ${shortenText(toReadable(rule.rest), 40)}`.trim()}\``;
}
