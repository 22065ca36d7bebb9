import type { VersionBehaviour } from "../../facts/behaviours.js";
import type { Release } from "../../facts/release.js";
import type { VersionChange } from "../../facts/version-changes.js";
import type { VersionEffects } from "../../lint/runner/upgrade.js";
import type { DefiniteAnswer } from "../../server/definite-answer.js";
import { destinationOf } from "../../server/trace/destination.js";
import { toReadable } from "../../text/source.js";
import { type AnswerJsonWriter, redactText } from "../answers/answer-json.js";
import type { upgradeOutput } from "../schema/comparisons.js";
import type { JsonOf } from "../schema/parts.js";
import { dateChange } from "./version-blocks.js";

type VersionsJson = NonNullable<JsonOf<typeof upgradeOutput>["versions"]>;

/** Returns what the versions between two versions changed, as plain values. */
export function versionsToJson(
  { differences, changes, unseen, uncertain, tried, isLimited }: VersionEffects,
  releases: readonly [before: Release, after: Release],
  json: AnswerJsonWriter,
): VersionsJson {
  const dated = (change: VersionBehaviour | VersionChange) => ({
    ...dateChange(change, releases),
    fixes: change.fixes && [...change.fixes],
    source: change.source,
  });
  const shown = (answer: DefiniteAnswer): VersionsJson["differences"][number]["before"] => {
    const { location, target, file, query } = destinationOf(answer.outcome);
    const readable = (text: string | undefined) => (text === undefined ? undefined : redactText(toReadable(text)));
    return {
      status: answer.status,
      log: [...answer.log],
      location: readable(location),
      target: readable(target),
      file: readable(file),
      query: readable(query),
      decidedBy: answer.decidedBy.map(({ span }) => json.place(span)),
    };
  };
  return {
    differences: differences.map(({ behaviours, request, before, after }) => ({
      changes: behaviours.map(dated),
      request,
      before: shown(before),
      after: shown(after),
    })),
    changes: changes.map(({ change, isUncertain }) => ({
      ...dated(change),
      kind: change.kind,
      uncertain: isUncertain || undefined,
    })),
    unseen: unseen.map(dated),
    uncertain: uncertain.map(({ does }) => `whether httpd ${does}`),
    requests: tried,
    limited: isLimited || undefined,
  };
}
