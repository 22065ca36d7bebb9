import { matchGroupsOf, samplePattern } from "../../src/lint/api/access.js";
import {
  areContradictory,
  comparePatterns,
  endsRules,
  type PatternTest,
  parsePcre,
  parseRewriteWords,
  type RewriteCondition,
  type RewriteRule,
} from "../../src/lint/api/configuration.js";
import { getOrCreate, memoize } from "../../src/lint/api/rule.js";

/** An earlier rule that takes the requests of another one, and ends the rules. */
export interface CoveringRule {
  readonly rule: RewriteRule;
  /** What exists for the requests that it leaves, if it does not take all. */
  readonly leaves?: "files" | "directories" | "files and directories";
}

/** Finds earlier rules of a list. Texts that a pattern requires leave few pairs of rules to compare. */
export class CoveringRules {
  private readonly isLast: readonly boolean[];
  /** Rules by the text that each path of theirs begins with, in lower case. */
  private readonly byStart = new Map<string, number[]>();
  private readonly lengths = new Set<number>();
  /** Other rules, with a text that is in each path of theirs. */
  private readonly others: { readonly index: number; readonly part: string }[] = [];
  private added = 0;
  /** The last rule so far that may change the path or a variable: the rules before it cannot be compared with later ones. */
  private lastChange = 0;

  /** @param isRepeated whether the rules are applied again to the target of one: those of a directory are */
  constructor(
    private readonly rules: readonly RewriteRule[],
    private readonly isRepeated: boolean,
  ) {
    this.isLast = rules.map((rule, index) => endsRules(rule, rules[index - 1]));
  }

  /** Finds the first rule that takes all requests of a later rule, or all those for which no file exists. */
  find(later: number): CoveringRule | undefined {
    const rule = this.rules[later];
    if (rule === undefined) return undefined;
    while (this.added < later) this.add(this.added++);
    const sample = sampleOf(rule);
    for (const index of this.candidatesFor(rule, sample)) {
      const earlier = this.rules[index];
      const found = index < this.lastChange || earlier === undefined ? undefined : compare(earlier, rule, sample);
      if (found && !(found.leaves && setsVariable(rule) && this.mayReachAgain(later, found.rule))) return found;
    }
    return undefined;
  }

  /** Reports whether the target of an earlier rule may reach a later one when the rules are applied to it. */
  private mayReachAgain(later: number, { flags, output = "" }: RewriteRule): boolean {
    if (!this.isRepeated || flags.names.has("end")) return false;
    const target = output.replace(/^\/|\?.*$/g, "");
    const ends = (rule: RewriteRule, index: number) =>
      this.isLast[index] === true && rule.conditions.length === 0 && passes(testOf(rule), target) === true;
    return !this.rules.slice(0, later).some(ends);
  }

  private add(index: number): void {
    const rule = this.rules[index];
    if (rule === undefined) return;
    if (!this.isLast[index]) {
      if (rule.output !== undefined || rule.flags.variables.length > 0) this.lastChange = index;
      return;
    }
    const { text, isStart } = rule.isNegated ? noText : requiredTextOf(rule.pattern);
    if (!isStart) this.others.push({ index, part: text });
    else {
      this.lengths.add(text.length);
      getOrCreate(this.byStart, text, () => []).push(index);
    }
  }

  /** Returns the rules, in their order, that may take all that a rule takes. @param sample a path that it takes */
  private candidatesFor({ isNegated, pattern }: RewriteRule, sample: string | undefined): readonly number[] {
    const text = sample?.toLowerCase();
    const { text: start, isStart } = isNegated ? noText : requiredTextOf(pattern);
    const found = this.others.filter(({ part }) => text === undefined || text.includes(part)).map(({ index }) => index);
    if (text !== undefined) {
      for (const length of this.lengths) found.push(...(this.byStart.get(text.slice(0, length)) ?? []));
    } else
      for (const [own, indexes] of this.byStart)
        if (!isStart || own.startsWith(start) || start.startsWith(own)) found.push(...indexes);
    return found.sort((a, b) => a - b);
  }
}

/** Compares an earlier rule that ends the rules with a later one. @param sample a path that the later one takes */
function compare(earlier: RewriteRule, later: RewriteRule, sample: string | undefined): CoveringRule | undefined {
  // Most rules do not take a sample of what another one takes, and need no proof.
  if (sample !== undefined && passes(testOf(earlier), sample) === false) return undefined;
  const open = earlier.conditions.filter((condition) => !isImplied(condition, later.conditions));
  if (open.length === 0) return covers(earlier, later) ? { rule: earlier } : undefined;
  if (!open.every(isMissingTarget) || earlier.output === undefined || earlier.flags.answers) return undefined;
  const letters = open.map(({ test }) => (test.kind === "file" ? test.test : ""));
  const leavesDirectories = letters.includes("d");
  const leavesFiles = letters.some((letter) => /[fFs]/.test(letter));
  if (!leavesDirectories && !leavesFiles) return undefined;
  const leaves = !leavesDirectories ? "files" : leavesFiles ? "files and directories" : "directories";
  const isForPages = isRedirectOfPages(later) || isRuleForPages(later, leaves) || isVariableForAll(later);
  return isForPages && !areContradictory([testOf(later), belowRoot]) && covers(earlier, later, [belowRoot])
    ? { rule: earlier, leaves }
    : undefined;
}

/** The path of the document root, which exists, has no other character than a slash. */
const belowRoot: PatternTest = { pattern: "[^/]" };

interface RequiredText {
  /** In lower case; empty if nothing is known. */
  readonly text: string;
  /** Whether each match begins with it, at the start of the path. */
  readonly isStart: boolean;
}

const noText: RequiredText = { text: "", isStart: false };

/** Returns a text that each match of a pattern has: the one that it begins with, or else the longest. */
function requiredTextOf(pattern: string): RequiredText {
  const { branches, error, ignored } = parsePcre(pattern);
  const [branch, ...others] = branches;
  if (branch === undefined || others.length > 0 || error !== undefined || ignored.length > 0) return noText;
  if (branch.some(({ kind }) => kind === "irregular")) return noText;
  const runs: string[] = [""];
  for (const node of branch) {
    const isPlain = node.kind === "literal" && !node.isNewQuantifier && node.code < 128;
    if (isPlain) runs.push(`${runs.pop()}${String.fromCharCode(node.code)}`);
    else runs.push("");
  }
  const [before, first = ""] = runs;
  const isStart = before === "" && first !== "" && branch[0]?.kind === "assertion" && branch[0].mark === "^";
  const text = isStart ? first : runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
  return { text: text.toLowerCase(), isStart };
}

/** Reports whether two rules that take a request do the same with it. Other groups may capture another text. */
export function doSame(a: RewriteRule, b: RewriteRule): boolean {
  const [one, other] = [a, b].map(({ directive }) => parseRewriteWords(directive.argumentText) ?? []);
  const isAlike = one?.[1]?.value === other?.[1]?.value && one?.[2]?.value === other?.[2]?.value;
  return isAlike && (a.pattern === b.pattern || !/[$%]\d/.test(`${a.output} ${one?.[2]?.value}`));
}

/** Reports whether a rule has no condition and matches every path. */
export function appliesToAll({ conditions, isNegated, pattern, flags }: RewriteRule): boolean {
  return conditions.length === 0 && !isNegated && comparePatterns(".*", pattern, flags.names.has("nocase")) === "all";
}

/** Reports whether a rule matches each path that another one matches, and that passes more tests. */
function covers(earlier: RewriteRule, later: RewriteRule, more: readonly PatternTest[] = []): boolean {
  return areContradictory([testOf(later), ...more, { ...testOf(earlier), isNegated: !earlier.isNegated }]);
}

/** Returns a path that a rule takes; undefined if none is known. */
function sampleOf(rule: RewriteRule): string | undefined {
  const test = testOf(rule);
  const sample = rule.isNegated ? undefined : sampleOfTest(test);
  return sample !== undefined && sample !== "" && passes(test, sample) === true ? sample : undefined;
}

/** Returns a text that the pattern of a test may match; undefined if none is known. */
const sampleOfTest = memoize(({ pattern }: PatternTest) => samplePattern(pattern));

/** Reports whether a text is known to pass one test, and not another. */
function isOnlyFor(test: PatternTest, other: PatternTest, text: string | undefined): boolean {
  return text !== undefined && passes(test, text) === true && passes(other, text) === false;
}

/** Reports whether a text passes a test; undefined if that cannot be known. */
function passes({ pattern, ignoreCase = false, isNegated = false }: PatternTest, text: string): boolean | undefined {
  const groups = matchGroupsOf(pattern, text, ignoreCase);
  return groups === undefined ? undefined : (groups !== false) !== isNegated;
}

const testOf = memoize(
  ({ pattern, isNegated, flags }: RewriteRule): PatternTest => ({
    pattern,
    isNegated,
    ignoreCase: flags.names.has("nocase"),
  }),
);

/** Reports whether a condition holds wherever others do. */
function isImplied(condition: RewriteCondition, others: readonly RewriteCondition[]): boolean {
  if (condition.orNext) return false;
  const required = others.filter(({ orNext }, index) => !orNext && !others[index - 1]?.orNext);
  return required.some((other) => {
    if (other.input !== condition.input) return false;
    if (textOf(other) === textOf(condition) && other.ignoreCase === condition.ignoreCase) return true;
    const [here, there] = [patternTestOf(condition), patternTestOf(other)];
    if (here === undefined || there === undefined) return false;
    // Most conditions do not hold for a sample of what another one takes, and need no proof.
    if ([sampleOfTest(there), sampleOfTest(here)].some((text) => isOnlyFor(there, here, text))) return false;
    return areContradictory([there, { ...here, isNegated: !here.isNegated }]);
  });
}

/** Returns the written test of a condition, which is compared with many others: parsed once. */
const textOf = memoize(
  ({ directive }: RewriteCondition): string => parseRewriteWords(directive.argumentText)?.[1]?.value ?? "",
);

const patternTestOf = memoize(({ test, isNegated, ignoreCase }: RewriteCondition): PatternTest | undefined =>
  test.kind === "pattern" ? { pattern: test.pattern, isNegated, ignoreCase } : undefined,
);

/** Reports whether a condition holds only if no file, or no directory, exists for the path of the request itself. */
function isMissingTarget({ input, test, isNegated, orNext }: RewriteCondition): boolean {
  return test.kind === "file" && isNegated && !orNext && requestedFile.test(input);
}

/** The ways to write the file of a request: another path, such as one in a cache, says nothing of it. */
const requestedFile = /^(?:%\{(?:REQUEST|SCRIPT)_FILENAME\}|%\{DOCUMENT_ROOT\}\/?%\{(?:REQUEST_URI|SCRIPT_NAME)\})$/i;

/** Reports whether a redirect is for pages, not for files. */
function isRedirectOfPages(rule: RewriteRule): boolean {
  return rule.flags.names.has("redirect") && rule.output !== undefined && isNotForFiles(rule);
}

/** Reports whether a rule only sets variables, and not for files. */
function isVariableForAll(rule: RewriteRule): boolean {
  return setsVariable(rule) && isNotForFiles(rule);
}

/** Reports whether the pattern of a rule has no dot of an extension, and it tests no file. */
function isNotForFiles({ pattern, isNegated, conditions }: RewriteRule): boolean {
  return !isNegated && !/\\\.|\[\.\]/.test(pattern) && !conditions.some(({ test }) => test.kind === "file");
}

/** Reports whether a rule sets variables, and does nothing else. */
function setsVariable({ output, flags }: RewriteRule): boolean {
  return output === undefined && flags.variables.length > 0 && !flags.answers;
}

/**
 * Reports whether a rule gives pages to a program: none of its paths has an extension, and it tests no file. A path without a
 * part that varies may be that of a directory.
 */
function isRuleForPages(rule: RewriteRule, left: CoveringRule["leaves"]): boolean {
  const { output = "", isNegated, conditions, flags } = rule;
  if (flags.names.has("redirect") || isNegated || conditions.some(({ test }) => test.kind === "file")) return false;
  const isForProgram = /\.(?:php\d?|phtml|cgi|pl|py|rb|aspx?|jsp)(?:$|[?/])/i.test(output);
  const varies = left === "files" || /\$[1-9]/.test(output);
  return isForProgram && varies && areContradictory([testOf(rule), { pattern: "\\." }]);
}
