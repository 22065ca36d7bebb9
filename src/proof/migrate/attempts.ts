import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { isLegacyDirective } from "../../server/access/lines-of-24.js";
import { type DefaultOf22, listDefaultsOf22 } from "../compare/defaults-of-22.js";
import type { AccessGoals } from "./plan/access-goals.js";
import { findCompatGuard } from "./plan/access-lines.js";
import type { MergeContext } from "./plan/contexts.js";
import { planExactly } from "./plan/exact-plan.js";
import { type Inexpressible, stateReason } from "./plan/inexpressible.js";
import { MarkerVariables, splitStrategies } from "./plan/marker-variables.js";
import type { MigrationPlan } from "./plan/migration-plan.js";
import { planSimply } from "./plan/simple-plan.js";
import { type RewrittenTexts, rewriteFiles } from "./rewrite/rewrite.js";

/** A possible rewrite of a configuration. */
export interface Attempt extends RewrittenTexts {
  /** Whether the plan is meant to keep all access, at the price of variables, or may be proposed with differences. */
  readonly kind: "exact" | "exact with variables" | "simple";
  /** The variables that it adds. */
  readonly variables: readonly string[];
  /** The defaults of 2.2 that it does not keep, although the configuration may use them. */
  readonly lost: readonly DefaultOf22[];
  /** Returns the same rewrite with lines that keep more of them. */
  readonly keeping: (more: readonly DefaultOf22[]) => Attempt;
}

/** The configuration to rewrite, and what to reach. */
interface AttemptInput {
  readonly project: Project;
  readonly contexts: readonly MergeContext[];
  readonly goals: AccessGoals;
}

/** Yields the rewrites without variables. */
export function* listAttempts(input: AttemptInput): Generator<Attempt> {
  const { project, goals } = input;
  // Conditional sections that serve servers with and without mod_access_compat stay unchanged if they work.
  if ([...iterateDirectives(project)].filter(isLegacyDirective).every(findCompatGuard))
    yield createAttempt("exact", { texts: new Map(), refused: [] });
  const markers = new MarkerVariables(false, () => false);
  const [strategy] = splitStrategies;
  yield* rewriteCompactFirst("exact", planExactly(goals, markers, strategy), input);
  yield* rewriteCompactFirst("simple", planSimply(goals), input);
}

/** Yields the exact rewrites that distinguish sections by variables, shortest first. */
export function* listAttemptsWithVariables(input: AttemptInput): Generator<Attempt> {
  const { project, goals } = input;
  const isNameUsed = usesName(project);
  const attempts = splitStrategies.map((strategy) => {
    const plan = planExactly(goals, new MarkerVariables(true, isNameUsed), strategy);
    const refused = [...plan.refused, ...findUnsettable(plan, project)];
    const [compact, ...others] = rewriteCompactFirst("exact with variables", { ...plan, refused }, input);
    return compact ? [compact, ...others] : [];
  });
  const seen = new Set<string>();
  for (const ways of attempts.toSorted(([a], [b]) => countLines(a) - countLines(b)))
    for (const way of ways) {
      const key = JSON.stringify([...way.texts]);
      if (way.refused.length > 0 || !seen.has(key)) yield way;
      seen.add(key);
    }
}

/** Yields a plan's rewrites without its empty sections, and with them, unless they are equal. */
function* rewriteCompactFirst(
  kind: Attempt["kind"],
  plan: MigrationPlan,
  { project, contexts }: AttemptInput,
): Generator<Attempt> {
  const variables = [...plan.markers.values()];
  if (plan.refused.length > 0) {
    yield createAttempt(kind, { texts: new Map(), refused: plan.refused }, variables);
    return;
  }
  const used = listDefaultsOf22(project);
  const attempt = (omitsEmpty: boolean, kept: readonly DefaultOf22[]): Attempt => ({
    ...{ kind, variables },
    ...rewriteFiles(project, plan, contexts, { omitsEmpty, kept }),
    lost: used.filter((each) => !kept.includes(each)),
    keeping: (more) => attempt(omitsEmpty, [...kept, ...more]),
  });
  const compact = attempt(true, []);
  yield compact;
  if (compact.refused.length > 0) return;
  const complete = attempt(false, []);
  if (JSON.stringify([...complete.texts]) !== JSON.stringify([...compact.texts])) yield complete;
}

/** Returns a rewrite that keeps every default of 2.2 that the configuration uses. */
export function createAttempt(
  kind: Attempt["kind"],
  rewritten: RewrittenTexts,
  variables: readonly string[] = [],
): Attempt {
  const attempt: Attempt = { kind, variables, ...rewritten, lost: [], keeping: () => attempt };
  return attempt;
}

/** Returns the number of lines; rewrites with refusals come last. */
function countLines(attempt: Attempt | undefined): number {
  if (attempt === undefined || attempt.refused.length > 0) return Number.MAX_SAFE_INTEGER;
  return [...attempt.texts.values()].reduce((sum, text) => sum + text.split("\n").length, 0);
}

/** Reports a plan that needs marker variables when no module can set them. */
function findUnsettable({ markers }: MigrationPlan, { modules, modulesAreKnown }: Project): readonly Inexpressible[] {
  if (!modulesAreKnown || modules.has("setenvif_module")) return [];
  const reason = stateReason("no-setenvif");
  const help = ["load mod_setenvif"];
  return [...markers.keys()].map(({ section, content }) => ({ ...reason, help, directive: section ?? content[0] }));
}

/** Returns a predicate for variable names that any directive sets or reads. */
function usesName(project: Project): (name: string) => boolean {
  const words = new Set<string>();
  for (const { argumentText } of iterateDirectives(project))
    for (const word of argumentText.toLowerCase().match(/[\w-]+/g) ?? []) words.add(word);
  return (name) => words.has(name);
}
