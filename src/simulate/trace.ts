import { readRequire } from "../access/new-rules.js";
import { aliasOf } from "../access/provider-checks.js";
import type { Directive } from "../project/directive.js";
import { hasWildcard } from "../project/fnmatch.js";
import { mainFileOf } from "../project/main-file.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { type Layer, settingIn } from "../scope/layer.js";
import { optionsIn } from "../scope/options.js";
import type { FileVerdict } from "../scope/overrides.js";
import type { Group } from "../scope/per-dir-config.js";
import { canonicalPath } from "../scope/section-index.js";
import type { FoundFile } from "../scope/walk.js";
import { type SourceFile, type Span, toReadable } from "../text/source.js";
import { refusalOf } from "./broken-files.js";
import { effectOf } from "./layer-effects.js";
import { type Outcome, type Pass, passesOf, type Setup } from "./pass.js";
import { endingIn, rewritingIn, rewritingSteps, scriptUrlSteps } from "./rewriting-steps.js";
import { serverSteps } from "./server-steps.js";
import { lineStep, stepAt, type TracedSection, type TraceStep } from "./step.js";
import { settersOf } from "./variables.js";
import type { Watch } from "./watch.js";
import { lineText, quotedLine, quotedLines } from "./written.js";

/** The steps of an outcome, in the order in which the server takes them. */
export function traceOf({ pass }: Outcome, watch: Watch, setup: Setup): readonly TraceStep[] {
  if (pass === undefined) return [];
  const seen = new Set<Layer>();
  const told = new Set<HtaccessFile>();
  const steps: TraceStep[] = [];
  const indexSteps = (outer: Pass): readonly TraceStep[] =>
    outer.inner.flatMap((inner) => [
      indexStep(outer, inner, setup.project),
      ...new PassTracer(inner, watch, setup, seen, told, false).steps(),
      ...indexSteps(inner),
    ]);
  for (let each: Pass | undefined = pass; each; each = each.next?.pass) {
    steps.push(...new PassTracer(each, watch, setup, seen, told, true).steps());
    steps.push(...indexSteps(each));
  }
  return steps;
}

/** Where the lines stand that decide. */
export function placesOf({ by, pass }: Outcome, setup: Setup): readonly Span[] {
  const walked = pass && passesOf(pass).find(({ walked }) => walked?.refused)?.walked;
  if (by.length > 0 || walked?.refused === undefined) return [...new Set(by)].map(({ span }) => span);
  return [refusalOf(walked.refused, setup).span];
}

function indexStep({ index }: Pass, { path }: Pass, project: Project): TraceStep {
  const [line] = index ?? [];
  const effect = `\`${toReadable(path)}\` is asked for like a request of its own`;
  if (line) return lineStep(line, effect, index?.slice(1));
  return stepAt({ section: "DirectoryIndex, by default", span: startOf(mainFile(project)) }, { effect });
}

function startOf(file: SourceFile): Span {
  return { file, start: 0, end: 0 };
}

function mainFile(project: Project): SourceFile {
  const { entry } = project;
  return mainFileOf(project) ?? { path: entry, realPath: entry, text: "" };
}

class PassTracer {
  private readonly groups: readonly Group[];
  /** The first one over the request. */
  private readonly isFirst: boolean;

  constructor(
    private readonly pass: Pass,
    private readonly watch: Watch,
    private readonly setup: Setup,
    /** The layers and `.htaccess` files told of already; they grow. */
    private readonly seen: Set<Layer>,
    private readonly told: Set<HtaccessFile>,
    /** Over the request itself or what rewriting made of it, not over an index file. */
    private readonly isMain: boolean,
  ) {
    this.isFirst = seen.size === 0;
    this.groups = pass.state?.groups ?? this.groupsOfWalk();
  }

  /** Where a `.htaccess` file is refused nothing behind the directory walk is looked at. */
  private groupsOfWalk(): readonly Group[] {
    const { walked, walk } = this.pass;
    const directories = walked ? [{ kind: "directory" as const, layers: walked.layers }] : [];
    return walked?.unfollowed ? [{ kind: "server", layers: walk.ofServer }, ...directories] : directories;
  }

  steps(): TraceStep[] {
    const { pass, setup, isFirst } = this;
    const steps = [
      ...(isFirst ? serverSteps(pass, setup) : []),
      ...(pass.state === undefined ? this.setterSteps() : []),
      ...this.mappingSteps(),
    ];
    for (const [group, { kind, layers }] of this.groups.entries()) {
      for (const [index, layer] of layers.entries()) {
        if (kind === "directory") steps.push(...this.passedFiles(index));
        steps.push(...this.layerSteps(group, index, layer, kind));
      }
      if (kind === "directory") steps.push(...this.passedFiles(layers.length));
    }
    return [...steps, ...rewritingSteps(pass.rewriting.sections), ...this.redirectSteps()];
  }

  /** What set variables for rules that answer before any section is laid over. */
  private setterSteps(): TraceStep[] {
    const setters = this.isMain ? settersOf(this.pass, this.watch.variables) : [];
    return setters.map(({ directive, names }) => lineStep(directive, setsClause(names)));
  }

  /** The Redirect of a section that answers. */
  private redirectSteps(): TraceStep[] {
    const { redirect, rewriting } = this.pass;
    if (redirect === undefined || rewriting.sections?.to?.kind === "answered") return [];
    return [lineStep(redirect.by, `answers ${redirect.status} once access is granted`)];
  }

  /** What led from the URL to a file, a backend or an answer. */
  private mappingSteps(): TraceStep[] {
    const { mapping, rewriting, server } = this.pass;
    const rewritten = [
      ...(this.isFirst ? scriptUrlSteps(rewriting.url, this.watch) : []),
      ...rewritingSteps(rewriting.url),
    ];
    if (!mapping.by || !(this.isMain || rewritten.length > 0 || mapping.kind === "answered")) return rewritten;
    // A rule's path is one below the DocumentRoot, or is not since it is there already.
    const root = rewriting.url?.to?.kind === "mapped" ? settingIn(server.layers, "documentroot") : undefined;
    return endingIn(rewritten, lineStep(mapping.by, this.mappingEffect(), root ? [root] : []));
  }

  private mappingEffect(): string {
    const { mapping } = this.pass;
    if (mapping.kind === "answered") return `answers ${mapping.status} before access is checked`;
    return mapping.kind === "proxy"
      ? `hands the request on as \`${toReadable(mapping.target)}\``
      : `leads to \`${toReadable(mapping.filename)}\``;
  }

  private layerSteps(group: number, index: number, layer: Layer, kind: Group["kind"]): TraceStep[] {
    if (this.seen.has(layer)) return [];
    this.seen.add(layer);
    const effect = effectOf(this.groups, group, index, this.setup.project);
    const beside = this.besideRules(layer);
    if (kind === "server") {
      const lines = beside.map(({ directive, clause }) => lineStep(directive, clause));
      return effect.clauses.length > 0 ? [this.sectionStep(layer, effect, []), ...lines] : lines;
    }
    return [...this.aliasSteps(layer), this.sectionStep(layer, effect, beside)];
  }

  private sectionStep(layer: Layer, effect: ReturnType<typeof effectOf>, beside: readonly Beside[]): TraceStep {
    const { section } = layer;
    const chain = section ? chainAhead(section) : [];
    const file = this.fileOf(layer);
    const isRewriting = this.pass.isLetIn && (section !== undefined || file !== undefined);
    const rewriting = isRewriting ? rewritingIn(layer) : undefined;
    const clauses = [
      ...(chain.length > 0 ? ["the conditions ahead of it do not hold"] : []),
      ...effect.clauses,
      ...beside.map(({ clause, directive }) => `${quotedLine(directive)} ${clause}`),
      ...(rewriting?.clauses ?? []),
    ];
    return stepAt(this.named(layer), {
      ...(clauses.length > 0 ? { effect: clauses.join("; ") } : {}),
      lines: [
        ...(section ? [section] : []),
        ...chain,
        ...effect.lines,
        ...beside.map(({ directive }) => directive),
        ...(rewriting?.lines ?? []),
        ...(file ? this.overrideLines(file.level) : []),
      ],
      replaced: effect.replaced.map(({ layer: other, rules }) => ({ ...this.named(other), rules })),
      combined: effect.combined.map((other) => this.named(other)),
    });
  }

  /** The `.htaccess` file that a layer is. */
  private fileOf(layer: Layer): FoundFile | undefined {
    const { walked } = this.pass;
    if (layer.section !== undefined) return undefined;
    return walked?.htaccess.find(({ level, verdict }) => verdict.kind === "taken" && walked.layers[level] === layer);
  }

  /** `.htaccess` files that were not laid over: not read, or refused. */
  private passedFiles(level: number): TraceStep[] {
    const { walked } = this.pass;
    const files = walked?.htaccess.filter((found) => found.level === level && found.verdict.kind !== "taken") ?? [];
    return files.flatMap((found) => {
      if (this.told.has(found.file)) return [];
      this.told.add(found.file);
      return [found.verdict.kind === "refused" ? this.refusedStep(found, found.verdict) : this.ignoredStep(found)];
    });
  }

  private ignoredStep({ file, level }: FoundFile): TraceStep {
    const lines = this.overrideLines(level);
    const effect = `is not read${lines.length > 0 ? `: ${quotedLines(lines)}` : ""}`;
    return stepAt({ section: nameOf(file.tree.source), span: startOf(file.tree.source) }, { effect, lines });
  }

  private refusedStep({ file, level }: FoundFile, verdict: FileVerdict & { readonly kind: "refused" }): TraceStep {
    const allowed = this.overrideLines(level);
    const { directive, span, why } = refusalOf({ ...verdict, file }, this.setup);
    const isAllowed = directive === undefined || directive !== verdict.directive;
    const by = isAllowed && allowed.length === 0 ? "no AllowOverride is in force" : quotedLines(allowed);
    const effect = `is refused: ${why}${directive === verdict.directive && by !== "" ? ` (${by})` : ""}`;
    const lines = [...allowed, ...(directive ? withSections(directive) : [])];
    return stepAt({ section: nameOf(file.tree.source), span }, { effect, lines });
  }

  /** The lines that say what a `.htaccess` file may hold, and what such files are called. */
  private overrideLines(level: number): Directive[] {
    const { walked, server } = this.pass;
    const layers = walked?.layers.slice(0, level) ?? [];
    const named = settingIn(server.layers, "accessfilename");
    const lines = [settingIn(layers, "allowoverride"), settingIn(layers, "allowoverridelist"), named];
    return lines.filter((line) => line !== undefined);
  }

  /** The aliases that a layer's Require lines name. */
  private aliasSteps(layer: Layer): TraceStep[] {
    const { project } = this.setup;
    const aliases = new Set<Directive>();
    for (const directive of layer.directives) {
      const alias = directive.key === "require" ? aliasOf(readRequire(directive), project) : undefined;
      if (alias) aliases.add(alias);
    }
    return [...aliases].map((alias) => lineStep(alias, "says what the name asks for"));
  }

  /** What a layer sets that is no rule of access but led to the answer. */
  private besideRules(layer: Layer): Beside[] {
    const setters = (this.isMain ? settersOf(this.pass, this.watch.variables) : [])
      .filter((setter) => setter.layer === layer)
      .map(({ directive, names }) => ({ directive, clause: setsClause(names) }));
    const served = servedBy.flatMap(([key, clause]): Beside[] => {
      const directive = settingIn(this.pass.state?.layers ?? [], key);
      return directive && layer.setting(key) === directive ? [{ directive, clause }] : [];
    });
    const handlers = layer.directives.filter(({ key }) => key === "addhandler");
    const added = handlers.map((directive) => ({ directive, clause: "may answer in place of a file" }));
    return [...setters, ...this.optionsOf(layer), ...served, ...added];
  }

  /** Options, where they say whether a file is a level of the directory walk and there is a section for it. */
  private optionsOf(layer: Layer): Beside[] {
    const { walked, state } = this.pass;
    const clause = "says whether the file counts as a level of its own";
    const isListing = walked?.kind === "directory" && !walked.unfollowed;
    const isLevel = walked?.kind === "file" && hasSectionAt(walked.filename, state?.groups[0]?.layers ?? []);
    const isMissing = walked?.kind === "missing" && optionsIn(state?.layers ?? []).has("multiviews");
    if (!isListing && !isLevel && !walked?.unfollowed && !isMissing) return [];
    const lines = layer.directives.filter(({ key }) => key === "options");
    return lines.map((directive) => ({
      directive,
      clause: walked?.unfollowed
        ? "says whether links are followed"
        : isMissing
          ? "says whether MultiViews finds a file for what is not there"
          : isListing
            ? "says whether a listing is given"
            : clause,
    }));
  }

  private named(layer: Layer): TracedSection {
    const { section } = layer;
    if (section) return { section: lineText(section), span: section.span };
    const { project } = this.setup;
    const file = this.fileOf(layer)?.file.tree.source;
    return {
      section: file ? nameOf(file) : "server config",
      span: startOf(file ?? mainFile(project)),
    };
  }
}

/** What says how a request is answered that access control lets pass. */
const servedBy = [
  ["sethandler", "answers in place of a file"],
  ["directoryslash", "says whether a directory's path gets its slash"],
  ["fallbackresource", "says what answers in place of what is not there"],
  ["acceptpathinfo", "says whether a file takes a path behind its name"],
] as const;

function setsClause(names: readonly string[]): string {
  return `sets ${names.map((name) => `\`${name}\``).join(", ")}`;
}

interface Beside {
  readonly directive: Directive;
  readonly clause: string;
}

/** A line with the sections around it. */
function withSections(directive: Directive): Directive[] {
  return directive.parent ? [directive, ...withSections(directive.parent)] : [directive];
}

function nameOf({ path }: SourceFile): string {
  return toReadable(path.slice(path.lastIndexOf("/") + 1));
}

/** The If and ElseIf sections that an ElseIf or Else comes behind. */
function chainAhead(section: Directive): Directive[] {
  if (section.key !== "<elseif" && section.key !== "<else") return [];
  const beside = section.parent?.children ?? [];
  const chain: Directive[] = [];
  for (let at = beside.indexOf(section) - 1; at >= 0; at--) {
    const each = beside[at];
    if (each?.key !== "<if" && each?.key !== "<elseif") continue;
    chain.unshift(each);
    if (each.key === "<if") break;
  }
  return chain;
}

/** Whether some Directory section by path may be for just this file. */
function hasSectionAt(filename: string, servers: readonly Layer[]): boolean {
  const path = canonicalPath(filename) ?? "";
  const depth = path.split("/").length;
  return servers.some(({ content }) =>
    content.some(({ key, arguments: [first] }) => {
      const target = key === "<directory" && first ? canonicalPath(first.value) : undefined;
      return target !== undefined && target.split("/").length === depth && (hasWildcard(target) || target === path);
    }),
  );
}
