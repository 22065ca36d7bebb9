import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import { findUndefinedVariable } from "../../config/model/variables.js";
import type { Refusal } from "../../config/refusals/refusal.js";
import { isSince } from "../../facts/release.js";
import { CurrentStepBudget, StepAllowance, unlimitedSteps } from "../../regex/budget.js";
import type { HostRule } from "../../server/access/compat-rules.js";
import { accessRulesOf } from "../../server/access/merge.js";
import { lacksAccessCompat, lacksRequire } from "../../server/access/providers.js";
import type { RequireRule } from "../../server/access/require-rules.js";
import type { RequestModel } from "../../server/model/atoms.js";
import { layerOf } from "../../server/model/config-layer.js";
import { usesAnyUndefined } from "../../server/sections/undecidable-lines.js";
import { memoize } from "../../text/memoize.js";
import type { Span } from "../../text/source.js";
import { EquivalenceChecker } from "../requests/explorer.js";
import { analyzeCompatSection } from "./compat-section.js";
import { findOverlappingLines, mayHaveShadowedCompatLines, mayHaveShadowedRequireLines } from "./prefilter.js";
import { analyzeRequireSection, analyzeRequireSection22 } from "./require-section.js";
import { type Removable, type RemovableRules, SymbolicClient } from "./symbolic-client.js";

/** A line or container that can be removed without changing the section's result for any client. */
export interface ShadowedLine {
  readonly directive: Directive;
  /** The lines that decide where it would apply; empty if there are none. */
  readonly by: readonly Directive[];
}

/** Budget for one line: beyond it the line is assumed to have an effect. */
const MAX_NODES = 100_000;
const MAX_RUNS = 300;

/** Step budget of a section: a base, and steps for each line. */
export const BASE_STEPS_PER_SECTION = 1_000_000;
export const STEPS_PER_SECTION_LINE = 5_000;

/**
 * In longer sections only likely shadowed lines are checked. The number of lines found, times the section's length, is
 * limited.
 */
const LONG_SECTION = 100;
const MAX_LINES = 20_000;

/**
 * Finds the lines of sections that do not change any decision, by proof. Lines that exceed the proof budget are not
 * reported.
 */
export class ShadowFinder {
  private readonly steps = new CurrentStepBudget(unlimitedSteps);
  /** Number of arguments in the current section: a probe may read all of them. */
  private argumentCount = 0;
  private readonly equivalence = new EquivalenceChecker({ nodes: MAX_NODES, runs: MAX_RUNS, allowance: this.steps });

  /**
   * Returns the lines that a section does not need, both individually and all together, in section order. Of equivalent
   * lines, the later ones are returned.
   */
  findIn(rules: RemovableRules): readonly ShadowedLine[] {
    const found: ShadowedLine[] = [];
    const all = allIn(rules.removables);
    this.argumentCount = all.reduce((sum, directive) => sum + directive.arguments.length, 0);
    this.steps.of = new StepAllowance(BASE_STEPS_PER_SECTION + STEPS_PER_SECTION_LINE * all.length);
    const likely = all.length > LONG_SECTION ? findOverlappingLines(all) : undefined;
    const max = MAX_LINES / all.length;
    let left = rules;
    const visit = (removable: Removable): void => {
      const { directive, inner } = removable;
      if (found.length >= max || likely?.has(directive) === false) return;
      const [withoutLine, rest] = [rules.without(directive), left.without(directive)];
      if (withoutLine && rest && (left === rules || this.findReplacements(rules, withoutLine, removable))) {
        const by = this.findReplacements(left, rest, removable);
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

  /** Returns whether rules are proved to allow no client. */
  neverGrants(rules: RemovableRules): boolean {
    const all = allIn(rules.removables);
    this.argumentCount = all.reduce((sum, directive) => sum + directive.arguments.length, 0);
    this.steps.of = new StepAllowance(BASE_STEPS_PER_SECTION);
    const samples = rules.removables.flatMap((each) => each.samples);
    if (samples.some((sample) => rules.decide(new SymbolicClient(sample, false)).result === "granted")) return false;
    return (
      this.equivalence.isProved((model) => {
        this.steps.take(this.argumentCount);
        const client = new SymbolicClient(model);
        return { agree: rules.decide(client).result !== "granted", observations: client.observations };
      }) === true
    );
  }

  /** Returns the lines that decide for the clients that a line matches; undefined if it affects one of them. */
  private findReplacements(
    rules: RemovableRules,
    rest: RemovableRules,
    { appliesTo, samples, replacementsIn }: Removable,
  ): readonly Directive[] | undefined {
    const affected = { isAny: false, by: new Set<Directive>() };
    const others = new Set<Directive>();
    const probe = (model: RequestModel) => {
      this.steps.take(this.argumentCount);
      const client = new SymbolicClient(model);
      const { result, by } = rest.decide(client);
      const isAffected = appliesTo(client);
      affected.isAny ||= isAffected;
      for (const each of replacementsIn(by)) (isAffected ? affected.by : others).add(each);
      return { agree: rules.decide(client).result === result, observations: client.observations };
    };
    for (const sample of samples) {
      this.steps.take(this.argumentCount);
      if (this.steps.isUsedUp) return undefined;
      const client = new SymbolicClient(sample, false);
      const { result, by } = rest.decide(client);
      if (rules.decide(client).result !== result) return undefined;
      // The proof treats a whole list as one predicate, so that one named client represents all.
      if (appliesTo(client)) for (const each of replacementsIn(by)) affected.by.add(each);
    }
    if (this.equivalence.isProved(probe) !== true) return undefined;
    return [...(affected.isAny ? affected.by : others)];
  }
}

function allIn(removables: readonly Removable[]): readonly Directive[] {
  return removables.flatMap(({ directive, inner }) => [directive, ...allIn(inner)]);
}

/** Returns the places of Includes and template tags whose lines were not read. */
const unreadPlaces = memoize(({ problems }: Project): readonly Span[] => {
  const kinds: ReadonlySet<Refusal["kind"]> = new Set(["include", "passed-over", "template"]);
  return problems.flatMap(({ kind, span }) => (kinds.has(kind) ? [span] : []));
});

/** Reports whether a place is next to a line: no tag of a section is between them. */
function isNextTo(place: Span, { span }: Directive): boolean {
  if (place.file.realPath !== span.file.realPath) return false;
  const [from, to] = span.start < place.start ? [span.end, place.start] : [place.end, span.start];
  return !/^[\t ]*<\/?[A-Za-z]/m.test(span.file.text.slice(from, to));
}

/** Reports whether lines have variables that are not defined. */
function hasUnknownValues(lines: readonly Directive[], project: Project): boolean {
  const isUnknown = ({ argumentText }: Directive) => findUndefinedVariable(argumentText) !== undefined;
  return usesAnyUndefined(project) && lines.some(isUnknown);
}

/** Returns the access control lines in a scope that do not change any decision. */
export function findShadowedLines(scope: Scope, project: Project, finder: ShadowFinder): readonly ShadowedLine[] {
  const { directives } = scope;
  if (hasUnknownValues(directives, project)) return [];
  // Lines that were not read may be in the same section.
  if (unreadPlaces(project).some((place) => directives.some((line) => isNextTo(place, line)))) return [];
  const compat =
    mayHaveShadowedCompatLines(directives) && !lacksAccessCompat(project)
      ? analyzeCompatRules(scope, project)
      : undefined;
  const require =
    mayHaveShadowedRequireLines(directives) && !lacksRequire(project) ? analyzeRequireRules(scope, project) : undefined;
  const found = [compat, require].flatMap((rules) => (rules === undefined ? [] : finder.findIn(rules)));
  const isCompat = isSince(project.release, "2.4") && !lacksAccessCompat(project);
  const unrestricted = isCompat ? findUnrestrictedLists(scope) : [];
  return unrestricted.length === 0
    ? found
    : [...found.filter(({ directive }) => directive.key !== "allow"), ...unrestricted];
}

/** Two members of a RequireAll that no client meets together, although each allows some clients. */
export interface UnmetContainer {
  readonly container: Directive;
  readonly members: readonly [Directive, Directive];
}

/** In longer containers, pairs are not compared. */
const MAX_MEMBERS = 20;

/** Returns the RequireAll containers of a scope with members that contradict each other, on 2.4. */
export function findContradictions(scope: Scope, project: Project, finder: ShadowFinder): readonly UnmetContainer[] {
  const { content, section, directives } = scope;
  if (!isSince(project.release, "2.4") || lacksRequire(project) || !directives.some(({ key }) => key === "<requireall"))
    return [];
  if (hasUnknownValues(directives, project)) return [];
  const layer = layerOf(content, section);
  const { authz } = accessRulesOf(layer);
  const grants = (rules: readonly RequireRule[]) => {
    const analyzed = analyzeRequireSection(rules, { project, layer });
    return analyzed !== undefined && !finder.neverGrants(analyzed);
  };
  const findIn = (rule: RequireRule): readonly UnmetContainer[] => {
    if (rule.kind === "require") return [];
    const pair = rule.kind === "all" ? findContradiction(rule, grants) : undefined;
    return pair ? [{ container: rule.directive, members: pair }] : rule.rules.flatMap(findIn);
  };
  return authz?.rules?.kind === "section" ? authz.rules.rules.flatMap(findIn) : [];
}

function findContradiction(
  container: Exclude<RequireRule, { readonly kind: "require" }>,
  grants: (rules: readonly RequireRule[]) => boolean,
): UnmetContainer["members"] | undefined {
  const isNegative = (rule: RequireRule) => (rule.kind === "require" ? rule.negated : rule.kind === "none");
  const mayHold = (rule: RequireRule) => isNegative(rule) || grants([rule]);
  const members = container.rules.length > MAX_MEMBERS ? [] : container.rules;
  if (!members.every(mayHold)) return undefined;
  for (const [index, second] of members.entries())
    for (const first of members.slice(0, index)) {
      const both = { ...container, rules: [first, second] };
      if (isNegative(first) && isNegative(second)) continue;
      if (!grants([both])) return [first.directive, second.directive];
    }
  return undefined;
}

/**
 * Returns the Allow lines of a section in which the Order allows every client: also the only one, which cannot be deleted
 * without inheriting other lines.
 */
function findUnrestrictedLists({ content, section, directives }: Scope): readonly ShadowedLine[] {
  const keys = new Set(directives.map(({ key }) => key));
  if (!keys.has("allow") || keys.has("deny")) return [];
  const { compat } = accessRulesOf(layerOf(content, section));
  if (compat === undefined || compat.unreadable.length > 0) return [];
  const order = compat.orders.at(-1);
  if ((order?.ordering ?? "deny,allow") !== "deny,allow") return [];
  if ([...compat.hosts, ...compat.orders].some(({ limits }) => limits.length > 0)) return [];
  // `none` is reported by its own name, and `Allow from all` is a common way to allow every client.
  const isList = ({ match }: HostRule) =>
    match.kind !== "all" && !(match.kind === "host" && /^none$/i.test(match.name));
  if (!compat.hosts.every(isList)) return [];
  const lines = [...new Set(compat.hosts.map(({ directive }) => directive))];
  return lines.map((directive) => ({ directive, by: order ? [order.directive] : [] }));
}

/** Returns undefined if the server rejects any of them. */
function analyzeCompatRules({ content, section }: Scope, { release }: Project): RemovableRules | undefined {
  const { compat } = accessRulesOf(layerOf(content, section));
  return compat && compat.unreadable.length === 0 ? analyzeCompatSection(compat, release) : undefined;
}

function analyzeRequireRules({ content, section, directives }: Scope, project: Project): RemovableRules | undefined {
  if (!isSince(project.release, "2.4"))
    return analyzeRequireSection22(directives.filter(({ key }) => key === "require"));
  const layer = layerOf(content, section);
  const { authz } = accessRulesOf(layer);
  return authz?.rules?.kind === "section" ? analyzeRequireSection(authz.rules.rules, { project, layer }) : undefined;
}
