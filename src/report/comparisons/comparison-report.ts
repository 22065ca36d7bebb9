import type { Directive } from "../../config/model/directive.js";
import type { Finding } from "../../lint/finding.js";
import type { UncomparedChange } from "../../proof/compare/uncompared-changes.js";
import type { ConfigComparison } from "../../proof/model/comparison.js";
import { formatLine } from "../../server/trace/step.js";
import { formatCount, formatNumber, formatWordList } from "../../text/words.js";
import { redactQuotedLine } from "../answers/answer-json.js";
import type { Block, BlockOptions, Item, Tone } from "../blocks/block.js";
import { blockOptionsOf, TextLayout } from "../blocks/text-layout.js";
import { listFailureNotes } from "../text/failure-words.js";
import type { TextStyle } from "../text/text-printer.js";
import { listDifferences } from "./difference-blocks.js";
import { formatClassCount } from "./map-words.js";

/** A comparison to be rendered. */
export interface ComparisonReport {
  readonly comparison: ConfigComparison;
  /** The titles of the sides: `2.2`, or a path. */
  readonly titles: readonly [before: string, after: string];
  /** Findings that prevent either side from starting, or make all its requests fail. */
  readonly startup: readonly [before: readonly Finding[], after: readonly Finding[]];
  /** The assumptions about the rest of the server and about missing modules, as clauses. */
  readonly assumptions?: readonly string[];
  /** The changed directives that are not compared. */
  readonly notCompared: readonly UncomparedChange[];
}

/** The limits of a comparison. */
const SCOPE = "note: redirect targets, backends, TLS, headers and logs are not compared";

/** Renders a comparison as text: the verdict, each difference with an example request, and the unproved parts. */
export function renderComparisonText(compared: ComparisonReport, style: TextStyle): Generator<string> {
  return new TextLayout(style).render(listComparison(compared, blockOptionsOf(style)));
}

/** Yields the blocks of a comparison: the verdict, each difference with an example request, and the unproved parts. */
export function* listComparison(compared: ComparisonReport, options: BlockOptions): Generator<Block> {
  const { comparison, titles, startup, assumptions, notCompared } = compared;
  yield { kind: "paragraph", text: SCOPE, isNote: true };
  yield* listOmittedRequests(comparison);
  for (const [index, reasons] of startup.entries())
    if (reasons.length > 0) yield { kind: "failure", title: titles[index] ?? "", reasons, notes: [] };
  if (startup.some(({ length }) => length > 0)) {
    for (const text of listFailureNotes("the comparison", assumptions)) yield { kind: "paragraph", text, isNote: true };
    yield { kind: "space" };
  }
  const { verdict } = comparison;
  yield { kind: "verdict", verdict, tone: verdictTones[verdict], text: formatComparisonVerdict(comparison) };
  yield* listDifferences(comparison, titles, options);
  yield* listUncomparedChanges(notCompared);
}

const verdictTones: Readonly<Record<ConfigComparison["verdict"], Tone>> = {
  equivalent: "good",
  different: "bad",
  unknown: "caution",
};

/** Yields which requests a comparison of 2.2 with 2.4 leaves out; nothing if there are none. */
export function* listOmittedRequests({ uncomparedRequests }: ConfigComparison): Generator<Block> {
  if (uncomparedRequests.length === 0) return;
  const text = `note: not compared, because 2.2 and 2.4 may answer them differently: requests ${formatWordList(uncomparedRequests, "or")}`;
  yield { kind: "paragraph", text, isNote: true };
}

/** Renders a verdict in one line. */
export function formatComparisonVerdict({
  verdict,
  differences,
  unproved,
  serverPairs,
  pathClasses,
}: ConfigComparison): string {
  const seen = `${formatCount(serverPairs, "server")}, ${formatClassCount(pathClasses)}`;
  switch (verdict) {
    case "equivalent":
      return `every request has the same access decision on both sides (${seen})`;
    case "different":
      // A side that does not start is reported before.
      if (differences.length === 0) return `only one side answers requests; no other difference was found (${seen})`;
      return `${formatCount(differences.length, "difference")} in access decisions (${seen})`;
    case "unknown":
      if (differences.length > 0)
        return `a part of the configuration was not read; the rest has ${formatCount(differences.length, "difference")} in access decisions (${seen})`;
      return `no difference was found; ${formatCount(unproved.length, "part")} not proved (${seen})`;
  }
}

/** Limit of the changes shown; JSON has all. */
const MAX_CHANGES = 50;

/** Yields the changes between two configurations that are not compared; nothing if there are none. */
function* listUncomparedChanges(changes: readonly UncomparedChange[]): Generator<Block> {
  if (changes.length === 0) return;
  yield { kind: "space" };
  yield { kind: "heading", level: "list", text: "Also changed, but not compared" };
  yield { kind: "items", items: changes.slice(0, MAX_CHANGES).flatMap(toItems) };
  if (changes.length > MAX_CHANGES)
    yield { kind: "items", items: [{ text: `and ${formatNumber(changes.length - MAX_CHANGES)} more` }] };
}

function toItems({ before, after }: UncomparedChange): readonly Item[] {
  const item = (label: string, line: Directive): Item => {
    return { label, span: line.span, text: `\`${redactQuotedLine(formatLine(line))}\`` };
  };
  if (before && after) return [item("changed", before), { ...item("to", after), continues: true }];
  return [...(before ? [item("deleted", before)] : []), ...(after ? [item("added", after)] : [])];
}
