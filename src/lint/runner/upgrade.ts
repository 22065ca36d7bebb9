import { type Directive, lineKeyOf } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { isSince, lineOf } from "../../facts/release.js";
import { listChangesBetween, type PassedChange } from "../../facts/version-changes.js";
import { ComparisonProofs, compareWithAccessMap, toServerSide } from "../../proof/compare/proofs.js";
import { defaultBudget, type ExplorationBudget } from "../../proof/model/budget.js";
import type { ConfigComparison, Difference } from "../../proof/model/comparison.js";
import type { AccessMap, MappedScope } from "../../proof/model/mapped-access.js";
import type { ProgressListener } from "../../proof/model/progress.js";
import { findFilesFor24 } from "../../server/access/lines-of-24.js";
import type { Finding } from "../finding.js";
import { findVersionDifferences, type VersionDifferences } from "../probes/version-differences.js";
import type { RuleDefinition, UpgradeCategory } from "../rule.js";
import { lintWithoutProofs } from "./lint.js";
import { compareByLocation } from "./run-rules.js";

/** Everything that an upgrade to another release breaks or changes. */
export interface Upgrade {
  /** Findings of the rules, by their meaning for the upgrade. */
  readonly findings: Readonly<Record<UpgradeCategory, readonly Finding[]>>;
  /** Modules, by identifier, that findings add; responses are reported as if they were loaded. */
  readonly supplied: readonly string[];
  /** Requests that are answered differently, and what is unproved. */
  readonly comparison: ConfigComparison;
  /** The access map of restricted locations, before and after. */
  readonly review: AccessMap;
  /** What the versions between the two changed, if both are of 2.4. */
  readonly versions: VersionEffects | undefined;
  /** Number of findings that comments suppress. */
  readonly ignored: number;
}

/** What the versions between two versions of 2.4 changed for a configuration. */
export interface VersionEffects extends VersionDifferences {
  /** The changes of defaults and of what no simulated answer shows, as far as the configuration uses what they are about. */
  readonly changes: readonly PassedChange[];
}

/** The configuration as the target version reads it. */
export interface UpgradeTarget {
  readonly project: Project;
  /** The configuration with more modules, by identifier, as if they were loaded first. */
  readonly withModules: (modules: readonly string[]) => Project;
}

/**
 * Computes the effects of an upgrade.
 *
 * @param before the configuration as the version you upgrade from reads it
 * @param rules all rules; those that concern an upgrade run, but suppression comments may name any
 */
export function upgrade(
  before: Project,
  target: UpgradeTarget,
  rules: readonly RuleDefinition[],
  budget: ExplorationBudget = defaultBudget,
  onProgress?: ProgressListener,
): Upgrade {
  // A configuration that 2.2 cannot run is compared with itself.
  const [from, to] = [before.release, target.project.release];
  const isWithinLine = from !== to && lineOf(from) === lineOf(to);
  const concerns = new Map(rules.map(({ id, upgrade: concern }) => [id, concern]));
  const upgraded = new Set(findFilesFor24(before).keys());
  const findingsIn = (project: Project) =>
    lintWithoutProofs(project, {
      upgraded,
      rules: rules.filter(({ id }) => concerns.get(id) !== undefined),
      ruleIds: rules.map(({ id }) => id),
      from: before.release,
      proofs: new ComparisonProofs(project, () => before, onProgress),
    });
  const { findings, ignored } = findingsIn(target.project);
  const supplied = [...new Set(findings.flatMap(({ supplies = [] }) => supplies))];
  const after = supplied.length === 0 ? target.project : target.withModules(supplied);
  // Directives that these modules provide are checked as well.
  const merged = after === target.project ? findings : mergeFindingSets(findings, findingsIn(after).findings);
  // Of two versions of one line, only what is new matters.
  const all = isWithinLine ? omitKnownFindings(merged, findingsIn(before).findings) : merged;
  const byCategory: Record<UpgradeCategory, Finding[]> = { start: [], answers: [], behaviour: [], recommended: [] };
  for (const finding of all) byCategory[categoryOf(finding, concerns.get(finding.rule))].push(finding);
  const { comparison, map } = compareWithAccessMap(toServerSide(before), toServerSide(after), budget, onProgress);
  return {
    findings: byCategory,
    supplied,
    comparison: !isSince(before.release, "2.4") ? omitUpgradedFiles(comparison, upgraded) : comparison,
    review: keepRestrictedScopes(map),
    versions: isWithinLine && isSince(before.release, "2.4") ? findVersionEffects(before, after) : undefined,
    ignored: ignored.length,
  };
}

/** Removes the findings that the first version has as well: the same rule at the same line. */
function omitKnownFindings(findings: readonly Finding[], known: readonly Finding[]): readonly Finding[] {
  const places = new Set(known.map(placeOf));
  return findings.filter((finding) => !places.has(placeOf(finding)));
}

function findVersionEffects(before: Project, after: Project): VersionEffects {
  const index = indexDirectives(after);
  const has = (key: string) => index.named(key).length > 0;
  const isConcerned = ({ change: { uses, module, setBy } }: PassedChange) =>
    (module === undefined || after.modules.mayHave(module)) &&
    (uses.length === 0 || uses.some(has)) &&
    (setBy === undefined || !has(setBy));
  return {
    ...findVersionDifferences(before, after),
    changes: listChangesBetween(before.release, after.release).filter(isConcerned),
  };
}

/**
 * Removes the differences that files decide which are already for 2.4, and adds one entry for them to the unproved
 * parts: what such a file did under 2.2 is not known.
 *
 * @param upgraded these files, by real path
 */
function omitUpgradedFiles(comparison: ConfigComparison, upgraded: ReadonlySet<string>): ConfigComparison {
  const isUpgraded = (line: Directive) => upgraded.has(line.span.file.realPath);
  const byOf = ({ before, after }: Difference) => [...before.decidedBy, ...after.decidedBy];
  const differences = comparison.differences.filter((each) => !byOf(each).some(isUpgraded));
  const [omitted] = comparison.differences.filter((each) => byOf(each).some(isUpgraded));
  if (omitted === undefined) return comparison;
  const reason = "a file that is already for 2.4 decides it, so its answer under 2.2 is not known";
  const directive = byOf(omitted).find(isUpgraded);
  const unproved = [...comparison.unproved, { reason, directive, example: omitted.request.path }];
  return { ...comparison, verdict: differences.length > 0 ? "different" : "unknown", differences, unproved };
}

/**
 * Merges the findings with and without the missing modules; for a shared cause, the findings with all modules replace
 * the others.
 */
function mergeFindingSets(first: readonly Finding[], then: readonly Finding[]): readonly Finding[] {
  const causes = new Set(then.map(causeOf));
  const kept = first.filter((each) => each.cause === undefined || !causes.has(causeOf(each)));
  const lines = new Set(kept.map(placeOf));
  return [...kept, ...then.filter((each) => !lines.has(placeOf(each)))].sort(compareByLocation);
}

function causeOf({ rule, cause }: Finding): string | undefined {
  return cause && `${cause.isAnyRules ? "" : rule} ${cause.key}`;
}

/** A rule reports the same for a line regardless of the modules. */
function placeOf(finding: Finding): string {
  return `${finding.rule} ${lineKeyOf(finding)}`;
}

/** Adjusts the concern by severity: advice does not prevent a start, and a behaviour change that is an error does. */
function categoryOf({ severity }: Finding, concern: UpgradeCategory = "recommended"): UpgradeCategory {
  if (concern === "start" && severity === "info") return "recommended";
  return concern === "behaviour" && severity === "error" ? "start" : concern;
}

function keepRestrictedScopes({ servers, unknown }: AccessMap): AccessMap {
  const isRestricted = ({ who, differs }: MappedScope) => differs || who.some(({ others }) => others.length > 0);
  const left = servers.map((server) => ({ ...server, scopes: server.scopes.filter(isRestricted) }));
  return { servers: left.filter(({ scopes }) => scopes.length > 0), unknown };
}
