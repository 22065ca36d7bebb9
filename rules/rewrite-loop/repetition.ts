import { matchGroupsOf, samplePattern } from "../../src/lint/api/access.js";
import type { RewriteCondition, RewriteRule } from "../../src/lint/api/configuration.js";

/** Number of times that a rule is applied to its own result: httpd gives up after 10 internal redirects. */
const ROUNDS = 12;

/** A request that a line applies to again and again, and its first result. */
export interface Repetition {
  /** URL path of the request. */
  readonly path: string;
  readonly next: string;
}

/** A step from one path to the next; undefined if it ends or cannot be known. */
type Step = (path: string) => string | undefined;

/** Returns the repetition of a step that starts with a path; undefined if it ends. */
export function findRepetition(path: string | undefined, step: Step): Repetition | undefined {
  const next = path === undefined ? undefined : step(path);
  if (path === undefined || next === undefined) return undefined;
  let current = next;
  for (let round = 1; round < ROUNDS; round++) {
    const after = step(current);
    if (after === undefined) return undefined;
    current = after;
  }
  return { path, next };
}

/**
 * Returns whether the texts that a pattern matches and a result may begin alike. If not, the pattern does not match the
 * result: most rules need no request.
 */
export function mayBeginAlike(pattern: string, target: string): boolean {
  const start = /^\^((?:[\w/-]|\\\.)+)(?![?*+{])/.exec(pattern)?.[1]?.replaceAll("\\", "");
  const known = /^[^$%\\?]*/.exec(target)?.[0] ?? "";
  return start === undefined || pattern.includes("|") || start.startsWith(known) || known.startsWith(start);
}

/** Returns a path that a pattern matches, with a slash before it if it lacks one and needs one. */
export function samplePathFor(pattern: string, withSlash: boolean): string | undefined {
  const sample = samplePattern(pattern);
  return sample === undefined || !withSlash || sample.startsWith("/") ? sample : `/${sample}`;
}

/**
 * Expands a target for a path; undefined if it depends on more than the path. @param url the URL path for
 * `%{REQUEST_URI}`
 */
export function expandTarget(target: string, groups: readonly (string | undefined)[], url: string): string | undefined {
  const expanded = target
    .replace(/%\{REQUEST_URI\}/gi, () => url)
    .replace(/\$(\d)/g, (_, digit: string) => groups[Number(digit)] ?? "");
  return /[%$\\]/.test(expanded) ? undefined : expanded;
}

/** Variables that a redirect to the same host, or an internal one, does not change. */
const lasting =
  /^%\{(?:HTTP_[A-Z_]+|HTTP:[\w-]+|HTTPS|REMOTE_[A-Z]+|SERVER_[A-Z]+|REQUEST_(?:METHOD|SCHEME)|TIME\w*)\}$/i;

/** Returns whether a condition that holds once holds for the next path, too. */
export function isLasting({ input, test }: RewriteCondition, keepsScheme: boolean): boolean {
  if (test.kind === "file" || test.kind === "expression" || !lasting.test(input)) return false;
  return keepsScheme || /^%\{(?:HTTP_(?:HOST|USER_AGENT)|REMOTE_ADDR|REQUEST_METHOD)\}$/i.test(input);
}

/** Returns the result of a rule for a path, without its query; undefined if an earlier rule may apply before it. */
export function applyRule(
  rule: RewriteRule,
  earlier: readonly RewriteRule[],
  path: string,
  url: string,
): string | undefined {
  const groups = matchOf(rule, path);
  if (rule.isNegated || !groups || earlier.some((each) => mayApply(each, path))) return undefined;
  return expandTarget(rule.output?.replace(/\?.*$/s, "") ?? "", groups, url);
}

function mayApply(rule: RewriteRule, path: string): boolean {
  const groups = matchOf(rule, path);
  return groups === undefined || (groups !== false) !== rule.isNegated;
}

function matchOf({ pattern, flags }: RewriteRule, path: string) {
  return matchGroupsOf(pattern, path, flags.names.has("nocase"));
}
