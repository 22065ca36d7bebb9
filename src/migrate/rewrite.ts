import { quoteArgument } from "../../grammar/arguments.js";
import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import { type Expansion, isExpansion, type Macro } from "../project/macros.js";
import { mainFileOf } from "../project/main-file.js";
import type { Project } from "../project/project.js";
import type { Layer } from "../scope/layer.js";
import type { SourceFile, Span } from "../text/source.js";
import { type Anchor, anchorOf, goneIn, macroOf } from "./anchor.js";
import { type BlockLine, blockOf, mergingLine, type Place, plainLine } from "./block.js";
import type { Context } from "./contexts.js";
import { type EndlessPattern, endlessPatterns } from "./endless-patterns.js";
import { FileChange } from "./file-change.js";
import { compatGuard, isAccessLine } from "./old-directives.js";
import { overrideLines, standsIn, type Widening } from "./overrides.js";
import type { Plan } from "./plan.js";
import type { Inexpressible } from "./policy.js";
import { refusedFiles } from "./refused-files.js";
import { type Said, saidAlone } from "./said.js";
import { unmet } from "./unmet.js";
import { originOfLine } from "./written.js";

/** New texts of files. */
export interface Rewritten {
  /** By real path; binary strings. */
  readonly texts: ReadonlyMap<string, string>;
  readonly refused: readonly Inexpressible[];
}

/**
 * Writes down what is planned for each section.
 *
 * @param isTidied whether sections go in which nothing is left: they are not always without effect, since a request for an
 * index file that comes by the sections of its directory is not looked at again
 */
export function rewritten(project: Project, plan: Plan, contexts: readonly Context[], isTidied: boolean): Rewritten {
  const first = new Rewriting(project, plan, contexts, new Set());
  const result = first.run(isTidied);
  if (first.torn.size === 0) return result;
  // What a macro says in one place it cannot say in another: its text is put there in its stead.
  return new Rewriting(project, plan, contexts, first.torn).run(isTidied);
}

class Rewriting {
  /** Macros whose definition would have to say different things. */
  readonly torn = new Set<Macro>();
  private readonly changes = new Map<SourceFile, FileChange>();
  private readonly refused: Inexpressible[] = [];
  /** What becomes of lines, by their places. */
  private readonly outcomes = new Map<string, string>();
  private readonly byPath = new Map<string, SourceFile>();

  constructor(
    private readonly project: Project,
    private readonly plan: Plan,
    private readonly contexts: readonly Context[],
    /** Those whose text stands where they are used. */
    private readonly inlined: ReadonlySet<Macro>,
  ) {}

  run(isTidied: boolean): Rewritten {
    const { plan, project, contexts } = this;
    const said = new Map(plan.said);
    const refused = refusedFiles(project);
    // What answers 500 now does so then, whatever is written: it is not for us to open it.
    const isRefused = (layer: Layer) => [...refused].some((file) => standsIn(layer, file));
    for (const layer of unmet(project, contexts).filter((each) => !isRefused(each)))
      said.set(layer, project.release === "2.2" ? { kind: "nothing" } : saidAlone(layer, plan.methods));
    for (const [layer, each] of said) this.rewrite(layer, each);
    for (const each of endlessPatterns(project)) this.end(each);
    for (const widening of overrideLines(project, contexts, said)) this.widen(widening);
    this.putInline(isTidied);
    const texts = new Map<string, string>();
    for (const [file, change] of this.changes) {
      const text = change.text(isTidied);
      if (!isExpansion(file) && text !== file.text) texts.set(file.realPath, text);
    }
    return { texts, refused: this.refused };
  }

  private rewrite(layer: Layer, said: Said): void {
    const gone = goneIn(layer, said);
    for (const directive of gone) {
      const { file, start } = this.homeOf(directive.span);
      this.changeOf(file).remove(start);
    }
    const anchor = anchorOf(layer, gone);
    const lines = this.withComments(this.blockFor(layer, said), gone, anchor);
    if (anchor === undefined) {
      if (lines.length > 0) this.refuse("there is no place for what is to be written", layer.content[0]);
      return;
    }
    // What is to be said holds without mod_access_compat, too.
    const { file, start } = this.homeOf(compatGuard(anchor.directive)?.span ?? anchor.directive.span);
    if (lines.length > 0) this.changeOf(file).put(anchor.where, start, lines);
    this.settle(layer, gone, anchor, lines);
  }

  /** The comments right above a line go with what says it again, unless they stand above all of it anyway. */
  private withComments(
    lines: readonly BlockLine[],
    gone: readonly Directive[],
    anchor: Anchor | undefined,
  ): readonly BlockLine[] {
    const left = new Set(gone.slice(1).filter((directive) => directive !== anchor?.directive));
    return lines.flatMap((line) => {
      if (line.of === undefined || !left.delete(line.of)) return [line];
      const { file, start } = this.homeOf(line.of.span);
      const comments = this.changeOf(file).takeComments(start);
      return [...comments.map((text) => plainLine(text, line.depth)), line];
    });
  }

  /** What a section is to hold. A `.htaccess` file may set no variable: its directory does. */
  private blockFor(layer: Layer, said: Said): readonly BlockLine[] {
    const { plan } = this;
    const mark = plan.marks.get(layer);
    const setting = mark === undefined ? [] : [plainLine(`SetEnvIf Request_URI "^" ${mark}`)];
    const directory = this.directoryOf(layer);
    if (setting.length > 0 && directory !== undefined) this.appendSection(`<Directory "${directory}">`, setting);
    return [
      ...(directory === undefined ? setting : []),
      ...(said.kind === "kept" && said.operator ? [mergingLine(said.operator)] : []),
      ...(said.kind === "wiped" ? [plainLine("AuthMerging Off")] : []),
      ...(said.kind === "written" ? blockOf(said.rules, plan.methods, said.operator, this.placeOf(layer)) : []),
    ];
  }

  private placeOf(layer: Layer): Place {
    const macro = macroOf(layer);
    return { macro: macro && !this.inlined.has(macro) ? macro : undefined };
  }

  /** Lines that are read more than once have to become the same each time. */
  private settle(layer: Layer, gone: readonly Directive[], anchor: Anchor, lines: readonly BlockLine[]): void {
    const left = new Set(gone);
    const own = layer.directives.filter((each) => isAccessLine(each) || each === anchor.directive);
    for (const directive of layer.section === anchor.directive ? [anchor.directive, ...own] : own) {
      const { file, start } = this.homeOf(directive.span);
      const block = directive === anchor.directive ? lines.map(({ depth, text }) => `${depth} ${text}`).join("\n") : "";
      const outcome = `${left.has(directive)} ${block}`;
      const place = `${file.realPath}:${start}`;
      const before = this.outcomes.get(place) ?? outcome;
      this.outcomes.set(place, before);
      if (before === outcome) continue;
      const source = directive.span.file;
      if (isExpansion(source) && !this.inlined.has(source.macro)) this.torn.add(source.macro);
      else
        this.refuse(
          "the same lines would have to say different things where they are read; write them out at each of these places",
          directive,
        );
    }
  }

  private refuse(reason: string, directive: Directive | undefined): void {
    this.refused.push({ reason, directive });
  }

  private appendSection(tag: string, lines: readonly BlockLine[]): void {
    const main = mainFileOf(this.project);
    if (main === undefined) return;
    const inner = lines.map((line) => ({ ...line, depth: line.depth + 1 }));
    this.changeOf(main).append([plainLine(tag), ...inner, plainLine(`</${/\w+/.exec(tag)?.[0]}>`)]);
  }

  /** Has 2.4 apply a section where 2.2 did. */
  private end(endless: EndlessPattern): void {
    const { file, start } = this.homeOf(endless.section.span);
    if (endless.kind === "never") {
      this.changeOf(file).silence(
        start,
        "2.2 never applied this section: `$` matches nothing in a DirectoryMatch there.",
      );
      return;
    }
    const { start: from, end: to } = this.homeOf(endless.span);
    this.changeOf(file).replace(from, to, quoteArgument(endless.text));
  }

  private widen(widening: Widening): void {
    if (widening.kind === "default") {
      const line = plainLine("AllowOverride All");
      if (widening.section) {
        const { file, start } = this.homeOf(widening.section.span);
        this.changeOf(file).add("behind", start, [line]);
      } else this.appendSection('<Directory "/">', [line]);
      return;
    }
    const { file, end } = this.homeOf(widening.line.span);
    this.changeOf(file).lengthen(end, " AuthConfig");
  }

  /** The directory of a `.htaccess` file; undefined for other places. */
  private directoryOf({ content, section }: Layer): string | undefined {
    const tree = (section ?? content[0])?.reading.tree;
    return section ? undefined : this.project.htaccess.find((file) => file.tree === tree)?.directory;
  }

  /** Where a line is changed: where it stands, or in a macro's text of its own. */
  private homeOf(span: Span): Span {
    const { file } = span;
    return isExpansion(file) && this.inlined.has(file.macro) ? span : originOfLine(span);
  }

  private changeOf(file: SourceFile): FileChange {
    const same = isExpansion(file) ? file : (this.byPath.get(file.realPath) ?? file);
    if (!isExpansion(file)) this.byPath.set(file.realPath, same);
    const known = this.changes.get(same) ?? new FileChange(same);
    this.changes.set(same, known);
    return known;
  }

  private putInline(isTidied: boolean): void {
    const expansions = new Set<Expansion>();
    for (const { span } of allDirectives(this.project))
      if (isExpansion(span.file) && this.inlined.has(span.file.macro)) expansions.add(span.file);
    for (const file of expansions) {
      const lines = this.changeOf(file).text(isTidied).trimEnd().split("\n");
      if (isExpansion(file.use.file)) {
        this.refuse(
          "a macro in a macro would have to say different things where it is used; write the inner one out",
          undefined,
        );
        continue;
      }
      const block = lines.map((text) => plainLine(text));
      this.changeOf(file.use.file).put("instead", file.use.start, block);
      this.changeOf(file.macro.span.file).remove(file.macro.span.start);
    }
  }
}
