import type { Request } from "../model/request.js";
import type { RewriteCondition } from "../rewrite/rule-parser.js";
import { findMatch } from "./pattern-parts.js";
import { withPattern, withRuleFlag } from "./rule-corrections.js";

/** Why a condition does not fit a text that differs little, and the condition to write. */
interface FoundVariant {
  readonly why: string;
  readonly written: string | undefined;
}

interface Variant {
  readonly other: string;
  readonly why: string;
  readonly ignoresCase?: true;
  /** Whether the pattern is tried without its anchor at the beginning. */
  readonly isFree?: true;
  /** Returns the pattern to write instead; undefined if the pattern does not show it. */
  readonly correct?: (pattern: string) => string | undefined;
}

/** Reports whether a condition tests a path. */
export function isPathText(input: string): boolean {
  return /^%\{(?:REQUEST_URI|REQUEST_FILENAME|SCRIPT_FILENAME|PATH_INFO)\}$/i.test(input);
}

/** The texts that a reader may have had in mind for a variable, by its name in lower case. */
const variantsByName: Readonly<Record<string, (value: string, request: Request) => readonly Variant[]>> = {
  request_uri: (value, { query }) => [
    ...slashes(value),
    {
      other: value.slice(1),
      why: "the path begins with a slash",
      correct: (pattern) => withoutFirst(pattern, "^", "^/"),
    },
    ...(query === undefined ? [] : [{ other: `${value}?${query}`, why: "`%{REQUEST_URI}` has no query" }]),
  ],
  request_filename: (value, { path }) => [
    ...slashes(value),
    { other: path, why: "`%{REQUEST_FILENAME}` is the path of the file, not that of the URL" },
  ],
  http_referer: origins,
  http_host: (value, request) => [...hosts(value, request), ...hostsWithPort(value)],
  server_name: (value, request) => hosts(value, request),
  query_string: (value) => [
    {
      other: `?${value}`,
      why: "the query begins after the `?`",
      correct: (pattern) => withoutFirst(pattern, "^\\?", "^"),
    },
  ],
};

function slashes(value: string): readonly Variant[] {
  return value.endsWith("/")
    ? [
        {
          other: value.slice(0, -1),
          why: "it has a slash at the end",
          correct: (pattern) => pattern.replace(/\$$/, "/?$"),
        },
      ]
    : [
        {
          other: `${value}/`,
          why: "it has no slash at the end",
          correct: (pattern) => pattern.replace(/\/(\$?)$/, (_, end) => (end === "" ? "(?:/|$)" : "/?$")),
        },
      ];
}

/** URLs of the same site: with the other scheme, and with or without `www.`. */
function origins(value: string): readonly Variant[] {
  const [, scheme = "", www = "", rest] = /^(https?):\/\/(www\.)?(.*)$/s.exec(value) ?? [];
  if (rest === undefined) return [];
  const [otherScheme, otherName] = [scheme === "https" ? "http" : "https", www === "" ? `www.${rest}` : rest];
  const anyScheme = (pattern: string) => pattern.replace(/^(\^?)https?:/, "$1https?:");
  const anyName = (pattern: string) =>
    www === ""
      ? pattern.replace(/^(\^?https?\??:\/\/)www(\\?\.)/, "$1(?:www$2)?")
      : pattern.replace(/^(\^?https?\??:\/\/)/, "$1(?:www\\.)?");
  const ofScheme = { why: `it begins with \`${scheme}://\`, not with \`${otherScheme}://\``, correct: anyScheme };
  const ofName = { why: `its host ${www === "" ? "does not begin" : "begins"} with \`www.\``, correct: anyName };
  const both = (pattern: string) => anyName(anyScheme(pattern));
  return [
    { other: `${otherScheme}://${www}${rest}`, ...ofScheme },
    { other: `${scheme}://${otherName}`, ...ofName },
    { other: `${otherScheme}://${otherName}`, why: `${ofScheme.why}, and ${ofName.why}`, correct: both },
  ];
}

function hosts(value: string, { scheme = "http" }: Request): readonly Variant[] {
  const why = "the name has no scheme and no path";
  return [`${scheme}://${value}`, `${scheme}://${value}/`, `${value}/`].map((other) => ({
    other,
    why,
    correct: (pattern) => pattern.replace(/^\^?(?:https?|http\(s\)\?):\/\//, "^").replace(/\/(?=\$?$)/, ""),
  }));
}

/** The name without the port, which `%{HTTP_HOST}` has as well. */
function hostsWithPort(value: string): readonly Variant[] {
  const [, name, port] = /^(.+)(:\d+)$/.exec(value) ?? [];
  if (name === undefined || port === undefined) return [];
  const correct = (pattern: string) => pattern.replace(/\$$/, "(?::\\d+)?$");
  return [{ other: name, why: `\`%{HTTP_HOST}\` has the port, \`${port}\``, correct }];
}

/** Variables with a text in which a word may be anywhere. */
const freeTexts: ReadonlySet<string> = new Set(["http_user_agent", "http_referer", "http_cookie", "query_string"]);

/** A pattern for the beginning of a text, whose word is elsewhere in it. */
function elsewhere(name: string, pattern: string, value: string): readonly Variant[] {
  if (!freeTexts.has(name) || !pattern.startsWith("^")) return [];
  const why = "`^` stands for the beginning of the text";
  return [{ other: value, why, isFree: true, correct: () => pattern.slice(1) }];
}

/** The values of a header that is a list, such as `Connection` (RFC 9110, section 5.6.1), for a pattern that allows only one. */
function values(input: string, name: string, value: string): readonly Variant[] {
  if (!/^%\{HTTP[:_][\w-]+\}$/i.test(input) || freeTexts.has(name) || !value.includes(",")) return [];
  return value.split(",").map((each) => ({
    other: each.trim(),
    why: "the header has several values, and the pattern allows only one",
    correct: (pattern) => pattern.replace(/^\^(\w+)\$$/, "\\b$1\\b"),
  }));
}

function withoutFirst(pattern: string, first: string, instead: string): string | undefined {
  return pattern.startsWith(first) ? instead + pattern.slice(first.length) : undefined;
}

/**
 * Returns a text of the same form with other letters and digits. A pattern for one text does not match it; one that matches both
 * is for any text, such as `/$`.
 */
function withOtherWords(text: string): string {
  const [, scheme = "", rest = ""] = /^(https?:\/\/)?(.*)$/s.exec(text) ?? [];
  const others = rest
    .replace(/[a-z]/g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + 13) % 26)))
    .replace(/[A-Z]/g, (letter) => String.fromCharCode(65 + ((letter.charCodeAt(0) - 65 + 13) % 26)))
    .replace(/\d/g, (digit) => String((Number(digit) + 5) % 10));
  return scheme + others;
}

/**
 * Returns a text that differs little from the one that the pattern of a condition does not match, and that it matches; undefined if
 * there is none, or if the pattern is for any text of this form. The written condition matches the text itself, but not all texts.
 */
export function findVariant(
  { input, test, ignoreCase, directive }: RewriteCondition,
  value: string,
  request: Request,
): FoundVariant | undefined {
  if (test.kind !== "pattern" || findMatch(test.pattern, value, ignoreCase) !== undefined) return undefined;
  const { pattern } = test;
  const [, name = ""] = /^%\{(\w+)\}$/.exec(input) ?? [];
  const ofName = Object.entries(variantsByName).find(([each]) => each === name.toLowerCase())?.[1];
  const variants: readonly Variant[] = [
    ...(ofName?.(value, request) ?? []),
    { other: value, why: "letters differ in case, and it has no `NC`", ignoresCase: true },
    ...elsewhere(name.toLowerCase(), pattern, value),
    ...values(input, name.toLowerCase(), value),
  ];
  for (const variant of variants) {
    const { other, why, ignoresCase = ignoreCase, isFree } = variant;
    const tried = isFree ? pattern.slice(1) : pattern;
    if (findMatch(tried, other, ignoresCase) === undefined) continue;
    if (findMatch(tried, withOtherWords(other), ignoresCase) !== undefined) continue;
    if (variant.ignoresCase) return { why, written: withRuleFlag(directive, "NC") };
    const corrected = variant.correct?.(pattern);
    const isCorrect =
      corrected !== undefined &&
      findMatch(corrected, value, ignoreCase) !== undefined &&
      findMatch(corrected, withOtherWords(value), ignoreCase) === undefined;
    return { why, written: isCorrect ? withPattern(directive, pattern, corrected) : undefined };
  }
  return undefined;
}
