import type { Finding } from "../../../lint/finding.js";
import type { LintSession } from "../../../lint/runner/lint.js";
import { SimulatedServer } from "../../../server/answer.js";
import { createPermissiveFileTree } from "../../../server/file-trees.js";
import { describeRequest, type Request } from "../../../server/model/request.js";
import { formatCount } from "../../../text/words.js";

/** Maximum number of requests in notes. */
const MAX_REQUESTS = 5;

/**
 * Returns notes on the requests that fixes change: those that show the fixed findings, with the answers before and after.
 * All files that the configuration permits are assumed to exist.
 *
 * @param before the configurations without the fixes; `after` has them in the same order
 */
export function describeChangedRequests(
  before: readonly LintSession[],
  after: readonly LintSession[],
  applied: readonly Finding[],
): readonly string[] {
  const changes = new Map<string, string>();
  for (const [index, { project }] of before.entries()) {
    const fixed = after[index]?.project;
    if (fixed === undefined || fixed === project) continue;
    const [old, now] = [project, fixed].map((each) => new SimulatedServer(each, createPermissiveFileTree(each)));
    for (const { span, witness } of applied) {
      const request = witness?.request;
      if (request === undefined || !project.files.has(span.file.path)) continue;
      const [first, second] = [answerTo(old, request), answerTo(now, request)];
      if (first === undefined || second === undefined || first === second) continue;
      changes.set(describeRequest(request), `returned ${first}, and returns ${second} after the fix`);
    }
  }
  const shown = [...changes].slice(0, MAX_REQUESTS).map(([request, change]) => `httpd-lint: ${request} ${change}`);
  const left = changes.size - shown.length;
  return left > 0
    ? [...shown, `httpd-lint: the fixes also change the answers to ${formatCount(left, "other request")} in findings`]
    : shown;
}

/** Returns the status of a request, and what answers it; undefined if it is unknown. */
function answerTo(simulatedServer: SimulatedServer | undefined, request: Request): string | undefined {
  const { status, answeredBy, class: decided } = simulatedServer?.answer(request) ?? {};
  if (status === undefined || decided === "unknown") return undefined;
  const isOther = answeredBy === "backend" || answeredBy === "program";
  return isOther ? `${status} from a ${answeredBy}` : `${status}`;
}
