import type { Directive } from "../project/directive.js";

/** Where a section stands. */
export function placeOf({ span }: Directive): string {
  return `${span.file.path}:${span.start}`;
}

/** Sections of which both sides may have read the same lines, each once. */
export function distinctSections(sections: readonly Directive[]): readonly Directive[] {
  const places = new Map(sections.map((section) => [placeOf(section), section] as const).toReversed());
  return [...places.values()].toReversed();
}
