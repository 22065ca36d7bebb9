import { matchGroupsOf, samplePattern } from "../../src/lint/api/access.js";
import {
  areContradictory,
  comparePatterns,
  type PatternTest,
  parseRewriteWords,
  type RewriteCondition,
  type RewriteRule,
} from "../../src/lint/api/configuration.js";

/** An earlier rule that takes the requests of another one, and ends the rules. */
export interface CoveringRule {
  readonly rule: RewriteRule;
  /** Whether it takes only requests for which no file exists. */
  readonly leavesFiles: boolean;
}

/** Finds the first rule that takes all requests of a later rule, or all those for which no file exists. */
export function findCoveringRule(rules: readonly RewriteRule[], later: number): CoveringRule | undefined {
  const rule = rules[later];
  if (rule === undefined) return undefined;
  for (const [index, earlier] of rules.slice(0, later).entries()) {
    if (!endsRules(earlier, rules[index - 1]) || !keepPath(rules.slice(index + 1, later))) continue;
    const open = earlier.conditions.filter((condition) => !isImplied(condition, rule.conditions));
    if (open.length === 0 && covers(earlier, rule)) return { rule: earlier, leavesFiles: false };
    const isForMissing = open.every(isMissingFile) && earlier.output !== undefined && !earlier.flags.answers;
    if (open.length > 0 && isForMissing && isForPages(rule) && covers(earlier, rule, [{ pattern: "." }]))
      return { rule: earlier, leavesFiles: true };
  }
  return undefined;
}

/** Reports whether two rules that take a request do the same with it. Other groups may capture another text. */
export function doSame(a: RewriteRule, b: RewriteRule): boolean {
  const [one, other] = [a, b].map(({ directive }) => parseRewriteWords(directive.argumentText) ?? []);
  const isAlike = one?.[1]?.value === other?.[1]?.value && one?.[2]?.value === other?.[2]?.value;
  return isAlike && (a.pattern === b.pattern || !/[$%]\d/.test(`${a.output} ${one?.[2]?.value}`));
}

/** Reports whether a rule ends the rules if it applies. */
export function endsRules({ flags }: RewriteRule, before: RewriteRule | undefined): boolean {
  const isChained = before?.flags.names.has("chain") ?? false;
  const isLast = flags.answers || ["last", "end", "proxy"].some((flag) => flags.names.has(flag));
  return isLast && !isChained && !flags.names.has("nosubreq");
}

/** Reports whether a rule has no condition and matches every path. */
export function appliesToAll({ conditions, isNegated, pattern, flags }: RewriteRule): boolean {
  return conditions.length === 0 && !isNegated && comparePatterns(".*", pattern, flags.names.has("nocase")) === "all";
}

/** Reports whether the rules between two others leave the path and the variables as they are, or end the rules. */
function keepPath(between: readonly RewriteRule[]): boolean {
  return between.every(
    (rule, index) =>
      (rule.output === undefined && rule.flags.variables.length === 0) || endsRules(rule, between[index - 1]),
  );
}

/** Reports whether a rule matches each path that another one matches, and that passes more tests. */
function covers(earlier: RewriteRule, later: RewriteRule, more: readonly PatternTest[] = []): boolean {
  return (
    mayCover(earlier, later) &&
    areContradictory([testOf(later), ...more, { ...testOf(earlier), isNegated: !earlier.isNegated }])
  );
}

/** Reports whether a rule takes a sample of what another one takes: most rules do not, and need no proof. */
function mayCover(earlier: RewriteRule, later: RewriteRule): boolean {
  const sample = later.isNegated ? undefined : samplePattern(later.pattern);
  if (sample === undefined || sample === "" || takes(later, sample) !== true) return true;
  return takes(earlier, sample) !== false;
}

/** Reports whether the pattern of a rule takes a text; undefined if that cannot be known. */
function takes({ pattern, isNegated, flags }: RewriteRule, text: string): boolean | undefined {
  const groups = matchGroupsOf(pattern, text, flags.names.has("nocase"));
  return groups === undefined ? undefined : (groups !== false) !== isNegated;
}

function testOf({ pattern, isNegated, flags }: RewriteRule): PatternTest {
  return { pattern, isNegated, ignoreCase: flags.names.has("nocase") };
}

/** Reports whether a condition holds wherever others do. */
function isImplied(condition: RewriteCondition, others: readonly RewriteCondition[]): boolean {
  if (condition.orNext) return false;
  const required = others.filter(({ orNext }, index) => !orNext && !others[index - 1]?.orNext);
  return required.some((other) => {
    if (other.input !== condition.input) return false;
    if (textOf(other) === textOf(condition) && other.ignoreCase === condition.ignoreCase) return true;
    const [here, there] = [patternTestOf(condition), patternTestOf(other)];
    return here && there && areContradictory([there, { ...here, isNegated: !here.isNegated }]);
  });
}

function textOf({ directive }: RewriteCondition): string {
  return parseRewriteWords(directive.argumentText)?.[1]?.value ?? "";
}

function patternTestOf({ test, isNegated, ignoreCase }: RewriteCondition): PatternTest | undefined {
  return test.kind === "pattern" ? { pattern: test.pattern, isNegated, ignoreCase } : undefined;
}

/** Reports whether a condition holds only if a file or directory does not exist. */
function isMissingFile({ test, isNegated, orNext }: RewriteCondition): boolean {
  return test.kind === "file" && isNegated && !orNext;
}

/** Reports whether a redirect is for pages, not for files: its pattern has no dot of an extension, and it tests no file. */
function isForPages({ flags, output, pattern, isNegated, conditions }: RewriteRule): boolean {
  const isRedirect = flags.names.has("redirect") && output !== undefined;
  return (
    isRedirect && !isNegated && !/\\\.|\[\.\]/.test(pattern) && !conditions.some(({ test }) => test.kind === "file")
  );
}
