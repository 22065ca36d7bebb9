import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isolateHost, removeDirectives } from "../../config/queries/directive-tree.js";
import { StepAllowance, type StepBudget } from "../../regex/budget.js";
import { isCompatDirective } from "../../server/access/compat-rules.js";
import {
  defaultBudget,
  type ExplorationBudget,
  fragmentBudget,
  MAX_FIX_STEPS,
  type SharedSteps,
} from "../model/budget.js";
import type { ConfigComparison } from "../model/comparison.js";
import type { AccessMap } from "../model/mapped-access.js";
import type { ProgressListener } from "../model/progress.js";
import { AccessMapBuilder } from "./access-map.js";
import { compare, exploreRequests } from "./compare.js";
import { DifferenceFinder } from "./difference-finder.js";
import { startExploration } from "./exploration.js";
import type { Side } from "./observed-sides.js";

/**
 * Maximum number of virtual hosts checked in one run to prove that lines are redundant; further ones are not proved.
 */
const MAX_HOSTS = 200;

/** Facts about all requests to a configuration, computed on demand. */
export class ComparisonProofs {
  private compared: { readonly upgrade: ConfigComparison | undefined } | undefined;
  private left = MAX_HOSTS;
  private readonly steps: SharedSteps;

  /**
   * @param before the same configuration as read by the release it comes from; undefined if none is named
   * @param onProgress receives the progress of the comparison with it
   * @param spent counts all steps
   */
  constructor(
    private readonly project: Project,
    private readonly before: () => Project | undefined,
    private readonly onProgress?: ProgressListener,
    private readonly spent?: StepBudget,
  ) {
    this.steps = new StepAllowance(MAX_FIX_STEPS, spent);
  }

  /** Returns the decisions that differ in the release before. A part of a server is compared in an assumed server. */
  upgrade(): ConfigComparison | undefined {
    if (this.compared === undefined) {
      const before = this.before();
      const budget = this.project.kind === "server" ? defaultBudget : fragmentBudget;
      this.compared = {
        upgrade:
          before &&
          compare(toServerSide(before), toServerSide(this.project), budget, {
            steps: this.spent,
            onProgress: this.onProgress,
          }),
      };
    }
    return this.compared.upgrade;
  }

  /**
   * Reports whether every request has the same result without some lines. Lines in one virtual host are proved only in
   * that host.
   */
  isRedundant(without: ReadonlySet<Directive>): boolean {
    if (this.project.kind !== "server" || without.size === 0) return false;
    const [host, ...others] = new Set([...without].map(hostAround));
    const project = host && others.length === 0 ? isolateHost(this.project, host) : this.project;
    const hosts = project.directives.filter(({ key }) => key === "<virtualhost").length + 1;
    if (hosts > this.left) return false;
    this.left -= hosts;
    const before = { ...toServerSide(project), ...decidingCondition(without, project) };
    const after = toServerSide(removeDirectives(project, without));
    return compare(before, after, defaultBudget, { steps: this.steps }).verdict === "equivalent";
  }
}

/**
 * Limits the comparison to states with a section that contains the lines. This holds for Order/Allow/Deny lines, except
 * those that may prevent a `.htaccess` file from being read.
 */
function decidingCondition(lines: ReadonlySet<Directive>, { htaccess }: Project): Pick<Side, "mayDiffer"> {
  const ofFiles = new Set(htaccess.map(({ tree }) => tree));
  if ([...lines].some((line) => !isCompatDirective(line) || ofFiles.has(line.reading.tree))) return {};
  return { mayDiffer: ({ layers }) => layers.some(({ directives }) => directives.some((each) => lines.has(each))) };
}

/** Returns the side of a comparison that reads a project as httpd does. */
export function toServerSide(project: Project) {
  return { project, semantics: "server" } as const;
}

function hostAround({ parent }: Directive): Directive | undefined {
  return parent === undefined || parent.key === "<virtualhost" ? parent : hostAround(parent);
}

/** Returns the results of `compare` and `accessMap` from one exploration of two sides. */
export function compareWithAccessMap(
  before: Side,
  after: Side,
  budget: ExplorationBudget = defaultBudget,
  onProgress?: ProgressListener,
): { readonly comparison: ConfigComparison; readonly map: AccessMap } {
  const exploration = startExploration(before, after, budget);
  const finder = new DifferenceFinder(exploration);
  const builder = new AccessMapBuilder(exploration);
  exploreRequests(exploration, [finder, builder], { onProgress });
  return { comparison: finder.comparison(), map: builder.build() };
}
