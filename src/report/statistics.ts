import type { Finding } from "../engine/finding.js";
import { jsonText } from "../text/json-text.js";
import { countBySeverity } from "./findings.js";
import type { ReportInput } from "./input.js";
import { visible, wellFormed } from "./visible.js";

/** How often each rule found something, the most frequent first, in the formats that there are for it. */
export const statistics = {
  text({ findings }: Pick<ReportInput, "findings">): string {
    const rows = countsOf(findings);
    const width = String(rows[0]?.count ?? 0).length;
    return rows.map(({ rule, count }) => `${String(count).padStart(width)}  ${visible(rule)}\n`).join("");
  },
  /** As `statistics.schema.json` describes it. */
  json({ findings, version, files, lines }: ReportInput): string {
    const rules = countsOf(findings).map(({ rule, count }) => ({ rule: wellFormed(rule), count }));
    return `${jsonText({ version, statistics: rules, summary: { ...countBySeverity(findings), files, lines } })}\n`;
  },
} as const;

function countsOf(findings: readonly Finding[]): { readonly rule: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts]
    .map(([rule, count]) => ({ rule, count }))
    .sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1));
}
