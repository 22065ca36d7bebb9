import type { CertificateReader } from "../config/files/certificate.js";
import type { Directive } from "../config/model/directive.js";
import type { HtaccessFile, Project } from "../config/model/project.js";
import type { ConfigurationVisitor } from "../config/queries/walker.js";
import type { Release } from "../facts/release.js";
import type { ShownAnswer } from "../server/model/answer-class.js";
import type { FileTree } from "../server/model/file-tree.js";
import type { Request } from "../server/model/request.js";
import type { UnknownFact } from "../server/model/unknown-facts.js";
import type { HeaderForMany, MessageText, Report, Severity } from "./finding.js";
import type { ExposureCheck } from "./probes/exposure.js";
import type { ScopeProbe } from "./probes/scope-probes.js";
import type { RuleReferences } from "./references.js";
import type { RuleGroup } from "./rule-groups.js";
import type { IgnoreUsage } from "./suppressions.js";

/**
 * The input of a rule: the resolved configuration and a function to report to. Rules read no files but those of `files`,
 * and never throw, whatever the input.
 */
export interface RuleContext {
  readonly project: Project;
  /** The `.htaccess` files that no server reads because `AllowOverride None` applies; they are not in the project. */
  readonly unreadHtaccess: readonly HtaccessFile[];
  /** The target version. */
  readonly release: Release;
  /** The version you upgrade from, if `--from` names one. */
  readonly from: Release | undefined;
  /** All existing rules, and those that run now. */
  readonly ruleIds: readonly string[];
  readonly activeRuleIds: readonly string[];
  /** Facts about all requests. */
  readonly proofs: Proofs;
  /** The files of the server; undefined if they are unknown. */
  readonly files: FileTree | undefined;
  /** The time of the analysis, for dates in conditions and certificates. */
  readonly now: Date;
  /** Reads the certificates in the text of a PEM file; undefined if the program cannot. */
  readonly readCertificates: CertificateReader | undefined;
  report(finding: Report): void;
}

/**
 * What a rule looks at: parts of the configuration, in the order in which the server reads them, and requests. Names are few
 * and directives many, so rules subscribe by name.
 */
export interface Visitor extends ConfigurationVisitor {
  /** Checks scopes with access control by requests into them. */
  readonly probe?: ScopeProbe;
  /** Checks lines by requests of a client with a public address and without a password. */
  readonly exposure?: ExposureCheck;
  /** Called with the result of suppression comments, after every rule has reported. */
  readonly ignores?: (outcome: IgnoreUsage) => void;
}

/**
 * The texts of a rule's findings by name: fixed ones, and functions of what they show. The code of the rule reports
 * entries and contains no texts.
 */
export type MessageTable = Readonly<Record<string, MessageText | ((...shown: never[]) => MessageText | HeaderForMany)>>;

/** The categories of an upgrade report, in order of importance: each is a heading. */
export const upgradeCategories = ["start", "answers", "behaviour", "recommended"] as const;
export type UpgradeCategory = (typeof upgradeCategories)[number];

/** Why a rule, or a part of it, needs the whole server. */
interface WholeServerNeed {
  readonly reason: string;
  /** The findings that need it, as a noun phrase; all if absent. */
  readonly part?: string;
}

/** The properties of a rule, without what it looks at. */
export interface RuleProperties {
  /** Lower case with hyphens; the name of its folder under `rules/`. */
  readonly id: string;
  /** A short heading. */
  readonly title: string;
  /** Rules are listed by group, and a group can be selected as a whole. */
  readonly group: RuleGroup;
  readonly severity: Severity;
  /** One sentence about what the rule reports. */
  readonly description: string;
  /** The effect and the remedy, in a few sentences. */
  readonly help: string;
  /** For code scanning: the security severity from 0 to 10, if the rule is relevant to security. */
  readonly securitySeverity?: number;
  readonly references?: RuleReferences;
  readonly tags?: readonly string[];
  /** Less specific rules, or variants of rules, that do not report on a line with a finding of this one. */
  readonly supersedes?: readonly string[];
  /** Only with `--from 2.2`: the rule concerns the upgrade, not the configuration. */
  readonly upgradeOnly?: boolean;
  /** The heading of the rule's findings in an upgrade report; if absent, they are not included. */
  readonly upgrade?: UpgradeCategory;
  /** Set if the rule, or a part of it, does not run on a part of a server, because another file may have what is missing. */
  readonly needsWholeServer?: WholeServerNeed;
  /** Set if 2.4 cannot run with what the rule reports: the configuration is for 2.2. */
  readonly impliesRelease?: "2.2";
  /** Whether findings depend on what else the server has, so that they say nothing of another one that has these lines, too. */
  readonly isAboutServer?: true;
  /** Whether findings name modules that an upgrade must load. */
  readonly suppliesModules?: boolean;
  /** Whether it is about templates: its findings may be about expressions, and one is enough for a file. */
  readonly isAboutTemplate?: boolean;
  /** Whether the migration of access control resolves the findings. */
  readonly isResolvedByMigrate?: boolean;
  /**
   * Which findings `explain` shows with an answer: those `on its lines`, which is the default of the groups about what a line
   * does; those on its lines `if it has a query`, or `if a loop has no remedy` of its own; or those `anywhere`, because no
   * answer shows a line that never applies, of which some are only `for the default host`, if no virtual host has the name of
   * the request; or those about the URL or the file of the request, `if its file is exposed`.
   */
  readonly advice?:
    | "on its lines"
    | "if it has a query"
    | "if it has an inner extension"
    | "if a loop has no remedy"
    | "anywhere"
    | "for the default host"
    | "if its file is exposed";
  /** How editors show the lines: `unnecessary` for lines without effect. */
  readonly editorTag?: "unnecessary" | "deprecated";
}

/** What a rule or a variant looks at, and its texts. */
interface RuleBody {
  readonly messages?: MessageTable;
  readonly check: (context: RuleContext) => Visitor;
}

/** The properties of a rule that each of its variants can have in its own way. */
type VariantProperties = Partial<
  Pick<
    RuleProperties,
    "severity" | "references" | "supersedes" | "needsWholeServer" | "upgradeOnly" | "isAboutTemplate"
  >
>;

/** One of several causes of what a rule reports, with its own texts. Users select and suppress it only by a former id. */
export interface RuleVariant extends VariantProperties, RuleBody {
  /** Lower case with hyphens; unique among rules and variants, except that one variant may have the id of its rule. */
  readonly id: string;
}

/** A rule that looks at the configuration itself. */
export interface SimpleRule extends RuleProperties, RuleBody {
  readonly variants?: never;
}

/** A rule whose variants look at the configuration. */
interface RuleWithVariants extends RuleProperties {
  readonly variants: readonly RuleVariant[];
  readonly check?: never;
  readonly messages?: never;
}

export type RuleDefinition = SimpleRule | RuleWithVariants;

/** A rule as it runs: one without variants, or a variant with the properties of its rule that it does not have itself. */
export interface RuleCheck extends SimpleRule {
  readonly variant?: string;
}

/** Returns the parts of a rule that run. */
export function listChecks(rule: RuleDefinition): readonly RuleCheck[] {
  const { variants, ...own } = rule;
  if (variants === undefined) return [rule];
  return variants.map((variant) => ({ ...own, ...variant, id: rule.id, variant: variant.id }));
}

/** Returns the ids of rules and of their variants. */
export function listCheckNames(rules: readonly RuleDefinition[]): ReadonlySet<string> {
  return new Set(rules.flatMap(({ id, variants = [] }) => [id, ...variants.map((variant) => variant.id)]));
}

/** Returns a rule with some of its variants only; undefined if none is left. A rule without variants stays as it is. */
export function keepVariants<Rule extends { readonly variants?: readonly { readonly id: string }[] }>(
  rule: Rule,
  isKept: (variant: string) => boolean,
): Rule | undefined {
  if (rule.variants === undefined) return rule;
  const variants = rule.variants.filter(({ id }) => isKept(id));
  return variants.length === 0 ? undefined : { ...rule, variants };
}

/**
 * Declares a rule. The definition is checked by its types and by the registry's test; the function itself does nothing.
 */
export function defineRule(definition: RuleDefinition): RuleDefinition {
  return definition;
}

/** Declares a variant of a rule, checked by its types and by the registry's test. */
export function defineVariant(variant: RuleVariant): RuleVariant {
  return variant;
}

/** A request with different results, and both results. */
export interface ProvedExample {
  readonly request: Request;
  /** Assumptions beyond the request: existing files, and clauses. */
  readonly assumptions: { readonly files: ReadonlyMap<string, string>; readonly facts: ReadonlySet<UnknownFact> };
  readonly before: ShownAnswer;
  readonly after: ShownAnswer;
}

/** A request that represents all requests that the same lines decide on each side, with different results. */
export interface ProvedDifference extends ProvedExample {
  /** One for each virtual host that is alike up to constants. */
  readonly instances: readonly ProvedExample[];
}

/** The changes caused by an upgrade to the target version. */
export interface ProvedUpgrade {
  readonly differences: readonly ProvedDifference[];
  /** The unproved parts as clauses, each with its line. */
  readonly unproved: readonly {
    readonly reason: string;
    readonly directive: Directive | undefined;
    /** Set for unread parts, which are reported at their own location. */
    readonly isUnread?: true;
  }[];
}

/** Facts about all requests, proved only on demand. */
export interface Proofs {
  /** Returns the decisions that differ from the version you upgrade from; undefined if none is named. */
  upgrade(): ProvedUpgrade | undefined;
  /** Reports whether it is proved that every request has the same result without some lines. */
  isRedundant(without: ReadonlySet<Directive>): boolean;
}

/** The default if nothing can be proved. */
export const noProofs: Proofs = { upgrade: () => undefined, isRedundant: () => false };
