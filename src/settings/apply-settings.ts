import type { Finding, Severity } from "../engine/finding.js";
import type { SuppressedFinding } from "../engine/suppressions.js";
import { realPathOf } from "../project/discovery/main-files.js";
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
        const match = ignoreOf?.(finding.rule, finding.span.file.realPath);
        if (match === undefined) return true;
        use(match.ignore);
        ignored.push({ ...finding, by: describeIgnore(match, settings.path) });
        return false;
      });
    return { reported, ignored };
  };
}

function matcherOf(settings: Settings): ReturnType<typeof createIgnoreMatcher> | undefined {
  if (settings.ignores.length === 0) return undefined;
  return createIgnoreMatcher(settings, realPathOf(settings.directory) ?? settings.directory);
}

function describeIgnore({ ignore, glob }: IgnoreMatch, path: string): SuppressedFinding["by"] {
  return { kind: "settings", path, glob, reason: ignore.reason ?? "" };
}

/** Returns the severity that the configuration file sets for a rule; undefined if it does not set one. */
export function ruleLevelOf(settings: Pick<Settings, "rules"> | undefined, rule: string): RuleLevel | undefined {
  return settings?.rules.get(rule);
}

/**
 * Applies the configured severity to a rule. A rule that is off keeps its default severity, which applies when
 * it is enabled again.
 */
export function applyLevelToRule<Rule extends { readonly id: string; readonly severity: Severity }>(
  rule: Rule,
  settings: Pick<Settings, "rules"> | undefined,
): Rule {
  const level = ruleLevelOf(settings, rule.id);
  return level === undefined || level === "off" ? rule : { ...rule, severity: level };
}

/** Applies the configured severity to a finding, even if the rule chooses severities itself. */
function applyLevelToFinding(finding: Finding, settings: Pick<Settings, "rules"> | undefined): Finding {
  const level = ruleLevelOf(settings, finding.rule);
  return level === undefined || level === "off" ? finding : { ...finding, severity: level };
}
