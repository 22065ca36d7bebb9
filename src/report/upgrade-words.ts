import type { Finding } from "../engine/finding.js";
import type { RecordedBuild } from "../upgrade/config-nice.js";
import type { Upgrade } from "../upgrade/upgrade.js";

/** An upgrade to be shown. */
export interface Upgraded {
  readonly upgrade: Upgrade;
  readonly releases: readonly [before: string, after: string];
  /** What keeps the release that the configuration comes from from starting. */
  readonly startupBefore: readonly Finding[];
  /** How the server was built, where that is known. */
  readonly build?: RecordedBuild;
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
}

/** The parts of an upgrade's report, in their order. */
export const upgradeParts = ["start", "answers", "behaviour", "review", "recommended", "build"] as const;
export type UpgradePart = (typeof upgradeParts)[number];

export const upgradeHeadings: Readonly<Record<UpgradePart, string>> = {
  start: "will not start, or answers 500",
  answers: "answers differently",
  behaviour: "behaves differently",
  review: "review: who gets in, before and after",
  recommended: "recommended",
  build: "the build",
};

/** What an upgrade's notes are preceded by. */
export const fromBefore =
  "coming from 2.0, what changed from 2.0 to 2.2 applies first: the manual of 2.2 has it as `Upgrading to 2.2 from 2.0`";

/** How much there is under each heading. */
export function upgradeCounts({ upgrade, build }: Upgraded): Readonly<Record<UpgradePart, number>> {
  const { findings, comparison, review } = upgrade;
  return {
    start: findings.start.length,
    answers: findings.answers.length + comparison.differences.length,
    behaviour: findings.behaviour.length,
    review: review.servers.reduce((count, { scopes }) => count + scopes.length, 0),
    recommended: findings.recommended.length,
    build: build?.changed.length ?? 0,
  };
}
