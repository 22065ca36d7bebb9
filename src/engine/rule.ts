import type { Release } from "../directives/directives.js";
import type { Project } from "../project/project.js";
import type { ConfigurationVisitor } from "../project/walk.js";
import type { Report, Severity } from "./finding.js";
import type { IgnoreOutcome } from "./ignores.js";
import type { Proofs } from "./proofs.js";

/** What a rule sees: the resolved configuration and a place to report to. It reads no file and throws at no input. */
export interface RuleContext {
  readonly project: Project;
  /** The release that reads the configuration. */
  readonly release: Release;
  /** The release that it comes from, where `--from` names one. */
  readonly from: Release | undefined;
  /** Every rule there is, and those that run now. */
  readonly ruleIds: readonly string[];
  readonly activeRuleIds: readonly string[];
  /** What is so of all requests. */
  readonly proofs: Proofs;
  report(finding: Report): void;
}

/**
 * What a rule wants to be shown, beside what the walk shows it. Names are few and directives many, so a rule says by the
 * name what it wants to see.
 */
export interface Visitor extends ConfigurationVisitor {
  /** The project as a whole, after the walk. */
  readonly project?: () => void;
  /** What became of the comments that ignore findings, after every rule has reported. */
  readonly ignores?: (outcome: IgnoreOutcome) => void;
}

/** What is said of an upgrade, in the order in which it matters: each is a heading of its report. */
export const upgradeConcerns = ["start", "answers", "behaviour", "recommended"] as const;
export type UpgradeConcern = (typeof upgradeConcerns)[number];

export interface RuleDefinition {
  /** Lower case with hyphens; the name of its folder under `rules/`. */
  readonly id: string;
  /** A heading of a few words. */
  readonly title: string;
  readonly severity: Severity;
  /** What the rule finds, in a sentence. */
  readonly description: string;
  /** Why it matters and what to do, in a few sentences. */
  readonly help: string;
  /** For code scanning: how grave it is for security from 0 to 10, where it touches security. */
  readonly securitySeverity?: number;
  readonly tags?: readonly string[];
  /** Less specific rules that stay quiet on a line where this one has spoken. */
  readonly supersedes?: readonly string[];
  /** Only with `--from 2.2`: the rule speaks of the move, not of the configuration. */
  readonly upgradeOnly?: boolean;
  /** Under which heading an upgrade's report has what the rule finds; absent: it says nothing of an upgrade. */
  readonly upgrade?: UpgradeConcern;
  readonly check: (context: RuleContext) => Visitor;
}

/** Declares a rule. The definition is checked by its types and by the registry's test; nothing happens here. */
export function defineRule(definition: RuleDefinition): RuleDefinition {
  return definition;
}
