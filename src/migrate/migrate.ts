import { isLegacyDirective } from "../access/rules/lines-of-24.js";
import { compare } from "../compare/compare.js";
import type { Side } from "../compare/exploration.js";
import { createRunSteps, defaultBudget, type ExplorationBudget } from "../compare/model/budget.js";
import type { ConfigComparison, Difference } from "../compare/model/comparison.js";
import { omitUnreadHtaccess } from "../httpd/walk/ignored-htaccess.js";
import { type Directive, lineKeyOf } from "../project/model/directive.js";
import { mergeProblems, type Problem, type ProblemText, quoteText } from "../project/model/problems.js";
import type { Project } from "../project/model/project.js";
import { DEFINE_VARIABLE_REMEDY, findUndefinedVariable } from "../project/model/variables.js";
import { iterateDirectives } from "../project/queries/directive-tree.js";
import { relocateProject } from "../project/queries/install-root.js";
import { omitRefusedLines } from "../simulate/inputs/refused-lines.js";
import type { Reading } from "../simulate/model/decision.js";
import { findRefusals } from "../validate/validate.js";
import { findCompatGuard, isAccessLine } from "./model/access-lines.js";
import { collectContexts, type MergeContext } from "./model/contexts.js";
import { splitStrategies } from "./plan/marker-variables.js";
import { type MigrationPlan, planMigration } from "./plan/plan.js";
import type { Inexpressible } from "./policy/access-policy.js";
import { type RewrittenTexts, rewriteFiles } from "./rewrite/rewrite.js";

/** A configuration, and how to read it again with changed contents. */
export interface MigrateSource {
  /** The configuration as read by the release whose decisions are kept. */
  readonly before: Project;
  /**
   * Reads it as 2.4 without mod_access_compat. It may be read with further changes, which are then part of the
   * migration and of the proof.
   *
   * @param texts of changed files, by real path: binary strings
   */
  readonly after: (texts: ReadonlyMap<string, string>) => Project;
}

/** A file to be changed; texts are binary strings. */
export interface MigratedFile {
  /** With symbolic links resolved. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The reason why a configuration cannot be migrated; the comparison is that with the closest attempt. */
export interface NotMigrated {
  readonly refused: readonly Inexpressible[];
  readonly comparison: ConfigComparison | undefined;
}

export type Migration =
  | {
      readonly verdict: "proved";
      readonly files: readonly MigratedFile[];
      /** The migrated configuration. */
      readonly after: Project;
      /** Differences between 2.2 and 2.4 that do not depend on the access rules. */
      readonly byRelease: ReleaseDifferences;
    }
  | ({ readonly verdict: "refused" } & NotMigrated);

/**
 * Migrates a configuration from Order, Allow, Deny and Satisfy to Require, in one step. Proves that a server without
 * mod_access_compat answers every request as before, except what 2.4 refuses regardless of the access rules. A
 * configuration cannot be migrated in parts.
 *
 * @param reading the semantics of mod_access_compat directives to preserve: as the server does, or as the upgrade guide
 *   describes
 */
export function migrate(source: MigrateSource, reading: Reading, budget: ExplorationBudget = defaultBudget): Migration {
  const stuck = [
    ...missingParts(source.before),
    ...unreadableFiles(source.before),
    ...unsetLines(source.before),
    ...refusedLines(source.before),
  ];
  if (stuck.length > 0) return { verdict: "refused", refused: stuck, comparison: undefined };
  const before: Side = { project: source.before, reading };
  const project = omitRefusedLines(relocateProject(source.before));
  if (![...iterateDirectives(project)].some(isLegacyDirective) && project.release === "2.4")
    return createUnchangedMigration(source.before);
  const steps = createRunSteps([project], budget);
  const contexts = collectContexts({ project, reading }, budget, steps);
  if (!contexts.isComplete) return { verdict: "refused", refused: [tooLargeReason], comparison: undefined };
  let closest: NotMigrated | undefined;
  for (const { texts, refused } of planAttempts(project, contexts.all, reading)) {
    if (refused.length > 0) {
      closest ??= { refused: uniqueByDirective(refused), comparison: undefined };
      continue;
    }
    const after = source.after(texts);
    const unread = refusedLines(after);
    if (unread.length > 0) {
      closest ??= { refused: unread, comparison: undefined };
      continue;
    }
    const all = compare(before, { project: after, reading: "server" }, budget, steps);
    const { comparison, byRelease } = separateReleaseDifferences(all);
    if (comparison.verdict === "equivalent")
      return { verdict: "proved", files: changedFiles(source.before, texts, after), after, byRelease };
    if (closest?.comparison === undefined) closest = { refused: [], comparison };
  }
  return { verdict: "refused", refused: [], comparison: undefined, ...closest };
}

/** Returns the result for a configuration with nothing to migrate. */
export function createUnchangedMigration(before: Project): Migration & { readonly verdict: "proved" } {
  return { verdict: "proved", files: [], after: before, byRelease: { differences: [], methods: [] } };
}

/**
 * Returns the unread parts of the configuration, which may contain access rules. A missing ServerRoot is one only if an
 * Include starts there: that Include is passed over.
 */
function missingParts({ problems }: Project): readonly Inexpressible[] {
  const kinds: ReadonlySet<Problem["kind"]> = new Set(["include", "limit", "template", "passed-over"]);
  return problems
    .filter(({ kind, directory }) => kinds.has(kind) && directory === undefined)
    .map(({ problem, remedy, span }) => ({
      reason: problem,
      notes: ["a part of the configuration is unknown"],
      help: [remedy],
      directive: { span },
    }));
}

/** Returns the unreadable files, which may contain mod_access_compat directives. */
function unreadableFiles(project: Project): readonly Inexpressible[] {
  const closed = mergeProblems(omitUnreadHtaccess(project).problems.filter(({ kind }) => kind === "closed"));
  return closed ? [describeAsRefused(closed.text, closed)] : [];
}

/** Keeps one entry per line, however many sections are merged over it. */
function uniqueByDirective(refused: readonly Inexpressible[]): readonly Inexpressible[] {
  return [
    ...new Map(refused.map((each) => [`${each.directive && lineKeyOf(each.directive)} ${each.reason}`, each])).values(),
  ];
}

/** Returns the access directives that stop the server: their effect is unknown. */
function refusedLines(project: Project): readonly Inexpressible[] {
  return findRefusals(project)
    .startup.filter(({ directive }) => isAccessLine(directive))
    .map(({ directive, text }) => describeAsRefused(text, directive, `${project.release}: `));
}

/** Returns a problem with a directive as a reason for refusal. */
function describeAsRefused(
  { message, notes, help }: ProblemText,
  directive: Inexpressible["directive"],
  prefix = "",
): Inexpressible {
  return { reason: `${prefix}${message}`, notes, help, directive };
}

/** Returns the access directives with undefined variables, whose addresses or names are unknown. */
function unsetLines(project: Project): readonly Inexpressible[] {
  return [...iterateDirectives(project)].filter(isLegacyDirective).flatMap((directive) => {
    const variable = findUndefinedVariable(directive.argumentText);
    if (variable === undefined) return [];
    const reason = `${quoteText(variable)} is not defined here`;
    const notes = ["the clients that this line allows or denies are unknown"];
    return [{ reason, notes, help: [DEFINE_VARIABLE_REMEDY], directive }];
  });
}

const tooLargeReason: Inexpressible = {
  reason: "the configuration has too many different requests to analyze",
  help: ["convert it by hand in parts, and run `httpd-lint compare` after each"],
  directive: undefined,
};

/** Yields the possible rewrites, shortest first. */
function* planAttempts(
  project: Project,
  contexts: readonly MergeContext[],
  reading: Reading,
): Generator<RewrittenTexts> {
  // Conditional sections that serve servers with and without mod_access_compat stay unchanged if they work.
  if ([...iterateDirectives(project)].filter(isLegacyDirective).every(findCompatGuard))
    yield { texts: new Map(), refused: [] };
  const isTaken = usesName(project);
  const plans = splitStrategies.map((manner) => {
    const plan = planMigration(contexts, reading, manner, isTaken);
    const refused = [...plan.refused, ...withoutVariables(plan, project)];
    return {
      plan,
      tidied: refused.length > 0 ? { texts: new Map(), refused } : rewriteFiles(project, plan, contexts, true),
    };
  });
  const seen = new Set<string>();
  for (const { plan, tidied } of plans.toSorted((a, b) => planLength(a.tidied) - planLength(b.tidied))) {
    const ways = tidied.refused.length > 0 ? [tidied] : [tidied, rewriteFiles(project, plan, contexts, false)];
    for (const way of ways) {
      const key = JSON.stringify([...way.texts]);
      if (way.refused.length > 0 || !seen.has(key)) yield way;
      seen.add(key);
    }
  }
}

/** Compares by number of lines; rewrites with refusals come last. */
function planLength({ texts, refused }: RewrittenTexts): number {
  if (refused.length > 0) return Number.MAX_SAFE_INTEGER;
  return [...texts.values()].reduce((sum, text) => sum + text.split("\n").length, 0);
}

/** Reports a plan that needs marker variables when no module can set them. */
function withoutVariables({ markers }: MigrationPlan, { modules, modulesAreKnown }: Project): readonly Inexpressible[] {
  if (!modulesAreKnown || modules.has("setenvif_module")) return [];
  const reason = "the Require lines for this section need a variable of SetEnvIf, but mod_setenvif is not loaded";
  const help = ["load mod_setenvif"];
  return [...markers.keys()].map(({ section, content }) => ({ reason, help, directive: section ?? content[0] }));
}

/** Returns a predicate for variable names that any directive sets or reads. */
function usesName(project: Project): (name: string) => boolean {
  const words = new Set<string>();
  for (const { argumentText } of iterateDirectives(project))
    for (const word of argumentText.toLowerCase().match(/[\w-]+/g) ?? []) words.add(word);
  return (name) => words.has(name);
}

/** Returns the files whose content differs, including those that differ only because they were read again. */
function changedFiles(before: Project, texts: ReadonlyMap<string, string>, after: Project): readonly MigratedFile[] {
  const originals = textsByPath(before);
  const made = [...textsByPath(after)].filter(([path, text]) => originals.has(path) && originals.get(path) !== text);
  return [...new Map([...texts, ...made])]
    .map(([path, after]) => ({ path, before: originals.get(path) ?? "", after }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** By real path. */
function textsByPath({ files, htaccess }: Project): ReadonlyMap<string, string> {
  const trees = [...htaccess.map(({ tree }) => tree), ...files.values()];
  return new Map(trees.map(({ source }) => [source.realPath, source.text]));
}

/**
 * Returns the remaining mod_access_compat directives, such as those in a `.htaccess` file that the server refuses
 * anyway.
 */
export function findLegacyDirectives(project: Project): readonly Directive[] {
  return [...iterateDirectives(project)].filter(isLegacyDirective);
}

/**
 * Refusals of 2.4 for the results of a rewrite rule that 2.2 accepts: a question mark from the path (AH10508), control
 * characters in the query (AH10410, AH10411).
 */
const redirectRefusals = /^AH(?:10508|10410|10411)\b/;

/** Requests that 2.4 refuses regardless of the access rules, decided by a line that decides in 2.2 as well. */
type ReleaseDifferences = Pick<ConfigComparison, "differences" | "methods">;

/** A comparison of 2.2 with 2.4, split in two parts. */
interface DividedComparison {
  /** The differences that access rules can affect. */
  readonly comparison: ConfigComparison;
  readonly byRelease: ReleaseDifferences;
}

/**
 * Separates the differences that the release causes. No access rule could allow those requests, and all other requests
 * are still compared.
 */
function separateReleaseDifferences(comparison: ConfigComparison): DividedComparison {
  const { methods } = comparison;
  const made = comparison.differences.filter(isReleaseDifference);
  const byRelease: ReleaseDifferences = { differences: made, methods };
  if (made.length === 0) return { comparison, byRelease };
  const differences = comparison.differences.filter((each) => !made.includes(each));
  const isEquivalent = differences.length + comparison.unproved.length === 0;
  const verdict = isEquivalent ? "equivalent" : differences.length > 0 ? "different" : "unknown";
  return { comparison: { ...comparison, differences, verdict }, byRelease };
}

function isReleaseDifference({ before, after }: Difference): boolean {
  const [decidingBefore, ...others] = before.decidedBy;
  const [decidingAfter, ...more] = after.decidedBy;
  if (decidingBefore === undefined || decidingAfter === undefined || others.length + more.length > 0) return false;
  return (
    before.class === "allowed" &&
    isSameRule(decidingBefore, decidingAfter) &&
    after.log.some((line) => redirectRefusals.test(line))
  );
}

function isSameRule(before: Directive, after: Directive): boolean {
  return before.key === "rewriterule" && after.key === before.key && after.argumentText === before.argumentText;
}
