import { checkNameOf, type Finding, type Severity } from "../../lint/finding.js";
import { keepVariants } from "../../lint/rule.js";
import { expandRuleNames, type GroupedRule, isEnabledByDefault } from "../../lint/rule-groups.js";
import type { SuppressedFinding } from "../../lint/suppressions.js";
import { createIgnoreMatcher, type IgnoreMatch } from "./path-ignores.js";
import type { PathIgnore, Settings } from "./settings.js";
import type { RuleLevel } from "./shape.js";

/**
 * Applies the configured severities and removes the findings that the configuration file suppresses.
 *
 * @param use called with each entry that suppresses a finding
 */
export function createSettingsFilter(
  settings: Settings | undefined,
  use: (ignore: PathIgnore) => void = () => {},
): (findings: readonly Finding[]) => {
  readonly reported: readonly Finding[];
  readonly ignored: readonly SuppressedFinding[];
} {
  if (settings === undefined) return (findings) => ({ reported: findings, ignored: [] });
  const ignoreOf = matcherOf(settings);
  return (findings) => {
    const ignored: SuppressedFinding[] = [];
    const reported = findings
      .map((finding) => applyLevelToFinding(finding, settings))
      .filter((finding) => {
        const match = ignoreOf?.(checkNameOf(finding), finding.span.file.realPath);
        if (match === undefined) return true;
        use(match.ignore);
        ignored.push({ ...finding, by: describeIgnore(match) });
        return false;
      });
    return { reported, ignored };
  };
}

function matcherOf(settings: Settings): ReturnType<typeof createIgnoreMatcher> | undefined {
  if (settings.ignores.length === 0) return undefined;
  return createIgnoreMatcher(settings.ignores);
}

function describeIgnore({ ignore, glob }: IgnoreMatch): SuppressedFinding["by"] {
  return { kind: "settings", path: ignore.file, glob, reason: ignore.reason ?? "" };
}

/** Returns the severity that the configuration file sets for a rule or a variant; undefined if it does not set one. */
function ruleLevelOf(settings: Pick<Settings, "rules"> | undefined, rule: string): RuleLevel | undefined {
  return settings?.rules.get(rule);
}

/** The names of rules and groups that select the rules of a run. */
export interface RuleSelection {
  /** If not empty, only these run. */
  readonly select: readonly string[];
  /** These run in addition. */
  readonly extendSelect: readonly string[];
  /** These never run. */
  readonly disable: readonly string[];
}

export const noSelection: RuleSelection = { select: [], extendSelect: [], disable: [] };

/**
 * Returns the rules to run, each with its selected variants and its configured severity. A rule of an opt-in group runs if it is selected, or if the
 * configuration file sets its severity.
 *
 * @param all all rules
 */
export function selectRules<Rule extends GroupedRule & { readonly severity: Severity }>(
  all: readonly Rule[],
  { select, extendSelect, disable }: RuleSelection,
  settings: Pick<Settings, "rules" | "extendSelect"> | undefined,
): readonly Rule[] {
  const [selected, added, disabled] = [select, extendSelect, disable].map((names) => expandRuleNames(names, all));
  const runsUnselected = (rule: Rule, id: string) => {
    if (settings?.extendSelect.has(id)) return true;
    const level = ruleLevelOf(settings, id);
    return level === undefined ? isEnabledByDefault(rule) : level !== "off";
  };
  const isSelected = (rule: Rule, id: string) =>
    select.length > 0 ? selected?.has(id) === true : runsUnselected(rule, id);
  const runs = (rule: Rule, id: string) => (isSelected(rule, id) || added?.has(id) === true) && !disabled?.has(id);
  return all
    .flatMap((rule) => {
      if (rule.variants === undefined) return runs(rule, rule.id) ? [rule] : [];
      return keepVariants(rule, (variant) => runs(rule, variant)) ?? [];
    })
    .map((rule) => applyLevelToRule(rule, settings));
}

/**
 * Applies the configured severity to a rule. A rule that is off keeps its default severity, which applies when
 * it is enabled again.
 */
function applyLevelToRule<Rule extends { readonly id: string; readonly severity: Severity }>(
  rule: Rule,
  settings: Pick<Settings, "rules"> | undefined,
): Rule {
  const level = ruleLevelOf(settings, rule.id);
  return level === undefined || level === "off" ? rule : { ...rule, severity: level };
}

/** Applies the configured severity to a finding, even if the rule chooses severities itself. */
function applyLevelToFinding(finding: Finding, settings: Pick<Settings, "rules"> | undefined): Finding {
  const level = ruleLevelOf(settings, checkNameOf(finding));
  return level === undefined || level === "off" ? finding : { ...finding, severity: level };
}
