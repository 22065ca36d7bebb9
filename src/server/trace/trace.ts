import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { type HtaccessFile, isAssumed, mainFileOf, type Project } from "../../config/model/project.js";
import { type SourceFile, type Span, toReadable } from "../../text/source.js";
import { formatWordList } from "../../text/words.js";
import { aliasOf } from "../access/provider-checks.js";
import { parseRequireLine } from "../access/require-rules.js";
import type { AccessRecorder } from "../model/access-recorder.js";
import type { Cause } from "../model/answer.js";
import { type ConfigLayer, findSetting } from "../model/config-layer.js";
import { type Pass, passesOf } from "../model/pass.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import type { TracedSection, TraceStep } from "../model/trace-step.js";
import { leadsToSlash } from "../phases/directory.js";
import { listUsedRules } from "../rewrite/rule-merging.js";
import type { MergeGroup } from "../sections/per-dir-config.js";
import type { FoundHtaccess } from "../walk/directory-walk.js";
import { describeOwnRedirects, describeSentHost, sentUrlOf } from "./destination.js";
import { fileNameOf, overrideLinesOf, startOfFile, traceUnmergedHtaccess } from "./htaccess-steps.js";
import { layerEffectOf } from "./layer-effects.js";
import { describeSetVariables, findRelatedLines, type RelatedLine } from "./related-lines.js";
import {
  describeRewriting,
  findSetters,
  mergeFinalStep,
  targetLinesOf,
  traceRewriting,
  traceScriptUrl,
  traceServer,
  type VariableSetter,
} from "./request-steps.js";
import { createLineStep, createStep, formatLine, quoteLine } from "./step.js";

/** Returns the steps of an outcome, in the server's order. */
export function traceOf(outcome: RequestOutcome, watch: AccessRecorder, setup: SimulationSetup): readonly TraceStep[] {
  const { pass, status, replacedBy = [] } = outcome;
  const finalSteps = replacedBy.map((line) => createLineStep(line, `makes the status ${status}`));
  if (pass === undefined) return finalSteps;
  const seen = new Set<ConfigLayer>();
  const traced = new Set<HtaccessFile>();
  const steps: TraceStep[] = [];
  const indexSteps = (outer: Pass): readonly TraceStep[] => [
    ...mergeIndexSteps(
      outer.inner.map((inner) => ({
        of: inner,
        steps: [...new PassTracer(inner, watch, setup, seen, traced, false).steps(), ...indexSteps(inner)],
      })),
    ).flatMap(({ inners, steps }) => [indexStep(outer, inners, setup.project), ...steps]),
    ...variantSteps(outer),
    ...typeMapSteps(outer),
  ];
  let previous: Pass | undefined;
  for (let each: Pass | undefined = pass; each; each = each.next?.pass) {
    steps.push(...new PassTracer(each, watch, setup, seen, traced, true, previous).steps());
    previous = each;
    steps.push(...indexSteps(each));
  }
  return [...steps, ...finalSteps];
}

/** Returns the spans of the deciding lines: once access is granted, those that cause an error. */
export function placesOf({ by, pass }: RequestOutcome, causes: readonly Cause[] = []): readonly Span[] {
  if (pass?.isAuthorized && causes.length > 0) return causes.flatMap(({ line }) => (line ? [line.span] : []));
  const walked = pass && passesOf(pass).find(({ walked }) => walked?.refused)?.walked;
  if (by.length > 0 || walked?.refused === undefined) return [...new Set(by)].map(({ span }) => span);
  return [walked.refused.refusal.span];
}

/** Returns the step for the variant that a type map led to. */
function typeMapSteps({ next }: Pass): readonly TraceStep[] {
  if (!next || !/^(?:add|set)(?:handler|type)$|^forcetype$/.test(next.by.key)) return [];
  return [createLineStep(next.by, `serves \`${toReadable(next.pass.path)}\` (type map)`)];
}

/** Returns the step for the file that mod_negotiation chose, or for its error. */
function variantSteps({ variant, isNegotiationFailed, state }: Pass): readonly TraceStep[] {
  const line = findSetting(state?.layers ?? [], "options");
  if (line === undefined) return [];
  if (variant?.walked)
    return [createLineStep(line, `serves \`${nativePath(toReadable(variant.walked.filename))}\` (MultiViews)`)];
  return isNegotiationFailed ? [createLineStep(line, "finds files by MultiViews, but none is acceptable")] : [];
}

/** An index file that is looked for, with the steps of its subrequest. */
interface IndexSteps {
  readonly of: Pass;
  readonly steps: readonly TraceStep[];
}

/** Joins index files in a row whose subrequests need no steps of their own. */
function mergeIndexSteps(
  all: readonly IndexSteps[],
): readonly { inners: readonly Pass[]; steps: readonly TraceStep[] }[] {
  const merged: { readonly inners: Pass[]; steps: readonly TraceStep[] }[] = [];
  for (const { of, steps } of all) {
    const last = merged.at(-1);
    if (last && last.steps.length === 0) {
      last.inners.push(of);
      last.steps = steps;
    } else merged.push({ inners: [of], steps });
  }
  return merged;
}

function indexStep({ index, state }: Pass, inners: readonly Pass[], project: Project): TraceStep {
  const [line = index ? undefined : findSetting(state?.layers ?? [], "options")] = index ?? [];
  const paths = formatWordList(inners.map(({ path }) => `\`${toReadable(path)}\``));
  const what = index ? "index file" : "file";
  const effect = `looks for the ${what}${inners.length === 1 ? "" : "s"} ${paths}`;
  if (line) return createLineStep(line, effect, index?.slice(1));
  return createStep({ section: "DirectoryIndex, by default", span: startOfFile(mainFile(project)) }, { effect });
}

function mainFile(project: Project): SourceFile {
  const { entry } = project;
  return mainFileOf(project) ?? { path: entry, realPath: entry, text: "" };
}

class PassTracer {
  private readonly groups: readonly MergeGroup[];
  /** Whether this is the first pass over the request. */
  private readonly isFirst: boolean;
  private knownRules: ReadonlySet<Directive> | undefined;

  constructor(
    private readonly pass: Pass,
    private readonly watch: AccessRecorder,
    private readonly setup: SimulationSetup,
    /** The per-directory configurations already reported, and the `.htaccess` files; both sets grow. */
    private readonly seen: Set<ConfigLayer>,
    private readonly traced: Set<HtaccessFile>,
    /** Whether the pass is over the request or its rewritten URL, not over an index file. */
    private readonly isMain: boolean,
    /** The pass that led to the URL of this one. */
    private readonly previous?: Pass,
  ) {
    this.isFirst = seen.size === 0;
    this.groups = pass.state?.groups ?? this.groupsOfWalk();
  }

  /** The rewrite rules of the sections that apply. */
  private get usedRules(): ReadonlySet<Directive> {
    this.knownRules ??= listUsedRules(this.groups);
    return this.knownRules;
  }

  /** Returns the groups of the directory walk. If a `.htaccess` file is rejected, nothing after the walk is read. */
  private groupsOfWalk(): readonly MergeGroup[] {
    const { walked, walk } = this.pass;
    const directories = walked ? [{ kind: "directory" as const, layers: walked.layers }] : [];
    return walked?.unfollowed ? [{ kind: "server", layers: walk.serverLayers }, ...directories] : directories;
  }

  steps(): TraceStep[] {
    const { pass, setup, isFirst } = this;
    const steps = [
      ...(isFirst ? traceServer(pass, setup) : []),
      ...(pass.state === undefined ? this.setterSteps() : []),
      ...this.mappingSteps(),
    ];
    for (const [group, { kind, layers }] of this.groups.entries()) {
      for (const [index, layer] of layers.entries()) {
        if (kind === "directory") steps.push(...this.skippedFileSteps(index));
        steps.push(...this.layerSteps(group, index, layer, kind));
      }
      if (kind === "directory") steps.push(...this.skippedFileSteps(layers.length));
    }
    const { sections } = pass.rewriting;
    const rewritten = traceRewriting(sections, pass.request.query, pass.next !== undefined || !leadsToSlash(pass));
    return [...steps, ...rewritten.map((step) => this.afterEarlierRule(step)), ...this.redirectSteps()];
  }

  /** The lines that set variables read in this pass. */
  private get setters(): readonly VariableSetter[] {
    return this.isMain ? findSetters(this.pass, this.watch.variables) : [];
  }

  /** Returns the lines that set variables for rules that run before sections are merged. */
  private setterSteps(): TraceStep[] {
    return this.setters.map(({ directive, names }) =>
      createLineStep(directive, describeSetVariables(names, directive)),
    );
  }

  /** Adds to the step of a rule that answers that another rule has changed the URL before it could. */
  private afterEarlierRule(step: TraceStep): TraceStep {
    const { to } = this.pass.rewriting.sections ?? {};
    const { previous } = this;
    if (to?.kind !== "answered" || to.by !== step.lines[0] || !previous || previous.next?.by.key !== "rewriterule")
      return step;
    const { steps = [], misses = [] } = previous.rewriting.sections ?? {};
    if ([...steps, ...misses].some(({ rule }) => rule.directive === to.by)) return step;
    const first = `${quoteLine(previous.next.by)} comes first: this rule tests \`${toReadable(this.pass.path)}\``;
    return { ...step, details: [...step.details, first] };
  }

  /** Returns the Redirect of a section that answers. */
  private redirectSteps(): TraceStep[] {
    const { redirect, rewriting } = this.pass;
    if (redirect === undefined || rewriting.sections?.to?.kind === "answered") return [];
    const { by, status } = redirect;
    const step = createLineStep(by, `returns ${status} after access is granted`);
    // mod_rewrite leaves the URL to mod_alias, but the query is that of its rule (mod_alias.c `fixup_redir`).
    const rule = rewriting.sections?.to?.kind === "redirected" ? rewriting.sections.to.by : undefined;
    if (rule === undefined) return [step];
    return [
      {
        ...step,
        details: [`${quoteLine(rule)} comes first: rewrite rules of a directory run before \`Redirect\` lines`],
      },
    ];
  }

  /** Returns the lines that map the URL to a file, a backend or a response. */
  private mappingSteps(): TraceStep[] {
    const { mapping, rewriting, server } = this.pass;
    const rewritten = [
      ...(this.isFirst ? traceScriptUrl(rewriting.url, this.watch) : []),
      ...traceRewriting(rewriting.url, this.pass.request.query),
    ];
    if (!mapping.by || !(this.isMain || rewritten.length > 0 || mapping.kind === "answered")) return rewritten;
    // The DocumentRoot decides whether a rule's path is a file path or below the DocumentRoot.
    const root = rewriting.url?.to?.kind === "mapped" ? findSetting(server.layers, "documentroot") : undefined;
    const step = createLineStep(mapping.by, this.mappingEffect(), root ? [root] : targetLinesOf(mapping.by, server));
    if (mapping.kind === "answered") return mergeFinalStep(rewritten, { ...step, role: "early-response" });
    const details =
      mapping.kind === "proxy"
        ? [...describeSentHost(mapping, this.pass), ...describeOwnRedirects(mapping, this.pass)]
        : [];
    return mergeFinalStep(rewritten, { ...step, details });
  }

  private mappingEffect(): string {
    const { mapping } = this.pass;
    if (mapping.kind === "answered") return `returns ${mapping.status} before access is checked`;
    return mapping.kind === "proxy"
      ? `passes the request to \`${toReadable(sentUrlOf(mapping, this.pass))}\``
      : `maps to \`${nativePath(toReadable(mapping.filename))}\``;
  }

  private layerSteps(group: number, index: number, layer: ConfigLayer, kind: MergeGroup["kind"]): TraceStep[] {
    if (this.seen.has(layer)) return [];
    this.seen.add(layer);
    const effect = layerEffectOf(this.groups, group, index, this.setup.project);
    const related = findRelatedLines(layer, this.pass, this.setters);
    if (kind === "server") {
      const lines = related.map(({ directive, clause }) => createLineStep(directive, clause));
      return effect.settings.length > 0 ? [this.sectionStep(layer, effect, []), ...lines] : lines;
    }
    return [...this.aliasSteps(layer), this.sectionStep(layer, effect, related)];
  }

  private sectionStep(
    layer: ConfigLayer,
    effect: ReturnType<typeof layerEffectOf>,
    related: readonly RelatedLine[],
  ): TraceStep {
    const { section } = layer;
    const chain = section ? precedingIfs(section) : [];
    const file = this.fileOf(layer);
    const isRewriting = this.pass.isAuthorized && (section !== undefined || file !== undefined);
    const rewriting = isRewriting ? describeRewriting(layer, this.usedRules) : undefined;
    const clauses = [
      ...(chain.length > 0 ? ["the previous conditions are false"] : []),
      ...(effect.settings.length > 0 ? [`sets ${effect.settings.join(", ")}`] : []),
      ...related.map(({ clause, directive }) => `${quoteLine(directive)} ${clause}`),
      ...(rewriting?.clauses ?? []),
    ];
    return createStep(this.named(layer), {
      ...(clauses.length > 0 ? { effect: clauses.join("; ") } : describeOtherLines(layer)),
      lines: [
        ...(section ? [section] : []),
        ...chain,
        ...effect.lines,
        ...related.map(({ directive }) => directive),
        ...(rewriting?.lines ?? []),
        ...(file ? overrideLinesOf(this.pass, file.level) : []),
      ],
      replaced: effect.replaced.map(({ layer: other, rules }) => ({ ...this.named(other), rules })),
      combined: effect.combined.map((other) => this.named(other)),
    });
  }

  /** Returns the `.htaccess` file of a per-directory configuration. */
  private fileOf(layer: ConfigLayer): FoundHtaccess | undefined {
    const { walked } = this.pass;
    if (layer.section !== undefined) return undefined;
    return walked?.htaccess.find(({ level, verdict }) => verdict.kind === "taken" && walked.layers[level] === layer);
  }

  /** Returns steps for `.htaccess` files that were not merged: not read, or rejected. */
  private skippedFileSteps(level: number): TraceStep[] {
    const { walked } = this.pass;
    const files = walked?.htaccess.filter((found) => found.level === level && found.verdict.kind !== "taken") ?? [];
    return files.flatMap((found) => {
      if (this.traced.has(found.file)) return [];
      this.traced.add(found.file);
      return [traceUnmergedHtaccess(found, this.pass)];
    });
  }

  /** Returns the aliases that Require lines name. */
  private aliasSteps(layer: ConfigLayer): TraceStep[] {
    const { project } = this.setup;
    const aliases = new Set<Directive>();
    for (const directive of layer.directives) {
      const alias = directive.key === "require" ? aliasOf(parseRequireLine(directive), project) : undefined;
      if (alias) aliases.add(alias);
    }
    return [...aliases].map((alias) => createLineStep(alias, "defines the provider that `Require` names"));
  }

  private named(layer: ConfigLayer): TracedSection {
    const { section } = layer;
    if (section) return { section: formatLine(section), span: section.span };
    const { project } = this.setup;
    const file = this.fileOf(layer)?.file.tree.source;
    return {
      section: file ? fileNameOf(file) : "server config",
      span: startOfFile(file ?? mainFile(project)),
    };
  }
}

/** Limit of the names of lines that have no part in an answer. */
const MAX_NAMES = 4;

/** Describes a configuration whose lines have no part in the answer; none without lines of the server's own. */
function describeOtherLines({ directives }: ConfigLayer): Pick<TraceStep, "effect" | "role"> | undefined {
  // Sections have steps of their own.
  const own = directives.filter(({ key, span }) => !key.startsWith("<") && !isAssumed(span));
  const names = [...new Set(own.map(({ name }) => name))];
  if (names.length === 0) return undefined;
  const more = names.length - MAX_NAMES;
  const shown = [
    ...names.slice(0, MAX_NAMES).map((name) => `\`${toReadable(name)}\``),
    ...(more > 0 ? [`${more} more`] : []),
  ];
  return { effect: `has no access rules, but ${formatWordList(shown)}`, role: "no-effect" };
}

/** Returns the If and ElseIf sections before an ElseIf or Else. */
function precedingIfs(section: Directive): Directive[] {
  if (section.key !== "<elseif" && section.key !== "<else") return [];
  const siblings = section.parent?.children ?? [];
  const chain: Directive[] = [];
  for (let at = siblings.indexOf(section) - 1; at >= 0; at--) {
    const each = siblings[at];
    if (each?.key !== "<if" && each?.key !== "<elseif") continue;
    chain.unshift(each);
    if (each.key === "<if") break;
  }
  return chain;
}
