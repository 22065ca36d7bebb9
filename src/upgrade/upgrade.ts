import type { AccessMap, MappedScope } from "../compare/access-map.js";
import type { Comparison } from "../compare/compare.js";
import { compareAndMap } from "../compare/compare-and-map.js";
import { ComparedProofs } from "../compare/proofs.js";
import { type SurveyBudget, usualBudget } from "../compare/survey-budget.js";
import type { Finding } from "../engine/finding.js";
import { byPlace, lint } from "../engine/lint.js";
import type { RuleDefinition, UpgradeConcern } from "../engine/rule.js";
import { lineOf } from "../project/directive.js";
import type { Project } from "../project/project.js";

/** All that the move of a configuration to another release breaks or changes. */
export interface Upgrade {
  /** What the rules find, by what it means to the upgrade. */
  readonly findings: Readonly<Record<UpgradeConcern, readonly Finding[]>>;
  /** Modules, by identifier, that findings have loaded: what is answered is told of as if they were. */
  readonly supplied: readonly string[];
  /** Requests that are answered differently, and what is not proved. */
  readonly comparison: Comparison;
  /** Who gets in where anybody is kept out, before and after. */
  readonly review: AccessMap;
  /** How many findings comments keep quiet. */
  readonly ignored: number;
}

/** The configuration as the release that it goes to reads it. */
export interface Target {
  readonly project: Project;
  /** The same with more modules, by identifier, as if they were loaded at its start. */
  readonly withModules: (modules: readonly string[]) => Project;
}

/**
 * Works out what an upgrade comes to.
 *
 * @param before the configuration as the release that it comes from reads it
 * @param rules of these the ones that concern an upgrade are run; comments that ignore findings may name any
 */
export function upgrade(
  before: Project,
  target: Target,
  rules: readonly RuleDefinition[],
  budget: SurveyBudget = usualBudget,
): Upgrade {
  const concerns = new Map(rules.map(({ id, upgrade: concern }) => [id, concern]));
  const findingsIn = (project: Project) =>
    lint(project, {
      rules: rules.filter(({ id }) => concerns.get(id) !== undefined),
      ruleIds: rules.map(({ id }) => id),
      from: before.release,
      proofs: new ComparedProofs(project, () => before),
    });
  const { findings, ignored } = findingsIn(target.project);
  const supplied = [...new Set(findings.flatMap(({ supplies = [] }) => supplies))];
  const after = supplied.length === 0 ? target.project : target.withModules(supplied);
  // What the modules bring with them is to be looked at as well.
  const all = after === target.project ? findings : bothTold(findings, findingsIn(after).findings);
  const told: Record<UpgradeConcern, Finding[]> = { start: [], answers: [], behaviour: [], recommended: [] };
  for (const finding of all) told[concernOf(finding, concerns.get(finding.rule))].push(finding);
  const { comparison, map } = compareAndMap(asServer(before), asServer(after), budget);
  return { findings: told, supplied, comparison, review: whereRestricted(map), ignored: ignored.length };
}

/** What is found as it is and with the modules that it lacks: of one cause what is told with all that has it. */
function bothTold(first: readonly Finding[], then: readonly Finding[]): readonly Finding[] {
  const causes = new Set(then.map(causeOf));
  const kept = first.filter((each) => each.cause === undefined || !causes.has(causeOf(each)));
  const lines = new Set(kept.map(placeOf));
  return [...kept, ...then.filter((each) => !lines.has(placeOf(each)))].sort(byPlace);
}

function causeOf({ rule, cause }: Finding): string | undefined {
  return cause && `${cause.isAnyRules ? "" : rule} ${cause.key}`;
}

/** What a rule says of a line is the same with whatever modules. */
function placeOf(finding: Finding): string {
  return `${finding.rule} ${lineOf(finding)}`;
}

function asServer(project: Project) {
  return { project, reading: "server" } as const;
}

/** What is no more than advice keeps no server from starting, and where that behaves otherwise is an error it does. */
function concernOf({ severity }: Finding, concern: UpgradeConcern = "recommended"): UpgradeConcern {
  if (concern === "start" && severity === "info") return "recommended";
  return concern === "behaviour" && severity === "error" ? "start" : concern;
}

function whereRestricted({ servers, unknown }: AccessMap): AccessMap {
  const isRestricted = ({ who, differs }: MappedScope) => differs || who.some(({ others }) => others.length > 0);
  const left = servers.map((server) => ({ ...server, scopes: server.scopes.filter(isRestricted) }));
  return { servers: left.filter(({ scopes }) => scopes.length > 0), unknown };
}
