import type { Request } from "../scope/request.js";
import { requestText } from "../scope/request-text.js";
import type { Decision } from "../simulate/decision.js";
import { jsonText } from "../text/json-text.js";
import { assumed, DecisionJson, said } from "./decision-json.js";
import { verdictText } from "./decision-words.js";
import { counted, type Look, Painter } from "./painter.js";
import { Places } from "./places.js";
import { visible } from "./visible.js";

/** A line of an access log with what either side answers to it, or why it cannot be read. */
export type ComparedLine =
  | { readonly line: number; readonly request: Request; readonly before: Decision; readonly after: Decision }
  | { readonly line: number; readonly failed: string };

/** What logged requests come to. */
export class ComparedCounts {
  requests = 0;
  different = 0;
  unknown = 0;
  unread = 0;

  /** Counts a line, and says how the sides compare. */
  add(compared: ComparedLine): "same" | "different" | "unknown" | "unread" {
    const outcome = outcomeOf(compared);
    if (outcome !== "unread") this.requests++;
    if (outcome !== "same") this[outcome]++;
    return outcome;
  }
}

function outcomeOf(compared: ComparedLine): "same" | "different" | "unknown" | "unread" {
  if ("failed" in compared) return "unread";
  const classes = [compared.before.class, compared.after.class];
  if (classes.includes("unknown")) return "unknown";
  return classes[0] === classes[1] ? "same" : "different";
}

/** The lines that are answered differently, and a sum. */
export function* loggedComparisonText(
  lines: Iterable<ComparedLine>,
  counts: ComparedCounts,
  look: Look,
): Generator<string> {
  const painter = new Painter(look);
  const { bold, red, yellow } = painter.colours;
  const shown = (decision: Decision) => {
    const by = decision.decidedBy.map(({ span }) => painter.where(painter.places.place(span)));
    const told = [...(decision.class === "unknown" ? decision.unknown : decision.log), ...by];
    return `${verdictText(decision)}${told.length === 0 ? "" : ` (${visible(told.join(", "))})`}`;
  };
  for (const each of lines) {
    const outcome = counts.add(each);
    if (outcome === "same") continue;
    if ("failed" in each) yield `${each.line}: ${yellow(`cannot be read: ${visible(said(each.failed))}`)}\n`;
    else {
      const paint = outcome === "different" ? (text: string) => bold(red(text)) : yellow;
      yield `${each.line}: ${visible(said(requestText(each.request)))}: ${paint(`${shown(each.before)} → ${shown(each.after)}`)}\n`;
    }
  }
  const { requests, different, unknown, unread } = counts;
  const parts = [counted(requests, "request"), `${different} answered differently`];
  if (unknown > 0) parts.push(`${unknown} unknown`);
  if (unread > 0) parts.push(`${counted(unread, "line")} cannot be read`);
  yield `${parts.join(", ")}\n`;
}

/** The same for programs, a line of text a request, as `compare-requests.schema.json` describes it. */
export function* loggedComparisonJson(
  lines: Iterable<ComparedLine>,
  counts: ComparedCounts,
  base: string | undefined,
  assumptions: readonly string[] = [],
): Generator<string> {
  const writer = new DecisionJson(new Places(base));
  yield jsonText({ ...assumed(assumptions), requests: [] }).slice(0, -2);
  let isFirst = true;
  for (const each of lines) {
    const comparison = counts.add(each);
    if (comparison === "same") continue;
    const { line } = each;
    const told =
      "failed" in each
        ? { ...each, failed: said(each.failed) }
        : {
            ...{ line, comparison, request: each.request },
            ...{ before: writer.verdict(each.before), after: writer.verdict(each.after) },
          };
    yield `${isFirst ? "\n" : ",\n"}${jsonText(told)}`;
    isFirst = false;
  }
  const { requests, different, unknown, unread } = counts;
  yield `${isFirst ? "" : "\n"}],"summary":${jsonText({ requests, different, unknown, unread })}}\n`;
}
