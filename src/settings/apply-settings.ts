import type { Finding, Severity } from "../engine/finding.js";
import type { SuppressedFinding } from "../engine/suppressions.js";
import { realPathOf } from "../project/discovery/main-files.js";
import { createIgnoreMatcher, type IgnoreMatch } from "./path-ignores.js";
import type { PathIgnore, Settings } from "./settings.js";
import type { RuleLevel } from "./shape.js";

/**
 * Findings as grave as the settings have them, without those that these ignore.
 *
 * @param use is told of the ignores that kept something quiet
 */
export function createSettingsFilter(
  settings: Settings | undefined,
  use: (ignore: PathIgnore) => void = () => {},
): (findings: readonly Finding[]) => {
  readonly told: readonly Finding[];
  readonly ignored: readonly SuppressedFinding[];
} {
  if (settings === undefined) return (findings) => ({ told: findings, ignored: [] });
  const ignoreOf = matcherOf(settings);
  return (findings) => {
    const ignored: SuppressedFinding[] = [];
    const told = findings
      .map((finding) => applyLevelToFinding(finding, settings))
      .filter((finding) => {
        const match = ignoreOf?.(finding.rule, finding.span.file.realPath);
        if (match === undefined) return true;
        use(match.ignore);
        ignored.push({ ...finding, by: describeIgnore(match, settings.path) });
        return false;
      });
    return { told, ignored };
  };
}

function matcherOf(settings: Settings): ReturnType<typeof createIgnoreMatcher> | undefined {
  if (settings.ignores.length === 0) return undefined;
  return createIgnoreMatcher(settings, realPathOf(settings.directory) ?? settings.directory);
}

function describeIgnore({ ignore, glob }: IgnoreMatch, path: string): SuppressedFinding["by"] {
  return { kind: "settings", path, glob, reason: ignore.reason ?? "" };
}

/** What the settings make of a rule; undefined where they leave it as it is. */
export function ruleLevelOf(settings: Pick<Settings, "rules"> | undefined, rule: string): RuleLevel | undefined {
  return settings?.rules.get(rule);
}

/** A rule as grave as the settings have it. One that is off is left as it is: whoever brings it back wants it so. */
export function applyLevelToRule<Rule extends { readonly id: string; readonly severity: Severity }>(
  rule: Rule,
  settings: Pick<Settings, "rules"> | undefined,
): Rule {
  const level = ruleLevelOf(settings, rule.id);
  return level === undefined || level === "off" ? rule : { ...rule, severity: level };
}

/** A finding as grave as the settings have its rule, also where the rule weighs its findings itself. */
function applyLevelToFinding(finding: Finding, settings: Pick<Settings, "rules"> | undefined): Finding {
  const level = ruleLevelOf(settings, finding.rule);
  return level === undefined || level === "off" ? finding : { ...finding, severity: level };
}
