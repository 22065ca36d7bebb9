import { type Directive, lineKeyOf } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { formatLine } from "../../server/trace/step.js";
import type { ConfigComparison, Unproved } from "../model/comparison.js";

/**
 * Places what is not proved of a conversion at the lines of the user's files: at the same line, or at the section around it if
 * only the converted text has the line. Each reason is listed once for each line.
 */
export function placeInOriginals(comparison: ConfigComparison, before: Project): ConfigComparison {
  const originals = new OriginalLines(before);
  const found = new Map<string, Unproved>();
  for (const part of comparison.unproved) {
    const directive = part.directive && originals.find(part.directive);
    const key = `${part.reason}\0${directive ? lineKeyOf(directive) : ""}`;
    if (!found.has(key)) found.set(key, { ...part, directive });
  }
  return { ...comparison, unproved: [...found.values()] };
}

class OriginalLines {
  private readonly own: ReadonlySet<Directive>;
  /** The lines by their text and the sections around them. */
  private readonly byText = new Map<string, Directive>();

  constructor(before: Project) {
    this.own = new Set(iterateDirectives(before));
    for (const line of this.own) if (!this.byText.has(textOf(line))) this.byText.set(textOf(line), line);
  }

  find(line: Directive): Directive | undefined {
    if (this.own.has(line)) return line;
    return this.byText.get(textOf(line)) ?? (line.parent && this.find(line.parent));
  }
}

/** Returns a line with its file and the sections around it. */
function textOf(line: Directive): string {
  const around = line.parent ? textOf(line.parent) : line.span.file.path;
  return `${around}\n${formatLine(line)}`;
}
