import { decidingFacts, type Fact } from "../../facts/effects.js";
import { memoize } from "../../text/memoize.js";
import type { Directive } from "../model/directive.js";
import type { Project } from "../model/project.js";
import { effectsOfLine, type LineEffects, mayShareFacts } from "./line-effects.js";

/** A line of a configuration, with its effects; undefined if its directive is not in the table. */
export interface PlacedLine {
  readonly line: Directive;
  readonly effects: LineEffects | undefined;
  /** The lines beside it. */
  readonly siblings: readonly Directive[];
  /** The directory of its `.htaccess` file. */
  readonly htaccess: string | undefined;
}

/** Returns all lines with their effects: first those that only took effect while reading, those of `.htaccess` files last. */
export const placedLinesOf = memoize((project: Project): readonly PlacedLine[] => {
  const lines: PlacedLine[] = [];
  const collect = (siblings: readonly Directive[], htaccess: string | undefined) => {
    const place = { siblings, isInHtaccess: htaccess !== undefined };
    for (const line of siblings) {
      lines.push({ line, effects: effectsOfLine(line, project.release, place), siblings, htaccess });
      if (line.children) collect(line.children, htaccess);
    }
  };
  collect(project.executedLines, undefined);
  collect(project.directives, undefined);
  for (const { directory, directives } of project.htaccess) collect(directives, directory);
  return lines;
});

/**
 * Returns the facts on which the class of an answer may depend in a configuration: those that every answer depends on,
 * and those that a line reads which writes one of them (a cone of influence). A line that writes none of these cannot
 * change an answer, and neither can a variable, a header or a handler that no such line reads.
 */
export const decidingFactsOf = memoize((project: Project): ReadonlySet<Fact> => {
  const facts = new Set<Fact>(decidingFacts);
  let waiting = placedLinesOf(project).flatMap(({ effects }) => effects ?? []);
  for (;;) {
    const before = waiting.length;
    waiting = waiting.filter(({ reads, writes }) => {
      if (!mayShareFacts(writes, facts)) return true;
      for (const fact of reads) facts.add(fact);
      return false;
    });
    if (waiting.length === before) return facts;
  }
});
