import type { Project } from "../../config/model/project.js";
import { isBefore } from "../../facts/release.js";
import { ComparisonProofs } from "../../proof/compare/proofs.js";
import type { ProgressListener } from "../../proof/model/progress.js";
import { findFilesFor24, findLineOf24 } from "../../server/access/lines-of-24.js";
import type { Texts } from "../apply-fixes.js";
import { noProofs, type Proofs } from "../rule.js";
import { addAlternatives } from "./alternatives.js";
import { type FindingFilters, filterFindings } from "./filter-findings.js";
import { addFormerFindings } from "./former-release.js";
import { type LintResult, type RuleOptions, runRules } from "./run-rules.js";

/** The rules, what they know, and which of their findings are wanted. */
export interface LintOptions extends RuleOptions, FindingFilters {}

/** Lint options, including the configuration to compare with. */
export interface ProvedLintOptions extends LintOptions {
  /**
   * Returns the same configuration as read by the release of `from`; called when a rule first compares the releases.
   */
  readonly before?: () => Project | undefined;
  /** Receives the progress of this comparison. */
  readonly onProgress?: ProgressListener | undefined;
}

/** Runs rules on a project, proves facts on demand, and returns the wanted findings. */
export function lint(project: Project, options: ProvedLintOptions): LintResult {
  return filterFindings(runRulesWithProofs(project, options), options);
}

/** Runs rules on a project without proofs, unless the options have some, and returns the wanted findings. */
export function lintWithoutProofs(project: Project, options: LintOptions): LintResult {
  return filterFindings(runRules(project, options), options);
}

/** Runs rules on a project, proves facts on demand, and returns all findings. */
export function runRulesWithProofs(
  project: Project,
  options: Omit<ProvedLintOptions, keyof FindingFilters>,
): LintResult {
  const { before = () => undefined, onProgress, ...rest } = options;
  const isUpgraded = isBefore(rest.from, "2.4") && findLineOf24(project) !== undefined;
  // Facts about all requests depend on all files.
  const proofs =
    rest.proofs ??
    (project.view
      ? noProofs
      : new ComparisonProofs(project, isUpgraded ? () => undefined : before, onProgress, options.timings?.spent));
  const found = runRules(project, {
    ...rest,
    ...(isBefore(rest.from, "2.4") ? { upgraded: isUpgraded ? listFiles(project) : findUpgradedFiles(project) } : {}),
    proofs,
  });
  const isWhole = project.view === undefined && !isUpgraded;
  const complete = isBefore(rest.from, "2.4") && isWhole ? addFormerFindings(found, project, before, rest) : found;
  return addAlternatives(complete, project, rest);
}

function findUpgradedFiles(project: Project): ReadonlySet<string> {
  return new Set(findFilesFor24(project).keys());
}

/** Returns the real paths of all files of a configuration. */
function listFiles({ files }: Project): ReadonlySet<string> {
  return new Set([...files.values()].map(({ source }) => source.realPath));
}

/** A configuration and its findings, which are computed on demand. It can be reloaded with other contents. */
export class LintSession {
  private all: LintResult | undefined;
  private known: LintResult | undefined;
  private knownUnproved: LintResult | undefined;

  /**
   * @param options lint options, also used after a reload: the comparison stays the same
   * @param read reads the configuration with contents in place of files; undefined if it cannot be read
   */
  constructor(
    readonly project: Project,
    private readonly options: ProvedLintOptions,
    private readonly read: (texts: Texts) => Project | undefined,
  ) {}

  get result(): LintResult {
    this.known ??= filterFindings(this.unfiltered, this.options);
    return this.known;
  }

  /** All findings, including those that were not requested. */
  get unfiltered(): LintResult {
    this.all ??= runRulesWithProofs(this.project, this.options);
    return this.all;
  }

  /** The result without proofs, which take most of the time. */
  get unproved(): LintResult {
    this.knownUnproved ??= lint(this.project, { ...this.options, proofs: noProofs });
    return this.knownUnproved;
  }

  /** The requested files, by real path. */
  get requestedFiles(): ReadonlySet<string> {
    return this.options.only ?? listFiles(this.project);
  }

  /** The names of the rules about access. */
  get accessRules(): ReadonlySet<string> {
    return new Set(this.options.rules.filter(({ tags }) => tags?.includes("access-control")).map(({ id }) => id));
  }

  reload(texts: Texts): LintSession | undefined {
    const project = this.read(texts);
    return project && new LintSession(project, this.options, this.read);
  }
}

/** Proves nothing, but remembers whether a proof was requested. */
export class ProofRecorder implements Proofs {
  wereRequested = false;

  upgrade(): undefined {
    this.wereRequested = true;
  }

  isRedundant(): boolean {
    this.wereRequested = true;
    return false;
  }
}
