import { quoteArgument } from "../../../../grammar/arguments.js";
import type { Directive } from "../../../config/model/directive.js";
import { mainFileOf, type Project } from "../../../config/model/project.js";
import { iterateDirectives } from "../../../config/queries/directive-tree.js";
import { type Expansion, isExpansion, type Macro } from "../../../config/reader/macros.js";
import { sourceLineOf } from "../../../config/reader/source-lines.js";
import { isAccessLine } from "../../../server/access/lines-of-24.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import { getOrCreate } from "../../../text/collections.js";
import type { SourceFile, Span } from "../../../text/source.js";
import type { DefaultOf22 } from "../../compare/defaults-of-22.js";
import { findCompatGuard } from "../plan/access-lines.js";
import type { MergeContext } from "../plan/contexts.js";
import { type Inexpressible, stateReason } from "../plan/inexpressible.js";
import type { MigrationPlan } from "../plan/migration-plan.js";
import { planStandalone, type SectionPlan } from "../plan/section-plan.js";
import { FileRewriter } from "./file-change.js";
import {
  type BlockAnchor,
  type BlockLine,
  blockAnchorOf,
  buildRequireBlock,
  createMergingLine,
  createTextLine,
  findEnclosingMacro,
  listRemovedLines,
  type MacroContext,
} from "./require-block.js";
import {
  findOverridesToWiden,
  findUnanchoredPatterns,
  isLayerOfFile,
  type OverrideWidening,
  type UnanchoredPattern,
} from "./section-adjustments.js";
import { findRefusedFiles, findUnreachableSections } from "./unreachable.js";

/** Rewritten contents of files. */
export interface RewrittenTexts {
  /** By real path; binary strings. */
  readonly texts: ReadonlyMap<string, string>;
  readonly refused: readonly Inexpressible[];
}

/** What a rewrite does besides the plan of each section. */
export interface RewriteOptions {
  /**
   * Whether empty sections are deleted. This may have an effect: the server does not check a request for an index file again if
   * the same sections apply to its directory.
   */
  readonly omitsEmpty: boolean;
  /** The defaults of 2.2 that lines keep. */
  readonly kept: readonly DefaultOf22[];
}

/** Renders the plan of each section. */
export function rewriteFiles(
  project: Project,
  plan: MigrationPlan,
  contexts: readonly MergeContext[],
  options: RewriteOptions,
): RewrittenTexts {
  const first = new ConfigRewriter(project, plan, contexts, new Set());
  const result = first.run(options);
  if (first.macrosToInline.size === 0) return result;
  // A macro that would need different contents per use is expanded at its uses.
  return new ConfigRewriter(project, plan, contexts, first.macrosToInline).run(options);
}

class ConfigRewriter {
  /** Macros whose definition would need different contents per use. */
  readonly macrosToInline = new Set<Macro>();
  private readonly changes = new Map<SourceFile, FileRewriter>();
  private readonly refused: Inexpressible[] = [];
  /** The outcome of each line, by location. */
  private readonly outcomes = new Map<string, string>();
  private readonly byPath = new Map<string, SourceFile>();

  constructor(
    private readonly project: Project,
    private readonly plan: MigrationPlan,
    private readonly contexts: readonly MergeContext[],
    /** Macros that are expanded at their uses. */
    private readonly inlined: ReadonlySet<Macro>,
  ) {}

  run({ omitsEmpty, kept }: RewriteOptions): RewrittenTexts {
    const { plan, project, contexts } = this;
    const sectionPlans = new Map(plan.sections);
    const refused = findRefusedFiles(project);
    // A request that returns 500 now continues to do so: the migration must not open it.
    const isRefused = (layer: ConfigLayer) => [...refused].some((file) => isLayerOfFile(layer, file));
    for (const layer of findUnreachableSections(project, contexts).filter((each) => !isRefused(each)))
      sectionPlans.set(layer, planStandalone(layer, plan.methods));
    for (const [layer, each] of sectionPlans) this.rewrite(layer, each);
    for (const each of findUnanchoredPatterns(project)) this.end(each);
    for (const widening of findOverridesToWiden(project, contexts, sectionPlans)) this.widen(widening);
    for (const each of kept) this.keep(each);
    this.putInline(omitsEmpty);
    const texts = new Map<string, string>();
    for (const [file, change] of this.changes) {
      const text = change.render(omitsEmpty);
      if (!isExpansion(file) && text !== file.text) texts.set(file.realPath, text);
    }
    return { texts, refused: this.refused };
  }

  private rewrite(layer: ConfigLayer, sectionPlan: SectionPlan): void {
    const removedLines = listRemovedLines(layer, sectionPlan);
    for (const directive of removedLines) {
      const { file, start } = this.homeOf(directive.span);
      this.changeOf(file).remove(start);
    }
    const anchor = blockAnchorOf(layer, removedLines);
    const lines = this.withComments(this.blockFor(layer, sectionPlan), removedLines, anchor);
    if (anchor === undefined) {
      if (lines.length > 0)
        this.refuse({
          ...stateReason("no-place-for-lines"),
          directive: layer.content[0],
        });
      return;
    }
    // The new lines must also apply without mod_access_compat.
    const { file, start } = this.homeOf(findCompatGuard(anchor.directive)?.span ?? anchor.directive.span);
    if (lines.length > 0) this.changeOf(file).put(anchor.where, start, lines);
    this.settle(layer, removedLines, anchor, lines);
  }

  /**
   * Moves the comments directly above a line to the line that restates it, unless they already precede the new block.
   */
  private withComments(
    lines: readonly BlockLine[],
    removedLines: readonly Directive[],
    anchor: BlockAnchor | undefined,
  ): readonly BlockLine[] {
    const left = new Set(removedLines.slice(1).filter((directive) => directive !== anchor?.directive));
    return lines.flatMap((line) => {
      if (line.of === undefined || !left.delete(line.of)) return [line];
      const { file, start } = this.homeOf(line.of.span);
      const comments = this.changeOf(file).takeComments(start);
      return [...comments.map((text) => createTextLine(text, line.depth)), line];
    });
  }

  /** Returns the lines for a section. A `.htaccess` file may not set a variable, so its directory does. */
  private blockFor(layer: ConfigLayer, sectionPlan: SectionPlan): readonly BlockLine[] {
    const { plan } = this;
    const mark = plan.markers.get(layer);
    const setting = mark === undefined ? [] : [createTextLine(`SetEnvIf Request_URI "^" ${mark}`)];
    const directory = this.directoryOf(layer);
    if (setting.length > 0 && directory !== undefined) this.appendSection(`<Directory "${directory}">`, setting);
    return [
      ...(directory === undefined ? setting : []),
      ...(sectionPlan.kind === "kept" && sectionPlan.operator ? [createMergingLine(sectionPlan.operator)] : []),
      ...(sectionPlan.kind === "wiped" ? [createTextLine("AuthMerging Off")] : []),
      ...(sectionPlan.kind === "written"
        ? buildRequireBlock(sectionPlan.rules, plan.methods, sectionPlan.operator, this.placeOf(layer))
        : []),
    ];
  }

  private placeOf(layer: ConfigLayer): MacroContext {
    const macro = findEnclosingMacro(layer);
    return { macro: macro && !this.inlined.has(macro) ? macro : undefined };
  }

  /** Checks that lines that are read several times get the same replacement each time. */
  private settle(
    layer: ConfigLayer,
    removedLines: readonly Directive[],
    anchor: BlockAnchor,
    lines: readonly BlockLine[],
  ): void {
    const left = new Set(removedLines);
    const own = layer.directives.filter((each) => isAccessLine(each) || each === anchor.directive);
    for (const directive of layer.section === anchor.directive ? [anchor.directive, ...own] : own) {
      const { file, start } = this.homeOf(directive.span);
      const block = directive === anchor.directive ? lines.map(({ depth, text }) => `${depth} ${text}`).join("\n") : "";
      const outcome = `${left.has(directive)} ${block}`;
      const place = `${file.realPath}:${start}`;
      const before = getOrCreate(this.outcomes, place, () => outcome);
      if (before === outcome) continue;
      const source = directive.span.file;
      if (isExpansion(source) && !this.inlined.has(source.macro)) this.macrosToInline.add(source.macro);
      else
        this.refuse({
          ...stateReason("read-in-several-places"),
          help: ["write the lines out in each of these places"],
          directive,
        });
    }
  }

  private refuse(why: Inexpressible): void {
    this.refused.push(why);
  }

  private appendSection(tag: string, lines: readonly BlockLine[]): void {
    const main = mainFileOf(this.project);
    if (main === undefined) return;
    const inner = lines.map((line) => ({ ...line, depth: line.depth + 1 }));
    this.changeOf(main).append([createTextLine(tag), ...inner, createTextLine(`</${/\w+/.exec(tag)?.[0]}>`)]);
  }

  /** Rewrites a DirectoryMatch section so that 2.4 applies it as 2.2 did. */
  private end(endless: UnanchoredPattern): void {
    const { file, start } = this.homeOf(endless.section.span);
    if (endless.kind === "never") {
      this.changeOf(file).commentOut(
        start,
        "2.2 never applied this section: `$` matches nothing in a DirectoryMatch there.",
      );
      return;
    }
    const { start: from, end: to } = this.homeOf(endless.span);
    this.changeOf(file).replace(from, to, quoteArgument(endless.text));
  }

  private widen(widening: OverrideWidening): void {
    if (widening.kind === "default") {
      const line = createTextLine("AllowOverride All");
      if (widening.section) {
        const { file, start } = this.homeOf(widening.section.span);
        this.changeOf(file).add("after", start, [line]);
      } else this.appendSection('<Directory "/">', [line]);
      return;
    }
    const { file, end } = this.homeOf(widening.line.span);
    this.changeOf(file).appendWords(end, " AuthConfig");
  }

  /** Adds the line that keeps a default for the whole server, in no condition: next to its like, or at the end of the main file. */
  private keep({ directive, value, beside }: DefaultOf22): void {
    const main = mainFileOf(this.project);
    if (main === undefined) return;
    const isLike = ({ key, parent, guard, span }: Directive) =>
      key === beside && parent === undefined && guard === undefined && span.file === main;
    const like = this.project.directives.find(isLike);
    const line = createTextLine(`${directive} ${value}`);
    if (like) this.changeOf(main).add("before", like.span.start, [line]);
    else this.changeOf(main).append([line]);
  }

  /** Returns the directory of a `.htaccess` file; undefined for other sections. */
  private directoryOf({ content, section }: ConfigLayer): string | undefined {
    const tree = (section ?? content[0])?.reading.tree;
    return section ? undefined : this.project.htaccess.find((file) => file.tree === tree)?.directory;
  }

  /** Returns the location where a line is edited: its own, or that in the macro definition. */
  private homeOf(span: Span): Span {
    const { file } = span;
    return isExpansion(file) && this.inlined.has(file.macro) ? span : sourceLineOf(span);
  }

  private changeOf(file: SourceFile): FileRewriter {
    const same = isExpansion(file) ? file : (this.byPath.get(file.realPath) ?? file);
    if (!isExpansion(file)) this.byPath.set(file.realPath, same);
    return getOrCreate(this.changes, same, () => new FileRewriter(same));
  }

  private putInline(omitsEmpty: boolean): void {
    const expansions = new Set<Expansion>();
    for (const { span } of iterateDirectives(this.project))
      if (isExpansion(span.file) && this.inlined.has(span.file.macro)) expansions.add(span.file);
    for (const file of expansions) {
      const lines = this.changeOf(file).render(omitsEmpty).trimEnd().split("\n");
      if (isExpansion(file.use.file)) {
        this.refuse({
          ...stateReason("macro-in-macro"),
          help: ["replace the use of the inner macro with its lines"],
          directive: undefined,
        });
        continue;
      }
      const block = lines.map((text) => createTextLine(text));
      this.changeOf(file.use.file).put("instead", file.use.start, block);
      this.changeOf(file.macro.span.file).remove(file.macro.span.start);
    }
  }
}
