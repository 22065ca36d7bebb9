import type { Comparison } from "../compare/compare.js";
import type { UncomparedChange } from "../compare/uncompared-changes.js";
import type { Finding } from "../engine/finding.js";
import { verdictWords } from "./comparison-words.js";
import { DifferenceText } from "./difference-text.js";
import type { Look } from "./painter.js";
import { Teller } from "./teller.js";
import { uncomparedText } from "./uncompared-text.js";

/** A comparison to be shown. */
export interface Compared {
  readonly comparison: Comparison;
  /** What the sides are called: `2.2`, or a path. */
  readonly titles: readonly [before: string, after: string];
  /** What keeps either from starting. */
  readonly startup: readonly [before: readonly Finding[], after: readonly Finding[]];
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
  /** The directives that differ and are not compared. */
  readonly notCompared: readonly UncomparedChange[];
}

/** The scope of a comparison. */
const SCOPE = "compares access decisions, not redirect targets, backends, TLS, headers or logs\n";

/** A comparison for people: the verdict, each kind of difference with a request that shows it, and what could not be proved. */
export function* comparisonText(compared: Compared, look: Look): Generator<string> {
  const { comparison, titles, startup, notCompared } = compared;
  const teller = new Teller(look);
  yield SCOPE;
  for (const [index, reasons] of startup.entries()) yield teller.refusal(titles[index] ?? "", reasons);
  if (startup.some(({ length }) => length > 0)) yield "compared as if what is refused was not there:\n\n";
  yield headline(comparison, teller);
  yield* new DifferenceText(teller, titles, comparison).all();
  yield uncomparedText(notCompared, teller);
}

function headline(comparison: Comparison, { colours }: Teller): string {
  const { bold, red, green, yellow } = colours;
  const paint = { equivalent: green, different: red, unknown: yellow }[comparison.verdict];
  return `${bold(paint(comparison.verdict))}: ${verdictWords(comparison)}\n`;
}
