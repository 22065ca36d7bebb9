import type { Directive } from "../../../config/model/directive.js";
import type { Project } from "../../../config/model/project.js";
import { sourceLineOf } from "../../../config/reader/source-lines.js";
import { isCompatDirective } from "../../../server/access/compat-rules.js";
import { isAccessLine } from "../../../server/access/lines-of-24.js";
import { grantAll } from "../../../server/access/require-nodes.js";
import { getOrCreate } from "../../../text/collections.js";
import type { Span } from "../../../text/source.js";
import { findCompatGuard } from "../plan/access-lines.js";
import type { MergeContext } from "../plan/contexts.js";
import type { SectionPlan } from "../plan/section-plan.js";
import { FileRewriter } from "../rewrite/file-change.js";
import { blockAnchorOf, createTextLine } from "../rewrite/require-block.js";
import { findOverridesToWiden } from "../rewrite/section-adjustments.js";
import type { IneffectiveLines } from "./ineffective-lines.js";
import type { MeantRules } from "./meant-rules.js";

/** An Order without Allow and Deny: it discards the inherited ones, and allows every client. */
const neutralOrder = "Order deny,allow";

/** Contents of files, by real path; binary strings. */
type Texts = ReadonlyMap<string, string>;

/** Returns the configuration without some lines. Sections that discard inherited rules continue to do so. */
export function omitLines(all: readonly IneffectiveLines[]): Texts {
  const files = new ChangedFiles();
  for (const { layer, lines, overriding } of all) {
    const left = layer.directives.some((line) => isCompatDirective(line) && !lines.includes(line));
    const [first] = lines;
    if (first && overriding === undefined && !left) files.put("before", first.span, neutralOrder);
    for (const line of overriding === "compat" ? outermostOf(lines) : lines) files.remove(line.span);
  }
  return files.texts();
}

/**
 * Returns the configuration in which lines have the effect that they were written for: inherited rules of the other kind
 * do not apply in their sections, and the lines that made them useless do not either. AllowOverride permits the added
 * lines in `.htaccess` files.
 */
export function restoreLines(
  all: readonly IneffectiveLines[],
  project: Project,
  contexts: readonly MergeContext[],
): Texts {
  const files = new ChangedFiles();
  const withRequire = new Map<IneffectiveLines["layer"], SectionPlan>();
  for (const { layer, lines, replaced, meant } of all) {
    const anchor = blockAnchorOf(layer, lines);
    if (anchor && replaced) {
      const guard = findCompatGuard(anchor.directive);
      const isInside = guard && (layer.section === undefined || isInSection(guard.span, layer.section));
      const { span } = isInside ? guard : anchor.directive;
      files.put(anchor.where, span, replaced === "require" ? "Require all granted" : neutralOrder);
    }
    if (replaced === "require") withRequire.set(layer, { kind: "written", operator: undefined, rules: [grantAll()] });
    if (meant) putStatement(meant, files);
  }
  for (const widening of findOverridesToWiden(project, contexts, withRequire))
    if (widening.kind === "line") files.append(widening.line.span, " AuthConfig");
  return files.texts();
}

/** Reports whether a conditional section is in a section, and not around it. */
function isInSection({ file, start }: Span, { span }: Directive): boolean {
  return file === span.file && start > span.start;
}

/** Replaces an Order, or adds a line before the first of some. */
function putStatement({ statement, replaced, lines: [first] }: MeantRules, files: ChangedFiles): void {
  if (replaced) files.put("instead", replaced.span, statement);
  else if (first) files.put("before", first.span, statement);
}

/** Returns the access lines that no other of them contains. */
function outermostOf(lines: readonly Directive[]): readonly Directive[] {
  return lines.filter(({ parent }) => parent === undefined || !lines.includes(parent) || !isAccessLine(parent));
}

/** Edits of files, by their source lines: those of a macro are in its definition. */
class ChangedFiles {
  private readonly files = new Map<string, FileRewriter>();
  /** The lines added so far: a macro inserts the same lines at each use. */
  private readonly added = new Set<string>();

  remove(span: Span): void {
    const { file, start } = sourceLineOf(span);
    this.changeOf(file).remove(start);
  }

  put(where: "before" | "after" | "instead", span: Span, text: string): void {
    const { file, start } = sourceLineOf(span);
    const key = `${where} ${start} ${text} ${file.realPath}`;
    if (!this.added.has(key)) this.changeOf(file).add(where, start, [createTextLine(text)]);
    this.added.add(key);
  }

  append(span: Span, words: string): void {
    const { file, end } = sourceLineOf(span);
    this.changeOf(file).appendWords(end, words);
  }

  texts(): Texts {
    const changed = [...this.files].map(([path, change]) => [path, change.render(false)] as const);
    return new Map(changed);
  }

  private changeOf(file: Span["file"]): FileRewriter {
    return getOrCreate(this.files, file.realPath, () => new FileRewriter(file));
  }
}
