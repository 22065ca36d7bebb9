import { layerOf } from "../../httpd/model/config-layer.js";
import type { RequestModel } from "../../logic/symbolic/atoms.js";
import { EquivalenceChecker } from "../../logic/symbolic/explorer.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import type { Scope } from "../../project/model/scope.js";
import { findUndefinedVariable } from "../../project/model/variables.js";
import { accessRulesOf } from "../rules/merge.js";
import { lacksAccessCompat, lacksRequire } from "../rules/providers.js";
import { analyzeCompatSection } from "./compat-section.js";
import { findOverlappingLines, mayHaveShadowedCompatLines, mayHaveShadowedRequireLines } from "./prefilter.js";
import { analyzeRequireSection, analyzeRequireSection22 } from "./require-section.js";
import { type Removable, type RemovableRules, SymbolicClient } from "./symbolic-client.js";

/** A line, or a container, without which its section says the same to everybody. */
export interface ShadowedLine {
  readonly directive: Directive;
  /** The lines that decide where it has something to say; empty where none does. */
  readonly by: readonly Directive[];
}

/** So much is spent on one line: what takes more is taken to matter. */
const MAX_NODES = 100_000;
const MAX_RUNS = 300;

/** In longer sections only lines that are likely shadowed are looked at, and so many times their length is what that may take. */
const LONG_SECTION = 100;
const MAX_LINES = 20_000;

/** Finds the lines of sections that change no decision, by proof: what is too large to be proved is not found. */
export class ShadowFinder {
  private readonly agreement = new EquivalenceChecker({ nodes: MAX_NODES, runs: MAX_RUNS });

  /**
   * The lines that a section could do without, one by one and all of them together; of lines that say the same the later
   * ones. In the order of the section.
   */
  findIn(rules: RemovableRules): readonly ShadowedLine[] {
    const found: ShadowedLine[] = [];
    const all = allIn(rules.removables);
    const likely = all.length > LONG_SECTION ? findOverlappingLines(all) : undefined;
    const most = MAX_LINES / all.length;
    let left = rules;
    const visit = (removable: Removable): void => {
      const { directive, inner } = removable;
      if (found.length >= most || likely?.has(directive) === false) return;
      const [alone, rest] = [rules.without(directive), left.without(directive)];
      if (alone && rest && (left === rules || this.deciders(rules, alone, removable))) {
        const by = this.deciders(left, rest, removable);
        if (by) {
          found.unshift({ directive, by });
          left = rest;
          return;
        }
      }
      for (const each of inner.toReversed()) visit(each);
    };
    for (const each of rules.removables.toReversed()) visit(each);
    return found;
  }

  /** Who decides for those whom a line speaks to; undefined where it matters to one of them. */
  private deciders(
    rules: RemovableRules,
    rest: RemovableRules,
    { appliesTo, samples, replacementsIn }: Removable,
  ): readonly Directive[] | undefined {
    const spokenTo = { isSomebody: false, by: new Set<Directive>() };
    const others = new Set<Directive>();
    const ask = (situation: RequestModel) => {
      const client = new SymbolicClient(situation);
      const { result, by } = rest.decide(client);
      const speaks = appliesTo(client);
      spokenTo.isSomebody ||= speaks;
      for (const each of replacementsIn(by)) (speaks ? spokenTo.by : others).add(each);
      return { agree: rules.decide(client).result === result, seen: client.observations };
    };
    for (const sample of samples) {
      const client = new SymbolicClient(sample, false);
      const { result, by } = rest.decide(client);
      if (rules.decide(client).result !== result) return undefined;
      // The proof looks at whole lists, of which one that is named stands for all.
      if (appliesTo(client)) for (const each of replacementsIn(by)) spokenTo.by.add(each);
    }
    if (this.agreement.isProved(ask) !== true) return undefined;
    return [...(spokenTo.isSomebody ? spokenTo.by : others)];
  }
}

function allIn(removables: readonly Removable[]): readonly Directive[] {
  return removables.flatMap(({ directive, inner }) => [directive, ...allIn(inner)]);
}

/** The lines of access control in a scope that change no decision. */
export function findShadowedLines(scope: Scope, project: Project, finder: ShadowFinder): readonly ShadowedLine[] {
  const { directives } = scope;
  // What they speak of nobody knows.
  if (directives.some(({ argumentText }) => findUndefinedVariable(argumentText) !== undefined)) return [];
  const old =
    mayHaveShadowedCompatLines(directives) && !lacksAccessCompat(project)
      ? analyzeCompatRules(scope, project)
      : undefined;
  const require =
    mayHaveShadowedRequireLines(directives) && !lacksRequire(project) ? analyzeRequireRules(scope, project) : undefined;
  return [old, require].flatMap((rules) => (rules === undefined ? [] : finder.findIn(rules)));
}

/** Undefined where the server refuses some of them. */
function analyzeCompatRules({ content, section }: Scope, { release }: Project): RemovableRules | undefined {
  const { old } = accessRulesOf(layerOf(content, section));
  return old && old.unreadable.length === 0 ? analyzeCompatSection(old, release) : undefined;
}

function analyzeRequireRules({ content, section, directives }: Scope, project: Project): RemovableRules | undefined {
  if (project.release === "2.2") return analyzeRequireSection22(directives.filter(({ key }) => key === "require"));
  const layer = layerOf(content, section);
  const { authz } = accessRulesOf(layer);
  return authz?.rules?.kind === "section" ? analyzeRequireSection(authz.rules.rules, { project, layer }) : undefined;
}
