import { behaviourOf } from "../../facts/behaviours.js";
import { isSince, nameRelease } from "../../facts/release.js";
import { memoize } from "../../text/memoize.js";
import { toReadable } from "../../text/source.js";
import { evaluateCondition, parseExpressionCondition } from "../expression/evaluate.js";
import { type FileTest, testFile } from "../expression/file-tests.js";
import { parseInteger } from "../expression/operators.js";
import { asksBehaviour } from "../model/behaviour.js";
import { type AddressTest, ALL_RENAMED, type HeaderTest, type MethodTest } from "../model/dependency-tracker.js";
import { createMethodTest } from "../model/method-test.js";
import type { Oracle } from "../model/oracle.js";
import { compileRegexPattern, type MatchGroups } from "../model/patterns.js";
import { recordTest } from "../model/request.js";
import { type UnknownFact, unknownFact } from "../model/unknown-facts.js";
import { isUnknown, matchUnknownValue, mayEqual, type UnknownValue } from "../model/unknown-value.js";
import { expandText } from "./expansion.js";
import type { BackReferences, RewriteContext } from "./rewrite-context.js";
import type { RewriteCondition, RewriteConditionTest, RewriteRule } from "./rule-parser.js";

/** The result of a rule's conditions: they hold, with the groups for `%1`; the one that fails; or the unknown part. */
export type ConditionVerdict =
  | { readonly kind: "hold"; readonly condition: MatchGroups | UnknownValue; readonly met: readonly TestedCondition[] }
  | FailedConditions
  | { readonly kind: "unknown"; readonly why: UnknownValue };

/** A condition, and the groups with which it was tested. */
export interface TestedCondition {
  readonly by: RewriteCondition;
  readonly references: BackReferences;
}

/** The condition that fails. */
export interface FailedConditions extends TestedCondition {
  readonly kind: "fail";
}

/** Tests the conditions of a rule in order (mod_rewrite.c `apply_rewrite_rule`). */
export function testRewriteConditions(
  tested: RewriteRule,
  rule: MatchGroups,
  context: RewriteContext,
): ConditionVerdict {
  const { conditions } = tested;
  const usesGroups = usesGroupsOfConditions(tested);
  let condition: MatchGroups | UnknownValue = [];
  let unknownTest: UnknownValue | undefined;
  /** The unknown part of the alternatives joined by OR so far. */
  let unknownAlternative: UnknownValue | undefined;
  /** None for a symbolic request, whose steps nobody reads. */
  const met: TestedCondition[] = [];
  for (let i = 0; i < conditions.length; i++) {
    const each = conditions[i];
    if (each === undefined) break;
    const references: BackReferences = { rule, condition };
    const result = testMethod(each, usesGroups, context) ?? testCondition(each, references, context);
    if (isUnknown(result)) {
      condition = result;
      if (each.orNext) unknownAlternative ??= result;
      else unknownTest ??= result;
    } else if (result.holds) {
      if (!context.request.tracker) met.push({ by: each, references: { rule, condition } });
      if (unknownAlternative !== undefined) condition = unknownAlternative;
      else if (result.groups) condition = result.groups;
      // The alternatives after one that holds are not tested; the last of them has no OR.
      while (conditions[i]?.orNext) i++;
      unknownAlternative = undefined;
    } else if (!each.orNext) {
      if (unknownAlternative === undefined) return { kind: "fail", by: each, references: { rule, condition } };
      unknownTest ??= unknownAlternative;
      unknownAlternative = undefined;
    }
  }
  return unknownTest ? { kind: "unknown", why: unknownTest } : { kind: "hold", condition, met };
}

/** The groups may be unknown even if the result is known. */
type TestResult = { readonly holds: boolean; readonly groups?: MatchGroups | UnknownValue | undefined } | UnknownValue;

function testCondition(condition: RewriteCondition, references: BackReferences, context: RewriteContext): TestResult {
  const { isNegated, test } = condition;
  const input = expandText(condition.input, references, context);
  if (isUnknown(input)) return testUnknownInput(condition, input);
  const result = recordDependency(condition, runTest(test, input, condition, context), context);
  if (isUnknown(result)) return result;
  return isNegated ? { holds: !result.holds } : result;
}

/** Reports whether a rule or one of its conditions refers to a group of a condition, such as `%1`. */
const usesGroupsOfConditions = memoize(({ directive, conditions }: RewriteRule) =>
  [directive, ...conditions.map((each) => each.directive)].some(({ argumentText }) => /%\d/.test(argumentText)),
);

/**
 * Tests the method of a symbolic request, so that methods with the same result are treated alike.
 *
 * @returns undefined for a condition on anything else, and if more than the result of the test matters
 */
function testMethod(condition: RewriteCondition, usesGroups: boolean, context: RewriteContext): TestResult | undefined {
  const { request } = context;
  if (request.tracker === undefined || usesGroups) return undefined;
  const test = methodTestOf(condition);
  if (test === undefined) return undefined;
  request.tracker.recordMethod(test);
  const result = runTest(condition.test, request.method, condition, context);
  return condition.isNegated && !isUnknown(result) ? { holds: !result.holds } : result;
}

/** Returns the test of a condition on only the method, by a pattern or a text. */
const methodTestOf = memoize((condition: RewriteCondition): MethodTest | undefined => {
  const { input, test, ignoreCase } = condition;
  if (!/^%\{REQUEST_METHOD\}$/i.test(input)) return undefined;
  if (test.kind === "pattern") return createMethodTest(compileRegexPattern(test.pattern, { ignoreCase }));
  if (test.kind !== "text") return undefined;
  const key = `${test.operator} ${ignoreCase} ${test.operand}`;
  return { key, resultFor: (method) => String(compareTexts(test, method, ignoreCase)) };
});

/** Tests a text that is not known: some results are the same for all of its possible values. */
function testUnknownInput({ test, ignoreCase, isNegated }: RewriteCondition, input: UnknownValue): TestResult {
  switch (test.kind) {
    case "pattern": {
      const matches = matchUnknownValue(input, test.pattern, ignoreCase);
      if (matches === "unknown") return input;
      return { holds: (matches === "all") !== isNegated, groups: input };
    }
    case "text":
      return test.operator !== "=" || ignoreCase || mayEqual(input, test.operand) ? input : { holds: isNegated };
    case "expression":
    case "file":
    case "number":
      return input;
  }
}

/** Variables that a client may choose freely. */
const clientControlledInput =
  /%\{(?:HTTP_|HTTP:|SSL:|QUERY_STRING|THE_REQUEST|REMOTE_|CONN_REMOTE_ADDR|IPV6|SERVER_|ENV:|AUTH_TYPE|LA-)/i;

/** Records a test that depends on the client; expressions and file tests do this themselves. */
function recordDependency(condition: RewriteCondition, result: TestResult, context: RewriteContext): TestResult {
  const { input, test } = condition;
  const { tracker } = context.request;
  if (tracker === undefined || isUnknown(result) || test.kind === "file" || !clientControlledInput.test(input))
    return result;
  // Without a logged-in user, both are empty.
  if (/^%\{(?:REMOTE_USER|AUTH_TYPE)\}$/i.test(input) && context.user === undefined) return result;
  // Unless a line sets it, only internal redirects do, and those are simulated.
  const { ownVariables } = tracker;
  const isOfRedirect = /^%\{ENV:REDIRECT_STATUS\}$/i.test(input) && !ownVariables.has("redirect_status");
  if (isOfRedirect && ownVariables.has(ALL_RENAMED)) return result;
  const fact = factOf(condition);
  if (isConfigDependent(input, context)) tracker.markUnknown(unknownFact("test-of-set-values", fact));
  const holds = recordTest(context.request, fact, result.holds, clientTestIn(condition));
  return holds === result.holds ? result : { holds };
}

/**
 * Reports whether other directives can affect a text: by a variable, by the variables of an internal redirect, or by a rule
 * that changed the query.
 */
function isConfigDependent(input: string, { request, query, env }: RewriteContext): boolean {
  // Cut at its last bracket, every name has an end: the search stays linear.
  const closed = input.slice(0, input.lastIndexOf("}") + 1);
  const names = [...closed.matchAll(/%\{ENV:([^}]*)\}/gi)].map(([, name = ""]) => name.toLowerCase());
  if (names.some((name) => request.tracker?.ownVariables.has(name))) return true;
  if (env.has("redirect_status") && names.some((name) => name.startsWith("redirect_"))) return true;
  return /%\{QUERY_STRING\}/i.test(input) && query !== (request.sent ?? request).query;
}

/** Returns the fact that the test holds, without negation. */
function factOf({ input, test, ignoreCase }: RewriteCondition): UnknownFact {
  if (test.kind === "pattern") {
    const code = ignoreCase ? "attribute-matches-any-case" : "attribute-matches";
    return unknownFact(code, toReadable(input), toReadable(test.pattern));
  }
  const operation = test.kind === "text" || test.kind === "number" ? `${test.operator} ${test.operand}` : "";
  return unknownFact(ignoreCase ? "test-any-case" : "test", toReadable(`${input} ${operation}`));
}

/** Returns the only header that a condition tests, or the address. */
function clientTestIn({ input, test, ...condition }: RewriteCondition): HeaderTest | AddressTest | undefined {
  if (/^%\{REMOTE_ADDR\}$/i.test(input) && test.kind === "pattern")
    return { addressPattern: test.pattern, ignoreCase: condition.ignoreCase, isNegated: false };
  const [, variable, named] = /^%\{(?:HTTP_(\w+)|HTTP:([-\w]+))\}$/i.exec(input) ?? [];
  const header = named ?? variable?.replaceAll("_", "-");
  if (header === undefined) return undefined;
  const comparison = { ignoreCase: condition.ignoreCase, isNegated: false };
  if (test.kind === "pattern") return { header, pattern: test.pattern, comparison };
  return test.kind === "text" && test.operator === "=" ? { header, text: test.operand, comparison } : undefined;
}

function runTest(
  test: RewriteConditionTest,
  input: string,
  condition: RewriteCondition,
  context: RewriteContext,
): TestResult {
  const { release } = context.project;
  switch (test.kind) {
    case "pattern":
      return matchText(test.pattern, input, condition.ignoreCase, context.oracle);
    case "expression":
      return !isSince(release, "2.4")
        ? matchText(test.text, input, condition.ignoreCase, context.oracle)
        : testExpressionOf(test.text, condition, context);
    case "file":
      return fileTest(test.test, input, context);
    case "text":
      return { holds: compareTexts(test, input, condition.ignoreCase) };
    case "number":
      return !isSince(release, "2.4")
        ? matchText(`${test.operator}${test.operand}`, input, condition.ignoreCase, context.oracle)
        : { holds: compareNumbers(test, parseInteger(input)) };
  }
}

/** Matches a pattern against a text; unknown if no linear matcher can decide it. */
export function matchText(
  pattern: string,
  subject: string,
  ignoreCase: boolean,
  oracle: Oracle,
): { readonly holds: true; readonly groups: MatchGroups } | { readonly holds: false } | UnknownValue {
  const probe = oracle.createEmpty();
  const groups = compileRegexPattern(pattern, { ignoreCase }).find(subject, probe);
  oracle.countCharacters(probe.charactersRead);
  if (probe.answered.size > 0) return { unknown: unknownFact("pattern-matches", pattern, subject) };
  return groups ? { holds: true, groups } : { holds: false };
}

/** Tests an expression as the version does: one takes each as true, and what it does if `!` negates it is not known. */
function testExpressionOf(text: string, { isNegated }: RewriteCondition, context: RewriteContext): TestResult {
  const { release } = context.project;
  if (!asksBehaviour(release, "expression-conditions-hold", context.oracle)) return testExpression(text, context);
  if (isNegated)
    return {
      unknown: unknownFact("behaviour", nameRelease(release), behaviourOf("expression-conditions-hold").does),
    };
  const result = testExpression(text, context);
  return isUnknown(result) || result.holds ? result : { holds: true };
}

function testExpression(text: string, context: RewriteContext): TestResult {
  const condition = parseExpressionCondition(text);
  if (condition === undefined) return { holds: false };
  const oracle = context.oracle.createEmpty();
  const user = context.user === "unknown" ? undefined : context.user;
  const { holds, matched: found } = evaluateCondition(condition, {
    ...{ ...context, oracle, user },
    target: { ...context.target, pathInfo: context.pathInfo },
  });
  const [unknown] = oracle.answered.keys();
  if (unknown !== undefined) return { unknown };
  // If no pattern with groups was tried, the server reads uninitialized memory.
  return { holds, groups: found?.groups ?? { unknown: unknownFact("groups-of-expression", text) } };
}

/** Tests files on disk. A test that makes a subrequest is not followed. For proofs, what is unknown is any answer. */
function fileTest(test: string, written: string, { files, oracle, request }: RewriteContext): TestResult {
  // Proofs know no texts, and permissions are unknown; a file that is not there fails both tests.
  const isPartlyKnown = test === "x" || (test === "s" && request.tracker !== undefined);
  const known = test === "s" && isPartlyKnown ? "f" : fileTests.get(test);
  const result = known && testFile(known, written, files, oracle);
  const holds = isPartlyKnown && result === true ? undefined : result;
  if (holds !== undefined) return { holds };
  const unknown = unknownFact("file-test", test, written);
  return request.tracker && !madeBySubrequest.has(test) ? { holds: oracle.ask(unknown) } : { unknown };
}

/** Tests of a URL or a file by a subrequest, whose result also depends on access. */
const madeBySubrequest: ReadonlySet<string> = new Set(["U", "F"]);

const fileTests: ReadonlyMap<string, FileTest> = new Map([
  ["d", "d"],
  ["f", "f"],
  ["s", "s"],
  ["l", "L"],
  ["L", "L"],
  ["h", "L"],
  ["x", "e"],
]);

type TextTest = Extract<RewriteConditionTest, { kind: "text" }>;

/** Compares texts by length first, unless case is ignored (`compare_lexicography`). */
function compareTexts({ operator, operand }: TextTest, input: string, ignoreCase: boolean): boolean {
  const [left, right] = ignoreCase ? [input.toLowerCase(), operand.toLowerCase()] : [input, operand];
  if (operator === "=") return left === right;
  const byLength = ignoreCase ? 0 : left.length - right.length;
  const difference = byLength !== 0 ? byLength : left < right ? -1 : left > right ? 1 : 0;
  switch (operator) {
    case "<":
      return difference < 0;
    case "<=":
      return difference <= 0;
    case ">":
      return difference > 0;
    case ">=":
      return difference >= 0;
  }
}

type NumberTest = Extract<RewriteConditionTest, { kind: "number" }>;

function compareNumbers({ operator, operand }: NumberTest, left: number): boolean {
  const right = parseInteger(operand);
  switch (operator) {
    case "-lt":
      return left < right;
    case "-le":
      return left <= right;
    case "-gt":
      return left > right;
    case "-ge":
      return left >= right;
    case "-eq":
      return left === right;
  }
}
