import type { Release } from "../../facts/release.js";
import { type Answer, decisionClassOf, type Semantics } from "../../server/model/answer.js";
import type { Request } from "../../server/model/request.js";
import { formatJson } from "../../text/escaping.js";
import { formatCount, formatNumber } from "../../text/words.js";
import type { explainRequestsOutput } from "../schema/answers.js";
import type { JsonOf } from "../schema/parts.js";
import { PlaceResolver } from "../text/source-places.js";
import { type Paint, TextPrinter, type TextStyle } from "../text/text-printer.js";
import { makeVisible } from "../text/visible-text.js";
import { AnswerJsonWriter, headToJson, redactText, unknownToJson } from "./answer-json.js";
import { formatReasons, formatRequest, formatShortAnswer, listDecidingLogs } from "./answer-words.js";

/** A line of an access log with the logged and the current response, or the reason why it cannot be parsed. */
export type LoggedAnswer = DecidedLine | { readonly line: number; readonly failed: string };

interface DecidedLine {
  readonly line: number;
  readonly request: Request;
  readonly status: number;
  readonly answer: Answer;
  /** Whether the log does not name its host, on which the virtual host depends. */
  readonly needsHost: boolean;
}

/** Counts of logged responses by their comparison with current ones. */
export class LoggedCounts {
  requests = 0;
  same = 0;
  different = 0;
  unknown = 0;
  unread = 0;
  withoutHost = 0;
  /** The first lines that could not be parsed. */
  readonly unreadLines: number[] = [];

  /** Counts a response, and returns the result of its comparison. */
  add(logged: LoggedAnswer): LoggedOutcome {
    const comparison = "failed" in logged ? "unread" : compareWithLog(logged);
    this[comparison]++;
    if (!("failed" in logged)) {
      this.requests++;
      if (logged.needsHost) this.withoutHost++;
    } else if (this.unreadLines.length < MAX_LINE_NUMBERS) this.unreadLines.push(logged.line);
    return comparison;
  }
}

/** The fields of a line that is a request. */
type LoggedJson = Extract<JsonOf<typeof explainRequestsOutput>["requests"][number], { readonly logged: number }>;

export type LoggedOutcome = LoggedJson["comparison"] | "unread";

const MAX_LINE_NUMBERS = 10;

/** Describes requests of a log without a host, which the first virtual host answers here. @param count at least 1 */
export function describeMissingHosts(count: number): string {
  const requests =
    count === 1 ? "1 request names no host, and is" : `${formatNumber(count)} requests name no host, and are`;
  return `${requests} taken for the first virtual host at the address; name the host of the log with --host`;
}

/**
 * Compares the access decision with the logged one; after that decision, a log and a simulator record different things.
 */
function compareWithLog({ status, answer }: DecidedLine): LoggedJson["comparison"] {
  if (answer.class === "unknown") return "unknown";
  return answer.class === decisionClassOf(status) ? "same" : "different";
}

/** The input for rendering the responses. */
export interface LoggedInput {
  readonly answers: Iterable<LoggedAnswer>;
  readonly release: Release;
  readonly semantics: Semantics;
  /** Updated while the responses are consumed. */
  readonly counts: LoggedCounts;
  /** Whether unchanged responses are omitted. */
  readonly onlyChanged: boolean;
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
}

/** Renders one line per request, and a summary at the end. */
export function* renderLoggedText({ answers, counts, onlyChanged }: LoggedInput, style: TextStyle): Generator<string> {
  const writer = new LoggedWriter(style);
  for (const logged of answers) {
    const comparison = counts.add(logged);
    if (!onlyChanged || comparison !== "same") yield writer.line(logged, comparison);
  }
  yield writer.summary(counts);
}

class LoggedWriter {
  private readonly printer: TextPrinter;
  private readonly paints: Readonly<Record<LoggedOutcome, Paint>>;

  constructor(style: TextStyle) {
    this.printer = new TextPrinter(style);
    const { bold, dim, red, yellow } = this.printer.colours;
    this.paints = { same: dim, different: (text) => bold(red(text)), unknown: yellow, unread: yellow };
  }

  line(logged: LoggedAnswer, comparison: LoggedOutcome): string {
    const paint = this.paints[comparison];
    if ("failed" in logged)
      return `${logged.line}: ${paint(`cannot be parsed: ${makeVisible(redactText(logged.failed))}`)}\n`;
    const { line, request, status, answer } = logged;
    return `${line}: ${formatRequest(request)}: ${paint(this.compared(status, answer, comparison))}\n`;
  }

  private compared(status: number, answer: Answer, comparison: LoggedOutcome): string {
    const now = formatShortAnswer(answer);
    if (comparison === "same") return String(now) === String(status) ? now : `${now}, logged ${status}`;
    const { printer } = this;
    const by = answer.decidedBy.map(({ span }) => printer.formatPlace(printer.places.place(span)));
    const why = comparison === "unknown" ? answer.unknown : [...listDecidingLogs(answer), ...by];
    return `${now}, logged ${status}${formatReasons(why)}`;
  }

  summary(counts: LoggedCounts): string {
    const { withoutHost } = counts;
    const missing = withoutHost > 0 ? `${describeMissingHosts(withoutHost)}\n` : "";
    return `${this.results(counts)}${missing}`;
  }

  private results({ requests, different, unknown, unread, unreadLines }: LoggedCounts): string {
    const parts = [formatCount(requests, "request")];
    if (different > 0) parts.push(this.paints.different(`${different} different from the log`));
    if (unknown > 0) parts.push(this.paints.unknown(`${unknown} unknown`));
    if (different === 0 && requests > 0 && unknown === 0) parts.push("all as logged");
    if (unread === 0) return `${parts.join(", ")}\n`;
    const numbers = `${unreadLines.join(", ")}${unread > unreadLines.length ? " …" : ""}`;
    return `${parts.join(", ")}; ${formatCount(unread, "line")} cannot be parsed: ${numbers}\n`;
  }
}

/** Renders one JSON object, one line per request, as `explain-requests.schema.json` describes it. */
export function* renderLoggedJson(input: LoggedInput, base: string | undefined): Generator<string> {
  const { answers, counts, onlyChanged } = input;
  const writer = new AnswerJsonWriter(new PlaceResolver(base));
  yield `${formatJson(headToJson(input)).slice(0, -1)},"requests":[`;
  let isFirst = true;
  for (const logged of answers) {
    const comparison = counts.add(logged);
    if (onlyChanged && comparison === "same") continue;
    yield `${isFirst ? "\n" : ",\n"}${formatJson(answerToJson(logged, writer))}`;
    isFirst = false;
  }
  const { requests, same, different, unknown, unread, withoutHost } = counts;
  const summary: JsonOf<typeof explainRequestsOutput>["summary"] = {
    ...{ requests, same, different, unknown, unread },
    ...(withoutHost > 0 ? { withoutHost } : {}),
  };
  yield `${isFirst ? "" : "\n"}],"summary":${formatJson(summary)}}\n`;
}

function answerToJson(
  logged: LoggedAnswer,
  writer: AnswerJsonWriter,
): JsonOf<typeof explainRequestsOutput>["requests"][number] {
  const { line } = logged;
  if ("failed" in logged) return { line, failed: redactText(logged.failed) };
  const { request, status, answer } = logged;
  return {
    ...{ line, request, logged: status, comparison: compareWithLog(logged) },
    ...writer.shown(answer),
    unknown: unknownToJson(answer),
  };
}
