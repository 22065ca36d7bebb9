import type { Finding } from "../engine/finding.js";
import type { IgnoredFinding } from "../engine/ignores.js";
import { realPathOf } from "../project/main-files.js";
import { ratedFinding } from "./levels.js";
import { type MatchedIgnore, pathIgnores } from "./path-ignores.js";
import type { PathIgnore, Settings } from "./settings.js";

/**
 * Findings as grave as the settings have them, without those that these ignore.
 *
 * @param use is told of the ignores that kept something quiet
 */
export function siftBySettings(
  settings: Settings | undefined,
  use: (ignore: PathIgnore) => void = () => {},
): (findings: readonly Finding[]) => {
  readonly told: readonly Finding[];
  readonly ignored: readonly IgnoredFinding[];
} {
  if (settings === undefined) return (findings) => ({ told: findings, ignored: [] });
  const ignoreOf = matcherOf(settings);
  return (findings) => {
    const ignored: IgnoredFinding[] = [];
    const told = findings
      .map((finding) => ratedFinding(finding, settings))
      .filter((finding) => {
        const match = ignoreOf?.(finding.rule, finding.span.file.realPath);
        if (match === undefined) return true;
        use(match.ignore);
        ignored.push({ ...finding, by: ignoredBy(match, settings.path) });
        return false;
      });
    return { told, ignored };
  };
}

function matcherOf(settings: Settings): ReturnType<typeof pathIgnores> | undefined {
  if (settings.ignores.length === 0) return undefined;
  return pathIgnores(settings, realPathOf(settings.directory) ?? settings.directory);
}

function ignoredBy({ ignore, glob }: MatchedIgnore, path: string): IgnoredFinding["by"] {
  return { kind: "settings", path, glob, reason: ignore.reason ?? "" };
}
