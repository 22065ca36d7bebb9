import { type Comparison, compare } from "../compare/compare.js";
import type { Side } from "../compare/survey.js";
import { type SurveyBudget, stepsOfRun, usualBudget } from "../compare/survey-budget.js";
import { allDirectives } from "../project/all-directives.js";
import { type Directive, lineOf } from "../project/directive.js";
import { asInstalled } from "../project/installed.js";
import { inOne, quoted } from "../project/problems.js";
import type { Project } from "../project/project.js";
import { REMEDY, unsetVariable } from "../project/unset-variables.js";
import { findRefusals } from "../refusals/refusals.js";
import { withoutUnreadFiles } from "../scope/unread-files.js";
import type { Reading } from "../simulate/decision.js";
import { withoutRefused } from "../simulate/without-refused.js";
import { type ByRelease, withoutRelease } from "./by-release.js";
import { type Context, contextsOf } from "./contexts.js";
import { manners } from "./manners.js";
import { compatGuard, isAccessLine, isOld } from "./old-directives.js";
import { type Plan, planOf } from "./plan.js";
import type { Inexpressible } from "./policy.js";
import { type Rewritten, rewritten } from "./rewrite.js";

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
  readonly comparison: Comparison | undefined;
}

export type Migration =
  | {
      readonly verdict: "proved";
      readonly files: readonly MigratedFile[];
      /** The configuration as it is to be. */
      readonly after: Project;
      /** What 2.4 answers otherwise than 2.2 whatever the rules about access say. */
      readonly byRelease: ByRelease;
    }
  | ({ readonly verdict: "refused" } & NotMigrated);

/**
 * Moves a configuration from Order, Allow, Deny and Satisfy to Require, all of it in one step, and proves that every request is
 * answered as before by a server without mod_access_compat, but what 2.4 refuses whatever the rules about access say. There is no
 * migration of a part.
 *
 * @param reading whose reading of the old directives is kept: what the server does, or what the upgrade guide says
 */
export function migrate(source: MigrateSource, reading: Reading, budget: SurveyBudget = usualBudget): Migration {
  const stuck = [
    ...missingParts(source.before),
    ...closedParts(source.before),
    ...unsetLines(source.before),
    ...refusedLines(source.before),
  ];
  if (stuck.length > 0) return { verdict: "refused", refused: stuck, comparison: undefined };
  const before: Side = { project: source.before, reading };
  const project = withoutRefused(asInstalled(source.before));
  if (![...allDirectives(project)].some(isOld) && project.release === "2.4") return unchanged(source.before);
  const steps = stepsOfRun(budget);
  const contexts = contextsOf({ project, reading }, budget, steps);
  if (!contexts.isWhole) return { verdict: "refused", refused: [tooMuch], comparison: undefined };
  let closest: NotMigrated | undefined;
  for (const { texts, refused } of attempts(project, contexts.all, reading)) {
    if (refused.length > 0) {
      closest ??= { refused: eachOnce(refused), comparison: undefined };
      continue;
    }
    const after = source.after(texts);
    const unread = refusedLines(after);
    if (unread.length > 0) {
      closest ??= { refused: unread, comparison: undefined };
      continue;
    }
    const whole = compare(before, { project: after, reading: "server" }, budget, steps);
    const { comparison, byRelease } = withoutRelease(whole);
    if (comparison.verdict === "equivalent")
      return { verdict: "proved", files: filesOf(source.before, texts, after), after, byRelease };
    if (closest?.comparison === undefined) closest = { refused: [], comparison };
  }
  return { verdict: "refused", refused: [], comparison: undefined, ...closest };
}

/** Where there is nothing to be moved. */
export function unchanged(before: Project): Migration & { readonly verdict: "proved" } {
  return { verdict: "proved", files: [], after: before, byRelease: { differences: [], methods: [] } };
}

/** What of the configuration was not read: it may say who gets in, too. */
function missingParts({ problems }: Project): readonly Inexpressible[] {
  return problems
    .filter(({ kind }) => kind === "server-root" || kind === "include" || kind === "limit")
    .map(({ wrong, remedy, span }) => ({
      reason: `${wrong}, so not all of the configuration is known; ${remedy}`,
      directive: { span },
    }));
}

/** Files that are closed to us: old lines may stand in them. */
function closedParts(project: Project): readonly Inexpressible[] {
  const closed = inOne(withoutUnreadFiles(project).problems.filter(({ kind }) => kind === "closed"));
  return closed ? [{ reason: closed.message, directive: closed }] : [];
}

/** A line is told of once, however many sections are laid over what it is about. */
function eachOnce(refused: readonly Inexpressible[]): readonly Inexpressible[] {
  return [
    ...new Map(refused.map((each) => [`${each.directive && lineOf(each.directive)} ${each.reason}`, each])).values(),
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
  return [...allDirectives(project)].filter(isOld).flatMap((directive) => {
    const variable = unsetVariable(directive.argumentText);
    if (variable === undefined) return [];
    const wrong = `${quoted(variable)} has no value here, so what the line says of access is not known`;
    return [{ reason: `${wrong}; ${REMEDY}`, directive }];
  });
}

const tooMuch: Inexpressible = {
  reason:
    "there are more kinds of requests to it than can be gone through; move it in parts by hand, and ask `httpd-lint compare` after each",
  directive: undefined,
};

/** Ways to write it, the shortest first. */
function* attempts(project: Project, contexts: readonly Context[], reading: Reading): Generator<Rewritten> {
  // Guards that serve servers with mod_access_compat and without it are left alone, where they do.
  if ([...allDirectives(project)].filter(isOld).every(compatGuard)) yield { texts: new Map(), refused: [] };
  const isTaken = usesName(project);
  const plans = manners.map((manner) => {
    const plan = planOf(contexts, reading, manner, isTaken);
    const refused = [...plan.refused, ...withoutVariables(plan, project)];
    return {
      plan,
      tidied: refused.length > 0 ? { texts: new Map(), refused } : rewritten(project, plan, contexts, true),
    };
  });
  const seen = new Set<string>();
  for (const { plan, tidied } of plans.toSorted((a, b) => lengthOf(a.tidied) - lengthOf(b.tidied))) {
    const ways = tidied.refused.length > 0 ? [tidied] : [tidied, rewritten(project, plan, contexts, false)];
    for (const way of ways) {
      const key = JSON.stringify([...way.texts]);
      if (way.refused.length > 0 || !seen.has(key)) yield way;
      seen.add(key);
    }
  }
}

/** How many lines it takes; what is refused comes last. */
function lengthOf({ texts, refused }: Rewritten): number {
  if (refused.length > 0) return Number.MAX_SAFE_INTEGER;
  return [...texts.values()].reduce((sum, text) => sum + text.split("\n").length, 0);
}

/** Where sections are to be told apart by variables, and nothing sets any. */
function withoutVariables({ marks }: Plan, { modules, modulesAreKnown }: Project): readonly Inexpressible[] {
  if (!modulesAreKnown || modules.has("setenvif_module")) return [];
  const reason =
    "only a variable could tell when this applies, and mod_setenvif, which sets them, is not loaded; load it";
  return [...marks.keys()].map(({ section, content }) => ({ reason, directive: section ?? content[0] }));
}

/** Whether some line names a variable, as one that it sets or looks at. */
function usesName(project: Project): (name: string) => boolean {
  const words = new Set<string>();
  for (const { argumentText } of allDirectives(project))
    for (const word of argumentText.toLowerCase().match(/[\w-]+/g) ?? []) words.add(word);
  return (name) => words.has(name);
}

/** The files of which the text is another, be it that reading them again made it so. */
function filesOf(before: Project, texts: ReadonlyMap<string, string>, after: Project): readonly MigratedFile[] {
  const old = textsOf(before);
  const made = [...textsOf(after)].filter(([path, text]) => old.has(path) && old.get(path) !== text);
  return [...new Map([...texts, ...made])]
    .map(([path, after]) => ({ path, before: old.get(path) ?? "", after }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** By real path. */
function textsOf({ files, htaccess }: Project): ReadonlyMap<string, string> {
  const trees = [...htaccess.map(({ tree }) => tree), ...files.values()];
  return new Map(trees.map(({ source }) => [source.realPath, source.text]));
}

/** What is left of old directives in a configuration, such as in a `.htaccess` file that the server refuses anyway. */
export function oldDirectivesIn(project: Project): readonly Directive[] {
  return [...allDirectives(project)].filter(isOld);
}
