import {
  checksClientOnly,
  isSatisfyAny,
  lacksRequire,
  limitsInclude,
  type RequireLine,
  type RequireRule,
  requireArgumentsOf,
  requireRulesOf,
  requiresUser,
} from "../../src/lint/api/access.js";
import { type Directive, findLimitAround, isSince, type Scope } from "../../src/lint/api/configuration.js";
import { defineRule, shortenText, toReadable } from "../../src/lint/api/rule.js";

const ALTERNATIVES = "sibling `Require` lines are alternatives (RequireAny)";

const messages = {
  grantsAll: (open: RequireLine, other: RequireRule) => ({
    message: `${titleOf(open)} is enough, so that ${titleOf(other)} has no effect`,
    notes: [ALTERNATIVES, "every client is allowed"],
    help: [
      `to restrict access, delete ${titleOf(open)}`,
      `if every client may have access, delete ${titleOf(other)} instead`,
    ],
  }),
  needsNoUser: (open: RequireRule, other: RequireRule) => ({
    message: `${titleOf(open)} grants access without a login`,
    notes: [ALTERNATIVES, `clients that match it do not need the user of ${titleOf(other)}`],
    help: ["if both must match, wrap them in `<RequireAll>`", "if one is enough, wrap them in `<RequireAny>`"],
  }),
  anyUser: ({ open, other, limit }: AnyUserPair) => ({
    message: `\`Require valid-user\` allows every user here, not only ${titleOf(other)}`,
    notes: [
      ALTERNATIVES,
      `${titleOf(other)} is outside of \`${limit.name}>\`, so it applies to every method, such as GET`,
    ],
    help: [
      `to allow only these users, replace ${titleOf(open)} with ${titleOf(other)}`,
      `if other methods need no login, delete ${titleOf(other)} outside of \`${limit.name}>\``,
    ],
  }),
};

const labels = {
  noEffect: "has no effect",
  user: "the user is required here",
  everyMethod: "applies to every method",
};

export const implicitRequireAny = defineRule({
  id: "implicit-require-any",
  title: "Sibling Require lines are alternatives",
  group: "access",
  severity: "warning",
  description:
    "A Require line or section allows clients without the user that a sibling requires, or allows every client.",
  help: "Require lines and sections without a container work as if inside RequireAny. An address that matches is enough, without a password. With `Require all granted`, the other lines have no effect. If all must match, wrap them in RequireAll. If one is enough, wrap them in RequireAny to show it.",
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
        if (!isSince(release, "2.4") || elsewhere.has(scope.place) || lacksRequire(project)) return;
        const rules = requireRulesOf(scope).filter((rule) => !neverAllows(rule));
        if (rules.length < 2 || hasSatisfyAny(scope)) return;
        const pair = findPair(rules);
        if (pair === undefined) return;
        const { open, other } = pair;
        report({
          // A grant allows each client that the other one is intended to deny.
          ...(pair.kind === "grant" ? { severity: "error" } : {}),
          message: messageOf(pair),
          span: open.directive.span,
          mayAllow: true,
          related: [{ message: relatedLabels[pair.kind], span: other.directive.span }],
          ...(pair.kind === "grant" ? { covers: rules.map(({ directive }) => directive.span) } : {}),
        });
      },
      passesAlikeHosts: true,
    },
  }),
});

const elsewhere: ReadonlySet<string> = new Set(["unknown", "server", "virtualhost"]);

/** A rule that is enough on its own, and a sibling that it bypasses. */
type Pair =
  | { readonly kind: "grant"; readonly open: RequireLine; readonly other: RequireRule }
  | { readonly kind: "no user"; readonly open: RequireRule; readonly other: RequireRule }
  | AnyUserPair;

/** Any user in a Limit section, and some users outside of it. */
interface AnyUserPair {
  readonly kind: "any user";
  readonly open: RequireLine;
  readonly other: RequireLine;
  readonly limit: Directive;
}

const relatedLabels: Readonly<Record<Pair["kind"], string>> = {
  grant: labels.noEffect,
  "no user": labels.user,
  "any user": labels.everyMethod,
};

function messageOf(pair: Pair) {
  switch (pair.kind) {
    case "grant":
      return messages.grantsAll(pair.open, pair.other);
    case "no user":
      return messages.needsNoUser(pair.open, pair.other);
    case "any user":
      return messages.anyUser(pair);
  }
}

function findPair(rules: readonly RequireRule[]): Pair | undefined {
  const lines = rules.filter(isLine);
  for (const open of lines.filter(grants)) {
    const limit = findLimitAround(open.directive);
    // A grant for some methods and a requirement for all others are both effective.
    const other = rules.find(
      (rule) => !(isLine(rule) && grants(rule)) && (limit === undefined || limit === findLimitAround(rule.directive)),
    );
    if (other) return { kind: "grant", open, other };
  }
  for (const open of rules.filter((rule) => !(isLine(rule) && grants(rule)) && needsNoUser(rule))) {
    const other = rules.find((rule) => needsOnlyUser(rule) && sharesMethods(open, rule));
    if (other) return { kind: "no user", open, other };
  }
  for (const open of lines.filter(allowsAnyUser)) {
    // Where reading is open to more users than writing, both lines are intended.
    const limit = findLimitAround(open.directive);
    if (limit === undefined || limitsInclude(open.limits, "GET")) continue;
    const other = lines.find(
      (line) => requiresUser(line.provider) && !allowsAnyUser(line) && findLimitAround(line.directive) === undefined,
    );
    if (other) return { kind: "any user", open, other, limit };
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

function allowsAnyUser({ provider, negated }: RequireLine): boolean {
  return provider === "valid-user" && !negated;
}

/**
 * Returns whether a rule may allow a client without a password. A section that also has a line for users states which
 * of them is enough.
 */
function needsNoUser(rule: RequireRule): boolean {
  if (isLine(rule)) return lineNeedsNoUser(rule);
  if (listLines(rule).some(({ provider }) => requiresUser(provider))) return false;
  const granting = rule.rules.filter((each) => !neverAllows(each));
  return rule.kind === "all" ? granting.length > 0 && granting.every(needsNoUser) : granting.some(needsNoUser);
}

/** Returns whether a rule is about users only. RequireAll states that the users form an alternative of their own. */
function needsOnlyUser(rule: RequireRule): boolean {
  const lines = listLines(rule);
  return rule.kind !== "all" && lines.length > 0 && lines.every(({ provider }) => requiresUser(provider));
}

/** Returns the lines of a rule, in all sections of it. */
function listLines(rule: RequireRule): readonly RequireLine[] {
  return isLine(rule) ? [rule] : rule.rules.flatMap(listLines);
}

function lineNeedsNoUser(line: RequireLine): boolean {
  switch (line.provider) {
    case "all":
      return grants(line);
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
function sharesMethods(one: RequireRule, other: RequireRule): boolean {
  const [a, b] = [findLimitAround(one.directive), findLimitAround(other.directive)];
  return a === undefined || b === undefined || a === b;
}

function titleOf(rule: RequireRule): string {
  if (!isLine(rule)) return `\`${rule.directive.name}>\``;
  return `\`Require ${`${rule.provider} ${shortenText(toReadable(rule.rest), 40)}`.trim()}\``;
}
