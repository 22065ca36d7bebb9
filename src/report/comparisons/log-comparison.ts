import type { Answer } from "../../server/model/answer.js";
import { shownClassOf } from "../../server/model/answer-class.js";
import { describeRequest, type Request } from "../../server/model/request.js";
import { formatJson } from "../../text/escaping.js";
import { formatCount } from "../../text/words.js";
import { AnswerJsonWriter, assumptionsToJson, redactText } from "../answers/answer-json.js";
import { formatReasons, formatShortAnswer, listDecidingLogs } from "../answers/answer-words.js";
import { describeMissingHosts } from "../answers/logged-requests.js";
import type { Block, BlockOptions } from "../blocks/block.js";
import { blockOptionsOf, TextLayout } from "../blocks/text-layout.js";
import type { compareRequestsOutput } from "../schema/answers.js";
import type { JsonOf } from "../schema/parts.js";
import { PlaceResolver } from "../text/source-places.js";
import type { TextStyle } from "../text/text-printer.js";

/** A line of an access log with the responses of both sides, or the reason why it cannot be parsed. */
export type RequestComparison = DecidedRequest | { readonly line: number; readonly failed: string };

interface DecidedRequest {
  readonly line: number;
  readonly request: Request;
  readonly before: Answer;
  readonly after: Answer;
  /** Whether the log does not name its host, on which the virtual host depends. */
  readonly needsHost: boolean;
}

/** Counts of the results for logged requests. */
export class RequestComparisonCounts {
  requests = 0;
  different = 0;
  unknown = 0;
  unread = 0;
  withoutHost = 0;

  /** Counts a line, and returns the result of its comparison. */
  add(compared: RequestComparison): "same" | "different" | "unknown" | "unread" {
    const outcome = outcomeOf(compared);
    if (!("failed" in compared)) {
      this.requests++;
      if (compared.needsHost) this.withoutHost++;
    }
    if (outcome !== "same") this[outcome]++;
    return outcome;
  }
}

function outcomeOf(compared: RequestComparison): "same" | "different" | "unknown" | "unread" {
  return "failed" in compared ? "unread" : compareAccess(compared);
}

function compareAccess({ before, after }: DecidedRequest): "same" | "different" | "unknown" {
  if (before.class === "unknown" || after.class === "unknown") return "unknown";
  const [old, now] = [accessesOf(before), accessesOf(after)];
  const shared = [...old].filter((each) => now.has(each)).length;
  if (shared === old.size && shared === now.size) return "same";
  return shared === 0 ? "different" : "unknown";
}

/** Returns all answers that a decision may have, as far as the configuration decides them. */
function accessesOf({ access, alternatives }: Answer): ReadonlySet<string> {
  return new Set(access === "unknown" ? alternatives.map((each) => each.access) : [access]);
}

/** Returns a decision with the class to show: only an answer with content is `allowed`. */
function withShownClass(decision: Answer) {
  const { status, class: decided, access, log, decidedBy } = decision;
  const isOpen = decided !== "allowed" || access === "allowed" || status === undefined;
  return { status, class: isOpen ? decided : shownClassOf(status), log, decidedBy };
}

/** Renders the lines with different responses, and a summary. */
export function renderLogComparisonText(
  lines: Iterable<RequestComparison>,
  counts: RequestComparisonCounts,
  style: TextStyle,
): Generator<string> {
  return new TextLayout(style).render(listLogComparison(lines, counts, blockOptionsOf(style)));
}

/** Yields the lines with different responses, and a summary. */
export function* listLogComparison(
  lines: Iterable<RequestComparison>,
  counts: RequestComparisonCounts,
  { places }: BlockOptions,
): Generator<Block> {
  const shown = (decision: Answer) => {
    const by = decision.decidedBy.map(({ span }) => places.format(span));
    const reasons = [...(decision.class === "unknown" ? decision.unknown : listDecidingLogs(decision)), ...by];
    return `${formatShortAnswer(decision)}${formatReasons(reasons)}`;
  };
  for (const each of lines) {
    const outcome = counts.add(each);
    if (outcome === "same") continue;
    const { line } = each;
    if ("failed" in each) {
      const text = `cannot be parsed: ${redactText(each.failed)}`;
      yield { kind: "logged", line, request: "", result: { text, tone: "caution" } };
    } else {
      const tone = outcome === "different" ? "bad" : "caution";
      const result = { text: `${shown(each.before)} → ${shown(each.after)}`, tone } as const;
      yield { kind: "logged", line, request: describeRequest(each.request), result };
    }
  }
  const { requests, different, unknown, unread, withoutHost } = counts;
  const parts = [formatCount(requests, "request"), `${different} with a different access decision`];
  if (unknown > 0) parts.push(`${unknown} unknown`);
  if (unread > 0) parts.push(`${formatCount(unread, "line")} cannot be parsed`);
  yield { kind: "paragraph", text: parts.join(", ") };
  if (withoutHost > 0) yield { kind: "paragraph", text: describeMissingHosts(withoutHost) };
}

type ComparedRequests = JsonOf<typeof compareRequestsOutput>;

/** Renders the comparison as JSON, one line per request, as `compare-requests.schema.json` describes it. */
export function* renderLogComparisonJson(
  lines: Iterable<RequestComparison>,
  counts: RequestComparisonCounts,
  base: string | undefined,
  assumptions: readonly string[] = [],
): Generator<string> {
  const writer = new AnswerJsonWriter(new PlaceResolver(base));
  yield formatJson({ assumptions: assumptionsToJson(assumptions), requests: [] }).slice(0, -2);
  let isFirst = true;
  for (const each of lines) {
    counts.add(each);
    const entry = comparisonToJson(each, writer);
    if (entry === undefined) continue;
    yield `${isFirst ? "\n" : ",\n"}${formatJson(entry)}`;
    isFirst = false;
  }
  const { requests, different, unknown, unread, withoutHost } = counts;
  const summary: ComparedRequests["summary"] = {
    ...{ requests, different, unknown, unread },
    ...(withoutHost > 0 ? { withoutHost } : {}),
  };
  yield `${isFirst ? "" : "\n"}],"summary":${formatJson(summary)}}\n`;
}

/** Returns a line with different or unknown answers, or one that cannot be parsed; undefined for equal answers. */
function comparisonToJson(
  each: RequestComparison,
  writer: AnswerJsonWriter,
): ComparedRequests["requests"][number] | undefined {
  const { line } = each;
  if ("failed" in each) return { line, failed: redactText(each.failed) };
  const comparison = compareAccess(each);
  if (comparison === "same") return undefined;
  const { request, before, after } = each;
  return {
    ...{ line, comparison, request },
    before: writer.shown(withShownClass(before)),
    after: writer.shown(withShownClass(after)),
  };
}
