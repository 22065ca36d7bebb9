import type { Directive } from "../project/directive.js";
import type { Layer } from "../scope/layer.js";
import type { Rewriting } from "../scope/rewriting/rewriting.js";
import { toReadable } from "../text/source.js";
import { type Pass, passesOf } from "./pass.js";
import { lineStep, type Note, stepAt, type TraceStep } from "./step.js";
import type { Watch } from "./watch.js";
import { quotedLines } from "./written.js";

/** What the rules of one place came to, a step each; with the lines that say which rules there are. */
export function rewritingSteps(rewriting: Rewriting | undefined): TraceStep[] {
  if (rewriting === undefined) return [];
  const { steps, lines, to, off } = rewriting;
  if (off) return [lineStep(off, "keeps the rules of the server from being applied", lines)];
  if (to?.kind === "answered" && steps.length === 0)
    return [lineStep(to.by, `answers ${to.status}: no rule is followed where links are not`, lines)];
  return steps.map(({ rule, effect, beside }, index) => {
    const isAnew = to?.kind === "redirected" && to.by === rule.directive;
    const told = isAnew ? `leads to \`${to.path}\`, which is asked for anew` : effect;
    return lineStep(rule.directive, toReadable(told), [...beside, ...(index === 0 ? lines : [])]);
  });
}

/** The RewriteEngine line, where one of the variables that come with it was looked at. */
export function scriptUrlSteps(rewriting: Rewriting | undefined, { variables }: Watch): TraceStep[] {
  const [engine, ...others] = rewriting?.lines ?? [];
  const isAsked = [...variables].some((name) => /^(redirect_)*script_ur[il]$/.test(name));
  return engine && isAsked ? [lineStep(engine, "sets `SCRIPT_URL` and `SCRIPT_URI`", others)] : [];
}

/** What a section says of rewriting, in one clause; the rules in it take the place of those of sections before it. */
export function rewritingIn(layer: Layer): {
  readonly clauses: readonly string[];
  readonly lines: readonly Directive[];
} {
  const lines = layer.directives.filter(({ key }) => key.startsWith("rewrite"));
  return { clauses: lines.length > 0 ? [`rewriting by ${quotedLines(lines)}`] : [], lines };
}

/** The rules that could not be followed on the way of a request. */
export function notesOf(pass: Pass): Note[] {
  const notes = new Map<Directive, Note>();
  const addFrom = (rewriting: Rewriting | undefined) => {
    for (const { isNote, rule, effect } of rewriting?.steps ?? [])
      if (isNote && !notes.has(rule.directive))
        notes.set(rule.directive, { directive: rule.directive, text: toReadable(effect) });
  };
  for (const { rewriting } of passesOf(pass)) {
    addFrom(rewriting.url);
    addFrom(rewriting.sections);
  }
  return [...notes.values()];
}

/** The last step with what its line leads to in the end, where it is that of the same line. */
export function endingIn(steps: readonly TraceStep[], end: TraceStep): TraceStep[] {
  const last = steps.at(-1);
  const isSame = last?.span.file === end.span.file && last.span.start === end.span.start;
  if (last === undefined || !isSame) return [...steps, end];
  return [...steps.slice(0, -1), stepAt(last, { effect: end.effect, lines: [...last.lines, ...end.lines] })];
}
