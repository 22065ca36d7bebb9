import type { Release } from "../directives/directives.js";
import type { Request } from "../httpd/model/request.js";
import type { Directive } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";
import type { ConfigurationVisitor } from "../project/queries/walker.js";
import type { Report, Severity } from "./finding.js";
import type { IgnoreUsage } from "./suppressions.js";

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
  readonly ignores?: (outcome: IgnoreUsage) => void;
}

/** What is said of an upgrade, in the order in which it matters: each is a heading of its report. */
export const upgradeCategories = ["start", "answers", "behaviour", "recommended"] as const;
export type UpgradeCategory = (typeof upgradeCategories)[number];

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
  readonly upgrade?: UpgradeCategory;
  readonly check: (context: RuleContext) => Visitor;
}

/** Declares a rule. The definition is checked by its types and by the registry's test; nothing happens here. */
export function defineRule(definition: RuleDefinition): RuleDefinition {
  return definition;
}

/** What a release answers. */
export interface ProvedAnswer {
  readonly status: number;
  readonly class: "allowed" | "401" | "403" | "500";
  /** The lines that decide. */
  readonly decidedBy: readonly Directive[];
}

/** A request that stands for all that the same lines decide on either side, and differently. */
export interface ProvedDifference {
  readonly request: Request;
  /** What must be so that the request does not tell: files that are there, and clauses. */
  readonly given: { readonly files: ReadonlyMap<string, string>; readonly terms: ReadonlySet<string> };
  readonly before: ProvedAnswer;
  readonly after: ProvedAnswer;
}

/** What the move to the release that reads a configuration changes. */
export interface ProvedUpgrade {
  readonly differences: readonly ProvedDifference[];
  /** What could not be proved, as clauses, each with the line that it comes from. */
  readonly unproved: readonly {
    readonly reason: string;
    readonly directive: Directive | undefined;
    /** Of what was not read is told where that is. */
    readonly isUnread?: true;
  }[];
}

/** What is so of all requests. It is proved when a rule asks for it, and only then. */
export interface Proofs {
  /** What the release that the configuration comes from answers otherwise; undefined where none is named. */
  upgrade(): ProvedUpgrade | undefined;
  /** Whether it is proved that every request is answered alike without some lines. */
  isRedundant(without: ReadonlySet<Directive>): boolean;
}

/** Where nobody proves anything. */
export const noProofs: Proofs = { upgrade: () => undefined, isRedundant: () => false };
