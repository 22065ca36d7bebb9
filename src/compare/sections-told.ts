import { type Directive, lineOf } from "../project/directive.js";

/** Sections of which both sides may have read the same lines, each once. */
export function distinctSections(sections: readonly Directive[]): readonly Directive[] {
  const lines = new Map(sections.map((section) => [lineOf(section), section] as const).toReversed());
  return [...lines.values()].toReversed();
}
