import type { Directive } from "../../config/model/directive.js";
import { argumentValuesOf } from "../model/config-layer.js";
import { formatWholeLine } from "./step.js";
import { quoteWord } from "./written-lines.js";

/**
 * Returns the lines to write instead of a rule whose pattern was written for another text; undefined if the pattern does not
 * show them.
 */
export type Correction = (rule: Directive, pattern: string) => readonly string[] | undefined;

/** For a pattern that begins with the slash that the path of a directory lacks. */
export const withoutLeadingSlash: Correction = (rule, pattern) =>
  /^\^\\?\/(?![?*+{])/.test(pattern) ? [withPattern(rule, pattern, pattern.replace(/^\^\\?\//, "^"))] : undefined;

/** For a pattern without the slash that the path of a server begins with. */
export const withLeadingSlash: Correction = (rule, pattern) =>
  /^\^(?![?*+{/])/.test(pattern) ? [withPattern(rule, pattern, `^/${pattern.slice(1)}`)] : undefined;

/** For a pattern that requires a slash at its end, or none. */
export const withOptionalSlash: Correction = (rule, pattern) =>
  /^[^|]*[^\\|]\$$/.test(pattern) ? [withPattern(rule, pattern, pattern.replace(/\/?\$$/, "/?$"))] : undefined;

/** For a pattern with a query: `^a\?b=(.*)$` becomes a condition for the query and a pattern for the path. */
export const separateQuery: Correction = (rule, pattern) => {
  const [, path, query] = /^(\^?(?:[^\\]|\\[^?])*?)\\\?(.*)$/s.exec(pattern) ?? [];
  if (path === undefined || query === undefined) return undefined;
  const ofPath = path.startsWith("^") ? path : `^${path}`;
  const condition = `RewriteCond %{QUERY_STRING} ${quoteWord(`^${query}`)}`;
  return [condition, withPattern(rule, pattern, `${ofPath}$`, countGroups(path))];
};

/** For a pattern with a host: `^(?:http://)?a\.test/b$` becomes a condition for the host and a pattern for the path. */
export const separateHost: Correction = (rule, pattern) => {
  const [, host, path] = /^\^?(?:https?:\/\/)?([\w.\\-]+\.[\w.\\-]+)(?:\/(.*))?$/s.exec(pattern) ?? [];
  if (host === undefined) return undefined;
  const end = path === undefined ? "^" : `^/?${path}`;
  return [`RewriteCond %{HTTP_HOST} ^${host.replace(/\$$/, "")}$ [NC]`, withPattern(rule, pattern, end)];
};

/** Returns a rule with one more flag. */
export function withRuleFlag(rule: Directive, flag: string): string {
  const { argumentText } = rule;
  const flags = argumentValuesOf(rule)[2];
  if (flags === undefined) return formatWholeLine(rule, `${argumentText} [${flag}]`);
  const at = argumentText.lastIndexOf(flags);
  const inner = flags.replace(/^\[|\]$/g, "");
  return formatWholeLine(rule, `${argumentText.slice(0, at)}[${inner},${flag}]`);
}

/**
 * Returns a rule with another pattern.
 *
 * @param groups the groups that stay in the pattern, if the others are those of a condition: `$3` of a pattern with one of them
 *   becomes `%2`
 */
export function withPattern(rule: Directive, pattern: string, other: string, groups?: number): string {
  const { argumentText } = rule;
  const at = argumentText.indexOf(pattern);
  if (at < 0) return formatWholeLine(rule);
  const rest = argumentText.slice(at + pattern.length);
  const moved =
    groups === undefined
      ? rest
      : rest.replace(/\$([1-9])/g, (reference, digit: string) =>
          Number(digit) > groups ? `%${Number(digit) - groups}` : reference,
        );
  return formatWholeLine(rule, argumentText.slice(0, at) + other + moved);
}

/** Returns the number of groups that a part of a pattern opens. */
function countGroups(pattern: string): number {
  return [...pattern.matchAll(/\\.|\[[^\]]*\]|\((?!\?)/g)].filter(([text]) => text === "(").length;
}
