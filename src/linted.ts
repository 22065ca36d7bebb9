import type { Texts } from "./engine/fix-passes.js";
import { type Examined, type LintResult, told } from "./engine/lint.js";
import { noProofs } from "./engine/proofs.js";
import { examine, lint, type ProvedLintOptions } from "./lint.js";
import type { Project } from "./project/project.js";

/** A configuration with what rules find in it, worked out when it is asked for; it can be read again with other texts. */
export class Linted {
  private all: Examined | undefined;
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
    this.known ??= told(this.examined, this.options);
    return this.known;
  }

  /** What is found at all, also where it is not asked for. */
  get examined(): Examined {
    this.all ??= examine(this.project, this.options);
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

  again(texts: Texts): Linted | undefined {
    const project = this.read(texts);
    return project && new Linted(project, this.options, this.read);
  }
}
