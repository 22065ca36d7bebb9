import { isSince, type Release } from "../../facts/release.js";
import type { VersionChange } from "../../facts/version-changes.js";
import type { VersionDifference } from "../../lint/probes/version-differences.js";
import type { VersionEffects } from "../../lint/runner/upgrade.js";
import type { DefiniteAnswer } from "../../server/definite-answer.js";
import { describeRequest } from "../../server/model/request.js";
import { destinationOf } from "../../server/trace/destination.js";
import { formatLine } from "../../server/trace/step.js";
import { toReadable } from "../../text/source.js";
import { formatCount } from "../../text/words.js";
import { redactQuotedLine } from "../answers/answer-json.js";
import { formatStatus } from "../answers/answer-words.js";
import type { Block, SideAnswer, VersionBlock } from "../blocks/block.js";

/** What one version changed. */
interface DatedChange {
  readonly version: string;
  /** As a sentence without its end. */
  readonly text: string;
}

type Dated = Pick<VersionChange, "since" | "until" | "does">;
type Releases = readonly [before: Release, after: Release];

/** Returns when a change between two releases was made, and what it is. */
export function dateChange({ since, until, does }: Dated, [before, after]: Releases): DatedChange {
  const ends = until !== undefined && isSince(after, until) && !isSince(before, until);
  return ends ? { version: until, text: `no longer: httpd ${does}` } : { version: since, text: `httpd ${does}` };
}

/** Yields what the versions between two versions changed for a configuration. */
export function* listVersionEffects(
  { differences, changes, unseen, uncertain, tried, isLimited }: VersionEffects,
  releases: Releases,
): Generator<Block> {
  for (const difference of differences) {
    yield toBlock(difference, releases);
    yield { kind: "space" };
  }
  for (const { change, isUncertain } of changes) {
    const note = isUncertain ? ["a distribution may have made this change in an older version"] : [];
    const notes = [...note, `source: ${change.source}`];
    yield { kind: "version", changes: [withFixes(change, releases)], answers: [], notes };
    yield { kind: "space" };
  }
  if (unseen.length > 0) {
    const limit = isLimited ? ", the limit of this report" : "";
    const text = `${formatCount(tried, "request")} that the lines were written for, and variations${limit}: none showed these changes:`;
    yield { kind: "paragraph", text };
    const dated = unseen.map((each) => dateChange(each, releases));
    yield { kind: "items", items: dated.map(({ version, text: does }) => ({ text: `${version}: ${does}` })) };
    yield { kind: "space" };
  }
  if (uncertain.length === 0) return;
  yield { kind: "paragraph", text: "Not known, because a distribution may have changed its version:" };
  yield { kind: "items", items: uncertain.map(({ does }) => ({ text: `whether httpd ${does}` })) };
  yield { kind: "space" };
}

function toBlock({ behaviours, request, before, after }: VersionDifference, releases: Releases): VersionBlock {
  return {
    kind: "version",
    changes: behaviours.map((each) => withFixes(each, releases)),
    request: describeRequest(request),
    answers: [answerOf(before, releases[0]), answerOf(after, releases[1])],
    notes: behaviours.map(({ source }) => `source: ${source}`),
  };
}

function withFixes(change: Dated & Pick<VersionChange, "fixes">, releases: Releases): DatedChange {
  const { version, text } = dateChange(change, releases);
  return { version, text: change.fixes === undefined ? text : `${text} (${change.fixes.join(", ")})` };
}

function answerOf(answer: DefiniteAnswer, title: string): SideAnswer {
  const { status, log, decidedBy } = answer;
  const codes = log.length === 0 || status < 400 ? "" : ` (${log.join(", ")})`;
  return {
    title,
    status: { text: formatStatus(status), tone: "neutral" },
    suffix: `${describePlace(answer)}${codes}`,
    lines: decidedBy.map((line) => ({ span: line.span, text: `\`${redactQuotedLine(formatLine(line))}\`` })),
  };
}

/** Returns where an answer leads, if its status does not say it: the file, or the URL. */
function describePlace({ outcome }: DefiniteAnswer): string {
  const { location, target, file, query } = destinationOf(outcome);
  const path = target ?? file;
  const place = location ?? (path === undefined || query === undefined ? path : `${path}?${query}`);
  return place === undefined || outcome.status >= 400 ? "" : `, \`${toReadable(place)}\``;
}
