/**
 * The public API: read a configuration, look for what is wrong with it, decide what requests get, and write down what was
 * found.
 */
export { parseArguments } from "../grammar/arguments.js";
export type { Argument, ConfigTree, Line, LineKind } from "../grammar/ast.js";
export { parseFile } from "../grammar/parser.js";
export { print } from "../grammar/print.js";
export { defaultRules } from "../rules/index.js";
export {
  type AccessMap,
  accessMap,
  type MappedScope,
  type MappedServer,
  type WhoGetsIn,
} from "./compare/access-map.js";
export {
  type Comparison,
  compare,
  type Difference,
  type Given,
  type Region,
} from "./compare/compare.js";
export type { Unproved } from "./compare/doubts.js";
export type { Side } from "./compare/survey.js";
export type { SurveyBudget } from "./compare/survey-budget.js";
export type { Release } from "./directives/directives.js";
export type { Finding, Fix, Severity } from "./engine/finding.js";
export type { FixedInPasses, HeldBack, Texts } from "./engine/fix-passes.js";
export { type AppliedFixes, applyFixes } from "./engine/fixes.js";
export type { LintResult } from "./engine/lint.js";
export type { Proofs, ProvedAnswer, ProvedDifference, ProvedUpgrade } from "./engine/proofs.js";
export { defineRule, type RuleContext, type RuleDefinition, type Visitor } from "./engine/rule.js";
export { type Fixed, type FixWishes, fix } from "./fix.js";
export { lint, type ProvedLintOptions as LintOptions } from "./lint.js";
export { Linted } from "./linted.js";
export { type MigratedFile, type MigrateSource, type Migration, migrate, type NotMigrated } from "./migrate/migrate.js";
export type { Inexpressible } from "./migrate/policy.js";
export { Directive } from "./project/directive.js";
export { diskAccess } from "./project/disk.js";
export { dumpConfig } from "./project/dump.js";
export { type FileAccess, memoryAccess } from "./project/files.js";
export { type LoadOptions, type LoadResult, loadProject } from "./project/load.js";
export type { Project } from "./project/project.js";
export { type Format, formats, render } from "./report/index.js";
export { type FileKind, type FileOwner, type FileTree, listedFiles } from "./scope/files.js";
export type { Request } from "./scope/request.js";
export { type DecideOptions, Decider, decide } from "./simulate/decide.js";
export type { Alternative, Decision, DecisionClass, Reading, Verdict } from "./simulate/decision.js";
export { assumedFiles, diskFiles } from "./simulate/file-trees.js";
export type { Note, ReplacedSection, TracedSection, TraceStep } from "./simulate/step.js";
export { fromBytes, toBytes } from "./text/bytes.js";
export type { Edit } from "./text/edits.js";
export { positionAt, rangeOf } from "./text/position.js";
export { fromReadable, type SourceFile, type Span, sourceFile, toReadable } from "./text/source.js";
export { type ChangedSwitch, type RecordedBuild, readConfigNice } from "./upgrade/config-nice.js";
export { type Target as UpgradeTarget, type Upgrade, upgrade } from "./upgrade/upgrade.js";
export { version } from "./version.js";
