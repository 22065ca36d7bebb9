import {
  benchmark,
  type JudgedRecommendation,
  judgeRecommendations,
  type RecommendationEvidence,
  recommendationStates,
} from "../../lint/recommendations.js";
import type { RuleDefinition } from "../../lint/rule.js";
import { formatJson } from "../../text/escaping.js";
import { formatCount } from "../../text/words.js";
import type { recommendationsOutput } from "../schema/findings.js";
import type { JsonOf } from "../schema/parts.js";

/** The content of a report about recommendations. */
export interface RecommendationReport {
  /** All rules, also those that did not run. */
  readonly allRules: readonly RuleDefinition[];
  readonly evidence: readonly RecommendationEvidence[];
  readonly version: string;
  /** Number of files read. */
  readonly files: number;
  /** Total number of their lines. */
  readonly lines: number;
}

/** Renders which recommendations of the CIS benchmark are met, in each supported format. */
export const recommendationWriters = {
  text({ allRules, evidence }: Pick<RecommendationReport, "allRules" | "evidence">): string {
    const judged = judgeRecommendations(allRules, evidence);
    const unchecked = judged.filter(({ rules }) => rules.length === 0);
    const parts = recommendationStates.map((state) => {
      const own = judged.filter((each) => each.state === state && each.rules.length > 0);
      return own.length === 0 ? "" : `${state}\n${own.map(formatRow).join("")}\n`;
    });
    const counts = recommendationStates.map((state) => `${countState(judged, state)} ${state}`).join(", ");
    const more = unchecked.length === 0 ? "" : `; no rule refers to ${unchecked.length} of these`;
    return `${parts.join("")}${benchmark.title} ${benchmark.edition}: ${counts}${more}\n`;
  },
  /** In the format of `recommendations.schema.json`. */
  json({ allRules, evidence, version, files, lines }: RecommendationReport): string {
    const judged = judgeRecommendations(allRules, evidence);
    const recommendations = judged.map(({ number, summary, state, rules, findings, reason }) => ({
      ...{ number, summary, state, rules },
      findings: [...findings].map(([rule, count]) => ({ rule, count })),
      reason,
    }));
    const whole: JsonOf<typeof recommendationsOutput> = {
      ...{ version, benchmark, recommendations },
      summary: {
        met: countState(judged, "met"),
        notMet: countState(judged, "not met"),
        notDecidable: countState(judged, "not decidable"),
        ...{ files, lines },
      },
    };
    return `${formatJson(whole)}\n`;
  },
} as const;

function countState(judged: readonly JudgedRecommendation[], state: JudgedRecommendation["state"]): number {
  return judged.filter((each) => each.state === state).length;
}

function formatRow({ number, summary, findings, reason }: JudgedRecommendation): string {
  const found = [...findings].map(([rule, count]) => `${formatCount(count, "finding")} of ${rule}`);
  const why = reason === undefined ? found.join(", ") : reason;
  return `  ${number.padEnd(NUMBER_COLUMNS)}${summary}\n${why === "" ? "" : `  ${" ".repeat(NUMBER_COLUMNS)}  ${why}\n`}`;
}

/** The width of the longest number, and a space. */
const NUMBER_COLUMNS = 6;
