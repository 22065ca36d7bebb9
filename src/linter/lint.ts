import { ComparisonProofs } from "../compare/proofs.js";
import type { Texts } from "../engine/apply-fixes.js";
import { noProofs } from "../engine/rule.js";
import {
  applyFilters,
  runRules as examineBy,
  type LintOptions,
  type LintResult,
  type RawLintResult,
} from "../engine/run-rules.js";
import type { Project } from "../project/model/project.js";

/** What to lint by, and what the configuration is compared with. */
export interface ProvedLintOptions extends LintOptions {
  /** The same configuration as the release of `from` reads it; it is asked for once a rule sets the releases side by side. */
  readonly before?: () => Project | undefined;
}

/** Runs rules over a project, proves what they ask to be proved, and tells what they find. */
export function lint(project: Project, options: ProvedLintOptions): LintResult {
  return applyFilters(runRulesWithProofs(project, options), options);
}

/** What rules find in a project with proofs, wherever it is. */
export function runRulesWithProofs(project: Project, options: Omit<ProvedLintOptions, "only" | "sift">): RawLintResult {
  const { before = () => undefined, ...rest } = options;
  // What is so of all requests hangs on all files.
  const proofs = rest.proofs ?? (project.view ? noProofs : new ComparisonProofs(project, before));
  return examineBy(project, { ...rest, proofs });
}

/** A configuration with what rules find in it, worked out when it is asked for; it can be read again with other texts. */
export class LintSession {
  private all: RawLintResult | undefined;
  private known: LintResult | undefined;
  private knownUnproved: LintResult | undefined;

  /**
   * @param options how it is linted, also with other texts: what it is compared with stays as it is
   * @param read the configuration with texts in place of files; undefined where it cannot be read
   */
  constructor(
    readonly project: Project,
    private readonly options: ProvedLintOptions,
    private readonly read: (texts: Texts) => Project | undefined,
  ) {}

  get result(): LintResult {
    this.known ??= applyFilters(this.examined, this.options);
    return this.known;
  }

  /** What is found at all, also where it is not asked for. */
  get examined(): RawLintResult {
    this.all ??= runRulesWithProofs(this.project, this.options);
    return this.all;
  }

  /** Without what takes a proof, which is most of the work. */
  get unproved(): LintResult {
    this.knownUnproved ??= lint(this.project, { ...this.options, proofs: noProofs });
    return this.knownUnproved;
  }

  /** The files asked for, by real path. */
  get asked(): ReadonlySet<string> {
    return this.options.only ?? new Set([...this.project.files.values()].map(({ source }) => source.realPath));
  }

  /** The names of the rules about who may access what. */
  get accessRules(): ReadonlySet<string> {
    return new Set(this.options.rules.filter(({ tags }) => tags?.includes("access-control")).map(({ id }) => id));
  }

  reload(texts: Texts): LintSession | undefined {
    const project = this.read(texts);
    return project && new LintSession(project, this.options, this.read);
  }
}
