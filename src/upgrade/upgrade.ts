import type { AccessMap, MappedScope } from "../compare/access-map.js";
import type { ConfigComparison } from "../compare/compare.js";
import { defaultBudget, type SurveyBudget } from "../compare/model/budget.js";
import { ComparisonProofs, compareWithAccessMap } from "../compare/proofs.js";
import type { Finding } from "../engine/finding.js";
import type { RuleDefinition, UpgradeCategory } from "../engine/rule.js";
import { compareByLocation, lintProject } from "../engine/run-rules.js";
import { lineKeyOf } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";

/** All that the move of a configuration to another release breaks or changes. */
export interface Upgrade {
  /** What the rules find, by what it means to the upgrade. */
  readonly findings: Readonly<Record<UpgradeCategory, readonly Finding[]>>;
  /** Modules, by identifier, that findings have loaded: what is answered is told of as if they were. */
  readonly supplied: readonly string[];
  /** Requests that are answered differently, and what is not proved. */
  readonly comparison: ConfigComparison;
  /** Who gets in where anybody is kept out, before and after. */
  readonly review: AccessMap;
  /** How many findings comments keep quiet. */
  readonly ignored: number;
}

/** The configuration as the release that it goes to reads it. */
export interface UpgradeTarget {
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
  target: UpgradeTarget,
  rules: readonly RuleDefinition[],
  budget: SurveyBudget = defaultBudget,
): Upgrade {
  const concerns = new Map(rules.map(({ id, upgrade: concern }) => [id, concern]));
  const findingsIn = (project: Project) =>
    lintProject(project, {
      rules: rules.filter(({ id }) => concerns.get(id) !== undefined),
      ruleIds: rules.map(({ id }) => id),
      from: before.release,
      proofs: new ComparisonProofs(project, () => before),
    });
  const { findings, ignored } = findingsIn(target.project);
  const supplied = [...new Set(findings.flatMap(({ supplies = [] }) => supplies))];
  const after = supplied.length === 0 ? target.project : target.withModules(supplied);
  // What the modules bring with them is to be looked at as well.
  const all = after === target.project ? findings : mergeFindingSets(findings, findingsIn(after).findings);
  const told: Record<UpgradeCategory, Finding[]> = { start: [], answers: [], behaviour: [], recommended: [] };
  for (const finding of all) told[categoryOf(finding, concerns.get(finding.rule))].push(finding);
  const { comparison, map } = compareWithAccessMap(assumeWholeServer(before), assumeWholeServer(after), budget);
  return { findings: told, supplied, comparison, review: keepRestrictedScopes(map), ignored: ignored.length };
}

/** What is found as it is and with the modules that it lacks: of one cause what is told with all that has it. */
function mergeFindingSets(first: readonly Finding[], then: readonly Finding[]): readonly Finding[] {
  const causes = new Set(then.map(causeOf));
  const kept = first.filter((each) => each.cause === undefined || !causes.has(causeOf(each)));
  const lines = new Set(kept.map(placeOf));
  return [...kept, ...then.filter((each) => !lines.has(placeOf(each)))].sort(compareByLocation);
}

function causeOf({ rule, cause }: Finding): string | undefined {
  return cause && `${cause.isAnyRules ? "" : rule} ${cause.key}`;
}

/** What a rule says of a line is the same with whatever modules. */
function placeOf(finding: Finding): string {
  return `${finding.rule} ${lineKeyOf(finding)}`;
}

function assumeWholeServer(project: Project) {
  return { project, reading: "server" } as const;
}

/** What is no more than advice keeps no server from starting, and where that behaves otherwise is an error it does. */
function categoryOf({ severity }: Finding, concern: UpgradeCategory = "recommended"): UpgradeCategory {
  if (concern === "start" && severity === "info") return "recommended";
  return concern === "behaviour" && severity === "error" ? "start" : concern;
}

function keepRestrictedScopes({ servers, unknown }: AccessMap): AccessMap {
  const isRestricted = ({ who, differs }: MappedScope) => differs || who.some(({ others }) => others.length > 0);
  const left = servers.map((server) => ({ ...server, scopes: server.scopes.filter(isRestricted) }));
  return { servers: left.filter(({ scopes }) => scopes.length > 0), unknown };
}
