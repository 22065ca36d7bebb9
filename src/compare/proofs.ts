import { isOldDirective } from "../access/old-rules.js";
import { assumeServer } from "../project/assumed-server.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { withHostAlone, withoutDirectives } from "../project/without.js";
import { type Comparison, compare } from "./compare.js";
import type { Side } from "./survey.js";
import { partBudget, stepsOfRun, usualBudget } from "./survey-budget.js";

/** So many virtual hosts are gone over in one run for proofs that lines change nothing; what comes behind is not proved. */
const MOST_HOSTS = 200;

/** What is so of all requests to a configuration, worked out when it is asked for. */
export class ComparedProofs {
  private compared: { readonly upgrade: Comparison | undefined } | undefined;
  private left = MOST_HOSTS;
  private readonly steps = stepsOfRun();

  /** @param before the same configuration as the release that it comes from reads it; undefined where none is named */
  constructor(
    private readonly project: Project,
    private readonly before: () => Project | undefined,
  ) {}

  /** Returns the answers that differ in the release before. A part of a server is compared in an assumed server. */
  upgrade(): Comparison | undefined {
    if (this.compared === undefined) {
      const before = this.before();
      const side = (project: Project) => asServer(assumeServer(project));
      const budget = this.project.kind === "server" ? usualBudget : partBudget;
      this.compared = { upgrade: before && compare(side(before), side(this.project), budget) };
    }
    return this.compared.upgrade;
  }

  /** Whether every request is answered alike without some lines. Lines in one virtual host are proved in that alone. */
  changesNothing(without: ReadonlySet<Directive>): boolean {
    if (this.project.kind !== "server" || without.size === 0) return false;
    const [host, ...others] = new Set([...without].map(hostAround));
    const project = host && others.length === 0 ? withHostAlone(this.project, host) : this.project;
    const hosts = project.directives.filter(({ key }) => key === "<virtualhost").length + 1;
    if (hosts > this.left) return false;
    this.left -= hosts;
    const before = { ...asServer(project), ...decidingBy(without, project) };
    const after = asServer(withoutDirectives(project, without));
    return compare(before, after, usualBudget, this.steps).verdict === "equivalent";
  }
}

/**
 * Old rules count where a section that holds them is in force, and nowhere else; not so where they may keep a `.htaccess`
 * file from being read.
 */
function decidingBy(lines: ReadonlySet<Directive>, { htaccess }: Project): Pick<Side, "mayDiffer"> {
  const ofFiles = new Set(htaccess.map(({ tree }) => tree));
  if ([...lines].some((line) => !isOldDirective(line) || ofFiles.has(line.reading.tree))) return {};
  return { mayDiffer: ({ layers }) => layers.some(({ directives }) => directives.some((each) => lines.has(each))) };
}

function asServer(project: Project) {
  return { project, reading: "server" } as const;
}

function hostAround({ parent }: Directive): Directive | undefined {
  return parent === undefined || parent.key === "<virtualhost" ? parent : hostAround(parent);
}
