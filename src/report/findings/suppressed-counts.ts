import type { SuppressedFinding } from "../../lint/suppressions.js";
import { formatNumber } from "../../text/words.js";

const sourceKinds = [
  ["comment", "ignored by comments"],
  ["settings", "ignored by the settings"],
  ["baseline", "known in the baseline"],
] as const;

/** Renders the number of suppressed findings by kind of suppression, as the end of a line. */
export function formatSuppressedCounts(ignored: readonly SuppressedFinding[]): string {
  const parts = sourceKinds.flatMap(([kind, words]) => {
    const count = ignored.filter(({ by }) => by.kind === kind).length;
    return count === 0 ? [] : [`${formatNumber(count)} ${words}`];
  });
  return parts.length === 0 ? "" : `; ${parts.join(", ")}`;
}
