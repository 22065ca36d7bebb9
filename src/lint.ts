import { ComparedProofs } from "./compare/proofs.js";
import { type LintOptions, type LintResult, lint as lintBy } from "./engine/lint.js";
import type { Project } from "./project/project.js";

/** What to lint by, and what the configuration is compared with. */
export interface ProvedLintOptions extends LintOptions {
  /** The same configuration as the release of `from` reads it; it is asked for once a rule sets the releases side by side. */
  readonly before?: () => Project | undefined;
}

/** Runs rules over a project, and proves what they ask to be proved. */
export function lint(project: Project, options: ProvedLintOptions): LintResult {
  const { before = () => undefined, proofs = new ComparedProofs(project, before), ...rest } = options;
  return lintBy(project, { ...rest, proofs });
}
