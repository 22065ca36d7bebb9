/** The public API: reads a configuration, checks it, decides requests, and formats the findings. */
export { parseArguments } from "../grammar/arguments.js";
export type { Argument, ConfigTree, Line, LineKind } from "../grammar/ast.js";
export { print } from "../grammar/ast.js";
export { parseFile } from "../grammar/parser.js";
export { allRules, defaultRules } from "../rules/index.js";
export { version } from "./apps/package-files.js";
export { dumpConfig } from "./config/dump.js";
export { diskAccess } from "./config/files/disk.js";
export { type FileAccess, memoryAccess } from "./config/files/file-access.js";
export { Directive } from "./config/model/directive.js";
export type { Project } from "./config/model/project.js";
export type { LoadOptions } from "./config/read-entry.js";
export type { Release } from "./facts/release.js";
export type { FixPassesResult, RejectedFix, Texts } from "./lint/apply-fixes.js";
export { type AppliedFixes, applyFixes } from "./lint/apply-fixes.js";
export type { Finding, Fix, Severity } from "./lint/finding.js";
export type { RuleReferences } from "./lint/references.js";
export type { Proofs, ProvedDifference, ProvedUpgrade } from "./lint/rule.js";
export { defineRule, type RuleContext, type RuleDefinition, type Visitor } from "./lint/rule.js";
export type { RuleGroup } from "./lint/rule-groups.js";
export { type ChangedSwitch, type RecordedBuild, readConfigNice } from "./lint/runner/config-nice.js";
export { type FixedConfigurations, type FixOptions, fix } from "./lint/runner/fix.js";
export { LintSession, lint, type ProvedLintOptions as LintOptions } from "./lint/runner/lint.js";
export type { LintResult } from "./lint/runner/run-rules.js";
export { type Upgrade, type UpgradeTarget, upgrade } from "./lint/runner/upgrade.js";
export { accessMap } from "./proof/compare/access-map.js";
export { compare } from "./proof/compare/compare.js";
export type { Side } from "./proof/compare/observed-sides.js";
export type { Acceptance, NamedDifference } from "./proof/migrate/acceptance.js";
export { migrate } from "./proof/migrate/migrate.js";
export type {
  MigratedFile,
  MigrateOptions,
  MigrateSource,
  Migration,
  MigrationExceptions,
  NotMigrated,
  Proposal,
  ProvedMigration,
} from "./proof/migrate/migration.js";
export type { Inexpressible } from "./proof/migrate/plan/inexpressible.js";
export type { ExplorationBudget } from "./proof/model/budget.js";
export type {
  Assumptions,
  ConfigComparison,
  Difference,
  DifferenceRegion,
  Unproved,
} from "./proof/model/comparison.js";
export type { AccessMap, ClientAccess, MappedScope, MappedServer } from "./proof/model/mapped-access.js";
export { type Format, formats, render } from "./report/index.js";
export { type AnswerOptions, answer, SimulatedServer } from "./server/answer.js";
export { createAssumedFiles as assumedFiles, diskFiles } from "./server/file-trees.js";
export type { Alternative, Answer, DecisionClass, Semantics } from "./server/model/answer.js";
export type { ShownAnswer } from "./server/model/answer-class.js";
export {
  createListedFiles as listedFiles,
  type FileKind,
  type FileOwner,
  type FileTree,
} from "./server/model/file-tree.js";
export type { Request } from "./server/model/request.js";
export type { Note, ReplacedSection, TracedSection, TraceStep } from "./server/model/trace-step.js";
export { type LoadResult, loadProject } from "./startup/load-project.js";
export { fromBytes, toBytes } from "./text/bytes.js";
export type { Edit } from "./text/edits.js";
export type { Result } from "./text/result.js";
export {
  fromReadable,
  positionAt,
  rangeOf,
  type SourceFile,
  type Span,
  sourceFile,
  toReadable,
} from "./text/source.js";
