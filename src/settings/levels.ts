import type { Finding, Severity } from "../engine/finding.js";
import type { Settings } from "./settings.js";
import type { Level } from "./shape.js";

/** What the settings make of a rule; undefined where they leave it as it is. */
export function levelOf(settings: Pick<Settings, "rules"> | undefined, rule: string): Level | undefined {
  return settings?.rules.get(rule);
}

/** A rule as grave as the settings have it. One that is off is left as it is: whoever brings it back wants it so. */
export function ratedRule<Rule extends { readonly id: string; readonly severity: Severity }>(
  rule: Rule,
  settings: Pick<Settings, "rules"> | undefined,
): Rule {
  const level = levelOf(settings, rule.id);
  return level === undefined || level === "off" ? rule : { ...rule, severity: level };
}

/** A finding as grave as the settings have its rule, also where the rule weighs its findings itself. */
export function ratedFinding(finding: Finding, settings: Pick<Settings, "rules"> | undefined): Finding {
  const level = levelOf(settings, finding.rule);
  return level === undefined || level === "off" ? finding : { ...finding, severity: level };
}
