/** The public API: reads a configuration, checks it, decides requests, and formats the findings. */
export { parseArguments } from "../grammar/arguments.js";
export type { Argument, ConfigTree, Line, LineKind } from "../grammar/ast.js";
export { print } from "../grammar/ast.js";
export { parseFile } from "../grammar/parser.js";
export { allRules, defaultRules } from "../rules/index.js";
export { accessMap } from "./compare/access-map.js";
export { compare } from "./compare/compare.js";
export type { Side } from "./compare/exploration.js";
export type { ExplorationBudget } from "./compare/model/budget.js";
export type {
  Assumptions,
  ConfigComparison,
  Difference,
  DifferenceRegion,
  Unproved,
} from "./compare/model/comparison.js";
export type { AccessMap, ClientAccess, MappedScope, MappedServer } from "./compare/model/mapped-access.js";
export type { Release } from "./directives/directives.js";
export type { FixPassesResult, RejectedFix, Texts } from "./engine/apply-fixes.js";
export { type AppliedFixes, applyFixes } from "./engine/apply-fixes.js";
export type { Finding, Fix, Severity } from "./engine/finding.js";
export type { RuleReferences } from "./engine/references.js";
export type { Proofs, ProvedAnswer, ProvedDifference, ProvedUpgrade } from "./engine/rule.js";
export { defineRule, type RuleContext, type RuleDefinition, type Visitor } from "./engine/rule.js";
export type { RuleGroup } from "./engine/rule-groups.js";
export type { LintResult } from "./engine/run-rules.js";
export {
  createListedFiles as listedFiles,
  type FileKind,
  type FileOwner,
  type FileTree,
} from "./httpd/model/file-tree.js";
export type { Request } from "./httpd/model/request.js";
export { type FixedConfigurations, type FixOptions, fix } from "./linter/fix.js";
export { LintSession, lint, type ProvedLintOptions as LintOptions } from "./linter/lint.js";
export { version } from "./linter/package-files.js";
export type { Acceptance, NamedDifference } from "./migrate/acceptance.js";
export { migrate } from "./migrate/migrate.js";
export type {
  MigratedFile,
  MigrateOptions,
  MigrateSource,
  Migration,
  MigrationExceptions,
  NotMigrated,
  Proposal,
  ProvedMigration,
} from "./migrate/migration.js";
export type { Inexpressible } from "./migrate/policy/access-policy.js";
export { dumpConfig } from "./project/dump.js";
export { diskAccess } from "./project/files/disk.js";
export { type FileAccess, memoryAccess } from "./project/files/file-access.js";
export { type LoadOptions, type LoadResult, loadProject } from "./project/load.js";
export { Directive } from "./project/model/directive.js";
export type { Project } from "./project/model/project.js";
export { type Format, formats, render } from "./report/index.js";
export { type DecideOptions, Decider, decide } from "./simulate/decide.js";
export { createAssumedFiles as assumedFiles, diskFiles } from "./simulate/inputs/file-trees.js";
export type { Alternative, Decision, DecisionClass, Reading, Verdict } from "./simulate/model/decision.js";
export type { Note, ReplacedSection, TracedSection, TraceStep } from "./simulate/model/trace-step.js";
export { fromBytes, toBytes } from "./text/bytes.js";
export type { Edit } from "./text/edits.js";
export {
  fromReadable,
  positionAt,
  rangeOf,
  type SourceFile,
  type Span,
  sourceFile,
  toReadable,
} from "./text/source.js";
export { type ChangedSwitch, type RecordedBuild, readConfigNice } from "./upgrade/config-nice.js";
export { type Upgrade, type UpgradeTarget, upgrade } from "./upgrade/upgrade.js";
