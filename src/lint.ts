import { ComparedProofs } from "./compare/proofs.js";
import { type Examined, examine as examineBy, type LintOptions, type LintResult, told } from "./engine/lint.js";
import { noProofs } from "./engine/proofs.js";
import type { Project } from "./project/project.js";

/** What to lint by, and what the configuration is compared with. */
export interface ProvedLintOptions extends LintOptions {
  /** The same configuration as the release of `from` reads it; it is asked for once a rule sets the releases side by side. */
  readonly before?: () => Project | undefined;
}

/** Runs rules over a project, proves what they ask to be proved, and tells what they find. */
export function lint(project: Project, options: ProvedLintOptions): LintResult {
  return told(examine(project, options), options);
}

/** What rules find in a project with proofs, wherever it is. */
export function examine(project: Project, options: Omit<ProvedLintOptions, "only" | "sift">): Examined {
  const { before = () => undefined, ...rest } = options;
  // What is so of all requests hangs on all files.
  const proofs = rest.proofs ?? (project.view ? noProofs : new ComparedProofs(project, before));
  return examineBy(project, { ...rest, proofs });
}
