import type { ReplacedSection, TracedSection, TraceStep } from "../simulate/step.js";

/** What a step does to others, by their numbers. */
export function relationsOf(step: TraceStep, trace: readonly TraceStep[]): string[] {
  const replaced = (rules: ReplacedSection["rules"]) =>
    namesOf(
      step.replaced.filter((each) => each.rules === rules),
      trace,
    );
  const [old, require, combined] = [replaced("old"), replaced("require"), namesOf(step.combined, trace)];
  return [
    ...(old === "" ? [] : [`puts the old rules of ${old} out of force`]),
    ...(require === "" ? [] : [`puts the Require rules of ${require} out of force`]),
    ...(combined === "" ? [] : [`its Require rules hold together with those of ${combined}`]),
  ];
}

function namesOf(sections: readonly TracedSection[], trace: readonly TraceStep[]): string {
  return sections.map((section) => nameOf(section, trace)).join(", ");
}

function nameOf({ section, span }: TracedSection, trace: readonly TraceStep[]): string {
  const at = trace.findIndex((step) => step.span.file === span.file && step.span.start === span.start);
  return at < 0 ? `\`${section}\`` : `step ${at + 1}`;
}
