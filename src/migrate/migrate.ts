import { type ConfigComparison, compare, type Difference } from "../compare/compare.js";
import type { Side } from "../compare/exploration.js";
import { createRunSteps, defaultBudget, type SurveyBudget } from "../compare/model/budget.js";
import { omitUnreadHtaccess } from "../httpd/walk/ignored-htaccess.js";
import { type Directive, lineKeyOf } from "../project/model/directive.js";
import { mergeProblems, quoteText } from "../project/model/problems.js";
import type { Project } from "../project/model/project.js";
import { DEFINE_VARIABLE_REMEDY, findUndefinedVariable } from "../project/model/variables.js";
import { iterateDirectives } from "../project/queries/directive-tree.js";
import { relocateProject } from "../project/queries/install-root.js";
import { omitRefusedLines } from "../simulate/inputs/refused-lines.js";
import type { Reading } from "../simulate/model/decision.js";
import { findRefusals } from "../validate/validate.js";
import { findCompatGuard, isAccessLine, isLegacyDirective } from "./model/access-lines.js";
import { collectContexts, type MergeContext } from "./model/contexts.js";
import { splitStrategies } from "./plan/marker-variables.js";
import { type MigrationPlan, planMigration } from "./plan/plan.js";
import type { Inexpressible } from "./policy/access-policy.js";
import { type RewrittenTexts, rewriteFiles } from "./rewrite/rewrite.js";

/** A configuration, and how it is read again with other texts. */
export interface MigrateSource {
  /** As the release reads it whose answers are kept. */
  readonly before: Project;
  /**
   * As 2.4 reads it without mod_access_compat; it may be read with more changes, which are then part of the migration and of
   * what is proved.
   *
   * @param texts of files that are to be changed, by real path: binary strings
   */
  readonly after: (texts: ReadonlyMap<string, string>) => Project;
}

/** A file that is to be changed; texts are binary strings. */
export interface MigratedFile {
  /** With symbolic links resolved. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Why something cannot be moved; the comparison is that with what came closest. */
export interface NotMigrated {
  readonly refused: readonly Inexpressible[];
  readonly comparison: ConfigComparison | undefined;
}

export type Migration =
  | {
      readonly verdict: "proved";
      readonly files: readonly MigratedFile[];
      /** The configuration as it is to be. */
      readonly after: Project;
      /** What 2.4 answers otherwise than 2.2 whatever the rules about access say. */
      readonly byRelease: ReleaseDifferences;
    }
  | ({ readonly verdict: "refused" } & NotMigrated);

/**
 * Moves a configuration from Order, Allow, Deny and Satisfy to Require, all of it in one step, and proves that every request is
 * answered as before by a server without mod_access_compat, but what 2.4 refuses whatever the rules about access say. There is no
 * migration of a part.
 *
 * @param reading whose reading of the old directives is kept: what the server does, or what the upgrade guide says
 */
export function migrate(source: MigrateSource, reading: Reading, budget: SurveyBudget = defaultBudget): Migration {
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
  const steps = createRunSteps(budget);
  const contexts = collectContexts({ project, reading }, budget, steps);
  if (!contexts.isWhole) return { verdict: "refused", refused: [tooLargeReason], comparison: undefined };
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
    const whole = compare(before, { project: after, reading: "server" }, budget, steps);
    const { comparison, byRelease } = separateReleaseDifferences(whole);
    if (comparison.verdict === "equivalent")
      return { verdict: "proved", files: changedFiles(source.before, texts, after), after, byRelease };
    if (closest?.comparison === undefined) closest = { refused: [], comparison };
  }
  return { verdict: "refused", refused: [], comparison: undefined, ...closest };
}

/** Where there is nothing to be moved. */
export function createUnchangedMigration(before: Project): Migration & { readonly verdict: "proved" } {
  return { verdict: "proved", files: [], after: before, byRelease: { differences: [], methods: [] } };
}

/** What of the configuration was not read: it may say who gets in, too. */
function missingParts({ problems }: Project): readonly Inexpressible[] {
  return problems
    .filter(({ kind }) => kind === "server-root" || kind === "include" || kind === "limit")
    .map(({ problem, remedy, span }) => ({
      reason: `${problem}, so not all of the configuration is known; ${remedy}`,
      directive: { span },
    }));
}

/** Files that are closed to us: old lines may stand in them. */
function unreadableFiles(project: Project): readonly Inexpressible[] {
  const closed = mergeProblems(omitUnreadHtaccess(project).problems.filter(({ kind }) => kind === "closed"));
  return closed ? [{ reason: closed.message, directive: closed }] : [];
}

/** A line is told of once, however many sections are laid over what it is about. */
function uniqueByDirective(refused: readonly Inexpressible[]): readonly Inexpressible[] {
  return [
    ...new Map(refused.map((each) => [`${each.directive && lineKeyOf(each.directive)} ${each.reason}`, each])).values(),
  ];
}

/** Lines about access at which the server stops: what it would do with them nobody can say. */
function refusedLines(project: Project): readonly Inexpressible[] {
  return findRefusals(project)
    .startup.filter(({ directive }) => isAccessLine(directive))
    .map(({ directive, message }) => ({ reason: `${project.release}: ${message}`, directive }));
}

/** Lines about access with variables that have no value: whether those are addresses or names nobody knows. */
function unsetLines(project: Project): readonly Inexpressible[] {
  return [...iterateDirectives(project)].filter(isLegacyDirective).flatMap((directive) => {
    const variable = findUndefinedVariable(directive.argumentText);
    if (variable === undefined) return [];
    const wrong = `${quoteText(variable)} has no value here, so what the line says of access is not known`;
    return [{ reason: `${wrong}; ${DEFINE_VARIABLE_REMEDY}`, directive }];
  });
}

const tooLargeReason: Inexpressible = {
  reason:
    "there are more kinds of requests to it than can be gone through; move it in parts by hand, and ask `httpd-lint compare` after each",
  directive: undefined,
};

/** Ways to write it, the shortest first. */
function* planAttempts(
  project: Project,
  contexts: readonly MergeContext[],
  reading: Reading,
): Generator<RewrittenTexts> {
  // Guards that serve servers with mod_access_compat and without it are left alone, where they do.
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

/** How many lines it takes; what is refused comes last. */
function planLength({ texts, refused }: RewrittenTexts): number {
  if (refused.length > 0) return Number.MAX_SAFE_INTEGER;
  return [...texts.values()].reduce((sum, text) => sum + text.split("\n").length, 0);
}

/** Where sections are to be told apart by variables, and nothing sets any. */
function withoutVariables({ markers }: MigrationPlan, { modules, modulesAreKnown }: Project): readonly Inexpressible[] {
  if (!modulesAreKnown || modules.has("setenvif_module")) return [];
  const reason =
    "only a variable could tell when this applies, and mod_setenvif, which sets them, is not loaded; load it";
  return [...markers.keys()].map(({ section, content }) => ({ reason, directive: section ?? content[0] }));
}

/** Whether some line names a variable, as one that it sets or looks at. */
function usesName(project: Project): (name: string) => boolean {
  const words = new Set<string>();
  for (const { argumentText } of iterateDirectives(project))
    for (const word of argumentText.toLowerCase().match(/[\w-]+/g) ?? []) words.add(word);
  return (name) => words.has(name);
}

/** The files of which the text is another, be it that reading them again made it so. */
function changedFiles(before: Project, texts: ReadonlyMap<string, string>, after: Project): readonly MigratedFile[] {
  const old = textsByPath(before);
  const made = [...textsByPath(after)].filter(([path, text]) => old.has(path) && old.get(path) !== text);
  return [...new Map([...texts, ...made])]
    .map(([path, after]) => ({ path, before: old.get(path) ?? "", after }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** By real path. */
function textsByPath({ files, htaccess }: Project): ReadonlyMap<string, string> {
  const trees = [...htaccess.map(({ tree }) => tree), ...files.values()];
  return new Map(trees.map(({ source }) => [source.realPath, source.text]));
}

/** What is left of old directives in a configuration, such as in a `.htaccess` file that the server refuses anyway. */
export function findLegacyDirectives(project: Project): readonly Directive[] {
  return [...iterateDirectives(project)].filter(isLegacyDirective);
}

/**
 * Where 2.4 refuses what a rule of rewriting leads to, as 2.2 does not: a question mark out of the path (AH10508), control
 * characters in the query (AH10410, AH10411).
 */
const redirectRefusals = /^AH(?:10508|10410|10411)\b/;

/** What 2.4 refuses whatever the rules about access say, by lines that decide before as well. */
type ReleaseDifferences = Pick<ConfigComparison, "differences" | "methods">;

/** A comparison of 2.2 with 2.4 in two parts. */
interface DividedComparison {
  /** What rules about access may have a say in. */
  readonly comparison: ConfigComparison;
  readonly byRelease: ReleaseDifferences;
}

/**
 * Sets aside what the release makes: nobody who is refused there could be let in by any rule about access, and who gets what
 * else is compared all the same.
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
  const [old, ...others] = before.decidedBy;
  const [now, ...more] = after.decidedBy;
  if (old === undefined || now === undefined || others.length + more.length > 0) return false;
  return before.class === "allowed" && isSameRule(old, now) && after.log.some((line) => redirectRefusals.test(line));
}

function isSameRule(old: Directive, now: Directive): boolean {
  return old.key === "rewriterule" && now.key === old.key && now.argumentText === old.argumentText;
}
