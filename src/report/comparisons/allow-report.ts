import type { AllowingChange, NoChange } from "../../proof/allow/allow.js";
import type { Answer } from "../../server/model/answer.js";
import type { Request } from "../../server/model/request.js";
import { findForwardedHeader } from "../../server/request/remote-ip.js";
import { formatJson } from "../../text/escaping.js";
import { AnswerJsonWriter, assumptionsToJson, redactText } from "../answers/answer-json.js";
import { renderHeadline } from "../answers/answer-text.js";
import { sortProblems } from "../answers/problems.js";
import { blockOptionsOf, TextLayout } from "../blocks/text-layout.js";
import type { allowOutput } from "../schema/comparisons.js";
import type { JsonOf } from "../schema/parts.js";
import { formatPatch } from "../text/file-changes.js";
import { ReportPrinter } from "../text/report-printer.js";
import { PlaceResolver } from "../text/source-places.js";
import type { TextStyle } from "../text/text-printer.js";
import { DifferenceJson } from "./comparison-json.js";
import { listDifferences } from "./difference-blocks.js";
import { filesToJson } from "./migration-json.js";

/** The search for a change that allows a request, to be rendered. */
export interface AllowReport {
  /** The answer without the change. */
  readonly answer: Answer;
  readonly found: AllowingChange | NoChange | UnaskedClient;
  /** Whether the command did not name the client. */
  readonly isDefaultClient: boolean;
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
}

/**
 * Why no change is shown although one allows the client: nobody asked about the default client, and the answer has a cause with a help
 * of its own; or it is a proxy, and the change would allow all clients that it forwards.
 */
export type UnaskedClient = "default-client" | "proxy";

/** Returns the change, or why it is not shown, so that it allows only the client that was asked about. */
export function limitToAskedClient(
  found: AllowingChange | NoChange,
  { answer, isDefaultClient }: Pick<AllowReport, "answer" | "isDefaultClient">,
): AllowReport["found"] {
  if (typeof found === "string" || found.reach !== "client") return found;
  if (isOfProxy(answer.request)) return "proxy";
  return isDefaultClient && sortProblems({ answer, startup: [] }).first.length > 0 ? "default-client" : found;
}

/** Reports whether the client of a request is the proxy that forwards it for another one. */
export function isOfProxy(request: Request): boolean {
  return request.peerIp === request.clientIp && findForwardedHeader(request) !== undefined;
}

/** Renders the change as a patch with its proof, or the reason why there is none. */
export function* renderAllowText(report: AllowReport, style: TextStyle): Generator<string> {
  const { answer, found } = report;
  const printer = new ReportPrinter(style);
  const { bold } = printer.colours;
  yield renderHeadline(answer, style);
  if (typeof found === "string") {
    yield `${bold("no change")}: ${printer.wrap(reasonOf(found, answer), 11)}\n`;
    for (const note of notesOf(report)) yield `note: ${printer.wrap(note, 6)}\n`;
    return;
  }
  const places = new PlaceResolver(style.base);
  yield `${bold("this change allows the request")}; nothing is written\n\n`;
  for (const { path, before, after } of found.files) yield formatPatch(places.patchPath(path), before, after);
  yield `\n${bold("with the change")}\n${renderHeadline(found.answer, style)}`;
  for (const note of notesOf(report)) yield `note: ${printer.wrap(note, 6)}\n`;
  const { differences, verdict } = found.comparison;
  if (differences.length > 0) yield `${bold("all requests with another answer")}\n`;
  else if (verdict === "equivalent") yield "no access decision changes for any other request\n";
  const options = { ...blockOptionsOf(style), isBrief: true };
  yield* new TextLayout(style).render(listDifferences(found.comparison, ["before", "after"], options));
}

/** Renders the change as JSON, as `explain-allow.schema.json` describes it. */
export function* renderAllowJson(report: AllowReport, base: string | undefined): Generator<string> {
  const { answer, found, assumptions } = report;
  const { release, semantics, request } = answer;
  const writer = new AnswerJsonWriter(new PlaceResolver(base));
  const change = typeof found === "string" ? undefined : found;
  const result = typeof found === "string" ? (found === "allowed" || found === "unknown" ? found : "none") : "found";
  const comparison = change?.comparison;
  const differences = comparison && new DifferenceJson(writer, comparison.methods);
  const whole: JsonOf<typeof allowOutput> = {
    assumptions: assumptionsToJson(assumptions),
    ...{ release, reading: semantics, request, result },
    reason: typeof found === "string" ? redactText(reasonOf(found, answer)) : undefined,
    before: writer.shown(answer),
    after: change && writer.shown(change.answer),
    reach: change?.reach,
    files: change ? filesToJson(change.files, base) : [],
    notes: notesOf(report).map(redactText),
    differences:
      comparison?.differences.map((each) => differences?.difference(each)).filter((each) => each !== undefined) ?? [],
    unknown: comparison?.unproved.map((each) => writer.unproved(each)) ?? [],
  };
  yield `${formatJson(whole, 2)}\n`;
}

const reasons: Readonly<Record<NoChange, string>> = {
  allowed: "access is granted already",
  unknown: "the answer is unknown, so that no change can be proved",
  none: "httpd-lint tries Require, Allow, Deny, RewriteCond, Options and AllowOverride lines; none allows this request",
  wider: "each change that allows this request also changes the answers to other requests",
};

function reasonOf(found: NoChange | UnaskedClient, { decidedBy, trace, request }: Answer): string {
  if (found === "proxy")
    return `${request.clientIp} is the proxy, and a line that allows it would allow all clients behind it`;
  if (found === "default-client")
    return `the help above is for the cause, and ${request.clientIp} is only the default client; to allow one client, name it with --client-ip`;
  const [line] = decidedBy;
  const order = trace.flatMap(({ lines }) => lines).findLast(({ key }) => key === "order");
  const isDenyLast = /^allow,deny$|^mutual-failure$/i.test(order?.arguments[0]?.value ?? "");
  const isSpecial = found === "none" && (line?.key !== "deny" || isDenyLast);
  const special = isSpecial ? reasonsByLine[line?.key ?? ""] : undefined;
  return special ?? reasons[found];
}

/** Reasons by the deciding line, in lower case. */
const reasonsByLine: Readonly<Record<string, string | undefined>> = {
  deny: "with `Order allow,deny`, no `Allow` line can except one client from a `Deny` line with more clients",
  redirect: "a `Redirect` line responds to every client",
  redirectmatch: "a `RedirectMatch` line responds to every client",
  sslrequiressl: "the line allows only requests with TLS; use https",
};

/** Returns what to know before the change is made. */
function notesOf({ answer, found, isDefaultClient }: AllowReport): readonly string[] {
  const change = typeof found === "string" ? undefined : found;
  const { class: decided, request } = answer;
  return [
    ...(isDefaultClient && change?.reach === "client"
      ? [`the client is ${request.clientIp} by default; --client-ip names another`]
      : []),
    ...(change?.reach === "everyone" ? ["the changed line cannot be limited to one client: it applies to all"] : []),
    ...(change?.skipsLogin ? ["with this change, the client needs no password"] : []),
    ...(decided === "401" && request.user === undefined
      ? ["a user that `Require` allows needs no change; --user NAME shows the answer"]
      : []),
  ];
}
