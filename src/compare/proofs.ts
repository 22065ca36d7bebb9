import { isCompatDirective } from "../access/rules/compat-rules.js";
import { assumeServer } from "../project/assumed-server.js";
import type { Directive } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";
import { isolateHost, removeDirectives } from "../project/queries/directive-tree.js";
import { type AccessMap, AccessMapBuilder } from "./access-map.js";
import { type ConfigComparison, compare, DifferenceFinder } from "./compare.js";
import { type Side, startExploration } from "./exploration.js";
import { createRunSteps, defaultBudget, partBudget, type SurveyBudget } from "./model/budget.js";

/** So many virtual hosts are gone over in one run for proofs that lines change nothing; what comes behind is not proved. */
const MOST_HOSTS = 200;

/** What is so of all requests to a configuration, worked out when it is asked for. */
export class ComparisonProofs {
  private compared: { readonly upgrade: ConfigComparison | undefined } | undefined;
  private left = MOST_HOSTS;
  private readonly steps = createRunSteps();

  /** @param before the same configuration as the release that it comes from reads it; undefined where none is named */
  constructor(
    private readonly project: Project,
    private readonly before: () => Project | undefined,
  ) {}

  /** Returns the answers that differ in the release before. A part of a server is compared in an assumed server. */
  upgrade(): ConfigComparison | undefined {
    if (this.compared === undefined) {
      const before = this.before();
      const side = (project: Project) => toServerSide(assumeServer(project));
      const budget = this.project.kind === "server" ? defaultBudget : partBudget;
      this.compared = { upgrade: before && compare(side(before), side(this.project), budget) };
    }
    return this.compared.upgrade;
  }

  /** Whether every request is answered alike without some lines. Lines in one virtual host are proved in that alone. */
  isRedundant(without: ReadonlySet<Directive>): boolean {
    if (this.project.kind !== "server" || without.size === 0) return false;
    const [host, ...others] = new Set([...without].map(hostAround));
    const project = host && others.length === 0 ? isolateHost(this.project, host) : this.project;
    const hosts = project.directives.filter(({ key }) => key === "<virtualhost").length + 1;
    if (hosts > this.left) return false;
    this.left -= hosts;
    const before = { ...toServerSide(project), ...decidingCondition(without, project) };
    const after = toServerSide(removeDirectives(project, without));
    return compare(before, after, defaultBudget, this.steps).verdict === "equivalent";
  }
}

/**
 * Old rules count where a section that holds them is in force, and nowhere else; not so where they may keep a `.htaccess`
 * file from being read.
 */
function decidingCondition(lines: ReadonlySet<Directive>, { htaccess }: Project): Pick<Side, "mayDiffer"> {
  const ofFiles = new Set(htaccess.map(({ tree }) => tree));
  if ([...lines].some((line) => !isCompatDirective(line) || ofFiles.has(line.reading.tree))) return {};
  return { mayDiffer: ({ layers }) => layers.some(({ directives }) => directives.some((each) => lines.has(each))) };
}

function toServerSide(project: Project) {
  return { project, reading: "server" } as const;
}

function hostAround({ parent }: Directive): Directive | undefined {
  return parent === undefined || parent.key === "<virtualhost" ? parent : hostAround(parent);
}

/** What `compare` and `accessMap` say of two sides, gone over once for both. */
export function compareWithAccessMap(
  before: Side,
  after: Side,
  budget: SurveyBudget = defaultBudget,
): { readonly comparison: ConfigComparison; readonly map: AccessMap } {
  const survey = startExploration(before, after, budget);
  const comparing = new DifferenceFinder(survey);
  const mapping = new AccessMapBuilder(survey);
  survey.visit([comparing, mapping]);
  return { comparison: comparing.comparison(), map: mapping.build() };
}
