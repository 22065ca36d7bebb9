import type { Finding } from "../../lint/finding.js";

/** Returns what a server does because of a finding about all requests, after its name. */
export function describeFailure({ effect }: Pick<Finding, "effect">): string {
  return effect === "no start" ? "does not start" : "returns 500 to every request";
}

/** Returns the notes on a report about a server that fails: what it ignores, and what it assumes. */
export function listFailureNotes(report: string, assumptions: readonly string[] = []): readonly string[] {
  return [
    `note: ${report} ignores the rejected lines`,
    ...assumptions.map((assumption) => `note: ${report} assumes that ${assumption}`),
  ];
}
