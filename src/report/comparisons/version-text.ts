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
import type { ReportPrinter } from "../text/report-printer.js";

/** What one version changed. */
interface DatedChange {
  readonly version: string;
  /** As a sentence without its end. */
  readonly text: string;
}

type Dated = Pick<VersionChange, "since" | "until" | "does">;

/** Returns when a change between two releases was made, and what it is. */
export function dateChange(
  { since, until, does }: Dated,
  [before, after]: readonly [before: Release, after: Release],
): DatedChange {
  const ends = until !== undefined && isSince(after, until) && !isSince(before, until);
  return ends ? { version: until, text: `no longer: httpd ${does}` } : { version: since, text: `httpd ${does}` };
}

/** Returns where an answer leads, if its status does not say it: the file, or the URL. */
function describePlace({ outcome }: DefiniteAnswer): string {
  const { location, target, file, query } = destinationOf(outcome);
  const path = target ?? file;
  const place = location ?? (path === undefined || query === undefined ? path : `${path}?${query}`);
  return place === undefined || outcome.status >= 400 ? "" : `, \`${toReadable(place)}\``;
}

/** Renders what the versions between two versions changed for a configuration. */
export class VersionText {
  constructor(
    private readonly printer: ReportPrinter,
    private readonly releases: readonly [before: Release, after: Release],
    private readonly effects: VersionEffects,
  ) {}

  *all(): Generator<string> {
    for (const difference of this.effects.differences) yield this.difference(difference);
    for (const { change, isUncertain } of this.effects.changes) {
      const note = isUncertain ? ["a distribution may have made this change in an older version"] : [];
      yield `${this.heading(change)}${this.notes([...note, `source: ${change.source}`])}\n`;
    }
    yield* this.rest();
  }

  private heading(change: Dated & Pick<VersionChange, "fixes">): string {
    const { version, text } = dateChange(change, this.releases);
    const fixes = change.fixes === undefined ? "" : ` (${change.fixes.join(", ")})`;
    return `${this.printer.colours.bold(`${version}:`)} ${this.printer.wrap(`${text}${fixes}`, 2)}\n`;
  }

  private notes(lines: readonly string[]): string {
    return lines.map((line) => `  = ${this.printer.wrap(line, 4)}\n`).join("");
  }

  private difference({ behaviours, request, before, after }: VersionDifference): string {
    const [old, now] = this.releases;
    return [
      ...behaviours.map((each) => this.heading(each)),
      `  ${this.printer.wrap(describeRequest(request), 4)}\n`,
      this.answer(old, before),
      this.answer(now, after),
      this.notes(behaviours.map(({ source }) => `source: ${source}`)),
      "\n",
    ].join("");
  }

  private answer(title: string, answer: DefiniteAnswer): string {
    const { status, log, decidedBy } = answer;
    const codes = log.length === 0 || status < 400 ? "" : ` (${log.join(", ")})`;
    const lines = decidedBy.map(
      (line) =>
        `      ${this.printer.formatPlace(line)}: ${this.printer.wrap(`\`${redactQuotedLine(formatLine(line))}\``, 8)}\n`,
    );
    return `    ${title}: ${formatStatus(status)}${describePlace(answer)}${codes}\n${lines.join("")}`;
  }

  /** Renders what no request showed, and what is not known. */
  private *rest(): Generator<string> {
    const { unseen, uncertain, tried, isLimited } = this.effects;
    if (unseen.length > 0) {
      const limit = isLimited ? ", the limit of this report" : "";
      yield `${formatCount(tried, "request")} that the lines were written for, and variations${limit}: none showed these changes:\n`;
      for (const each of unseen) {
        const { version, text } = dateChange(each, this.releases);
        yield `  ${this.printer.wrap(`${version}: ${text}`, 4)}\n`;
      }
      yield "\n";
    }
    if (uncertain.length === 0) return;
    yield "Not known, because a distribution may have changed its version:\n";
    for (const { does } of uncertain) yield `  ${this.printer.wrap(`whether httpd ${does}`, 4)}\n`;
    yield "\n";
  }
}
