import published from "../facts/data/cis-recommendations.json" with { type: "json" };
import { compareTexts, getOrCreate } from "../text/collections.js";
import type { Finding } from "./finding.js";
import type { RuleReferences } from "./references.js";

/** A recommendation of the CIS benchmark, and what the rules that refer to it show. */
export interface Recommendation {
  readonly number: string;
  readonly summary: string;
  /** Whether the rules check all of it, so that no finding means that it is met. */
  readonly isWhole: boolean;
  /** What the rules do not check; undefined if they check all of it, or if no rule refers to it. */
  readonly unchecked?: string;
  /** Directives of which the configuration must use one: without them, there is nothing to recommend. */
  readonly ifUsed: readonly string[];
  /** Directives with an effect that the rules do not know. */
  readonly unlessUsed: readonly string[];
}

/** A row of the fact table. */
interface TableEntry extends Partial<Omit<Recommendation, "number" | "summary">> {
  readonly summary: string;
}

/** The recommendations of the benchmark by section, in its order. */
export const benchmarkSections: readonly {
  readonly title: string;
  readonly recommendations: readonly Recommendation[];
}[] = published.sections.map(({ title, recommendations }) => ({
  title,
  recommendations: Object.entries<TableEntry>(recommendations).map(([number, entry]) => ({
    ...{ number, isWhole: false, ifUsed: [], unlessUsed: [] },
    ...entry,
  })),
}));

/** The benchmark that the numbers belong to. */
export const benchmark: { readonly title: string; readonly edition: string } = {
  title: published.title,
  edition: published.edition,
};

/** What the analysis of one configuration shows about recommendations. */
export interface RecommendationEvidence {
  /** All findings, including those that comments, filters or a baseline suppress. */
  readonly findings: readonly Pick<Finding, "rule" | "references">[];
  /** The rules that ran. */
  readonly ran: ReadonlySet<string>;
  /** Why an absent finding shows nothing; undefined if the whole server is known. */
  readonly incomplete: string | undefined;
  /** The names of the directives in the configuration, in lower case. */
  readonly names: ReadonlySet<string>;
}

export const recommendationStates = ["not met", "met", "not decidable"] as const;

/** Whether a recommendation is met, and why. */
export interface JudgedRecommendation extends Pick<Recommendation, "number" | "summary"> {
  readonly state: (typeof recommendationStates)[number];
  /** The rules that refer to it. */
  readonly rules: readonly string[];
  /** The number of findings about it, by rule. */
  readonly findings: ReadonlyMap<string, number>;
  /** Why it is not decidable. */
  readonly reason?: string;
}

type ReferringRule = { readonly id: string; readonly references?: RuleReferences };

/** Returns the rules that refer to each recommendation, by number. */
export function groupRulesByRecommendation(rules: readonly ReferringRule[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { id, references } of rules)
    for (const number of references?.cis ?? []) getOrCreate(found, number, () => []).push(id);
  return found;
}

/**
 * Judges each recommendation for all configurations together. One finding is enough for "not met". For "met", the rules
 * must check all of the recommendation, and must have run on whole servers without a finding.
 *
 * @param rules all rules, also those that did not run
 */
export function judgeRecommendations(
  rules: readonly ReferringRule[],
  evidence: readonly RecommendationEvidence[],
): readonly JudgedRecommendation[] {
  const referring = groupRulesByRecommendation(rules);
  const found = countFindings(rules, evidence);
  return benchmarkSections
    .flatMap(({ recommendations }) => recommendations)
    .map((recommendation) => {
      const { number, summary } = recommendation;
      const about = { number, summary, rules: referring.get(number) ?? [], findings: found.get(number) ?? noFindings };
      if (about.findings.size > 0) return { ...about, state: "not met" };
      const reason = findDoubt(recommendation, about.rules, evidence);
      return reason === undefined ? { ...about, state: "met" } : { ...about, state: "not decidable", reason };
    });
}

const noFindings: ReadonlyMap<string, number> = new Map();

/** Counts the findings about each recommendation, by rule. */
function countFindings(
  rules: readonly ReferringRule[],
  evidence: readonly RecommendationEvidence[],
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const referencesOf = new Map(rules.map(({ id, references }) => [id, references]));
  const counts = new Map<string, Map<string, number>>();
  for (const { rule, references = referencesOf.get(rule) } of evidence.flatMap(({ findings }) => findings))
    for (const number of references?.cis ?? []) {
      const byRule = getOrCreate(counts, number, () => new Map<string, number>());
      byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
    }
  return new Map(
    [...counts].map(([number, byRule]) => [number, new Map([...byRule].sort(([a], [b]) => compareTexts(a, b)))]),
  );
}

/** Returns why a recommendation without findings may still not be met; undefined if it is met. */
function findDoubt(
  { isWhole, unchecked, ifUsed, unlessUsed }: Recommendation,
  rules: readonly string[],
  evidence: readonly RecommendationEvidence[],
): string | undefined {
  if (rules.length === 0) return "no rule checks it";
  if (!isWhole) return unchecked;
  if (evidence.length === 0) return "no server was checked";
  const idle = rules.find((rule) => evidence.some(({ ran }) => !ran.has(rule)));
  if (idle !== undefined) return `the rule \`${idle}\` did not run`;
  const incomplete = evidence.find((each) => each.incomplete !== undefined)?.incomplete;
  if (incomplete !== undefined) return incomplete;
  const isUsed = (name: string) => evidence.some(({ names }) => names.has(name.toLowerCase()));
  if (ifUsed.length > 0 && !ifUsed.some(isUsed)) return `the configuration has no \`${ifUsed.join("` or `")}\``;
  const unknown = unlessUsed.find(isUsed);
  return unknown === undefined ? undefined : `the effect of \`${unknown}\` is not known`;
}
