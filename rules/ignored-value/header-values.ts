import { addsHeader, type HeaderLine } from "../../src/lint/api/configuration.js";
import { findClosestWord } from "../../src/lint/api/rule.js";

/** What is wrong with a value, and the value that was probably meant. */
export interface ValueFault {
  /** The part of the value that browsers do not accept. */
  readonly part: string;
  /** What browsers do or expect. */
  readonly note: string;
  /** The whole value as it should be; undefined if it is not known. */
  readonly corrected: string | undefined;
  /** The remedy if there is no such value. */
  readonly help: string;
}

/** Finds the part of a value that its grammar does not have. */
type Grammar = (value: string) => ValueFault | undefined;

/**
 * Returns what browsers do not accept in the value of a response header that only browsers and caches read. Values with variables,
 * expressions and templates are not known.
 */
export function findValueFault(line: HeaderLine): ValueFault | undefined {
  const grammar = grammars.get(line.name);
  if (grammar === undefined || !addsHeader(line) || /^expr=|%|\$\{|\{\{|@\w+@|"/.test(line.value)) return undefined;
  // Another line may have the rest of a value that is extended.
  const isWhole = /^(?:set|setifempty|add)$/.test(line.action);
  return isWhole || lists.has(line.name) ? grammar(line.value.trim()) : undefined;
}

/** Headers whose value is a list, so that each part of it has a meaning of its own. */
const lists: ReadonlySet<string> = new Set([
  ...["cache-control", "content-security-policy", "content-security-policy-report-only"],
]);

/** The directives of a policy with a list of sources (Content Security Policy Level 3, "serialized source list"). */
export const sourceLists = /^(?:[a-z]+-src(?:-elem|-attr)?|frame-ancestors|form-action|base-uri|navigate-to)$/i;
/** The keywords in such a list, without their quotes, and without those with a value. */
export const sourceKeywords = [
  ...["self", "none", "unsafe-inline", "unsafe-eval", "unsafe-hashes", "wasm-unsafe-eval", "strict-dynamic"],
  "report-sample",
];
/** Other directives of a policy. */
const otherPolicies = /^(?:upgrade-insecure-requests|block-all-mixed-content|report-uri|report-to|sandbox)$/i;

/** Finds the name of a directive among the sources of another, or a misspelled keyword (Content Security Policy Level 3). */
function checkPolicy(value: string): ValueFault | undefined {
  let inList = false;
  let isFirst = true;
  let found: Pick<ValueFault, "part" | "note" | "help"> | undefined;
  const words = value.split(/(\s+|[;,])/);
  const corrected = words.map((word) => {
    if (/^[;,]$/.test(word)) isFirst = true;
    if (/^[\s;,]*$/.test(word)) return word;
    if (isFirst) {
      isFirst = false;
      inList = sourceLists.test(word);
      return word;
    }
    if (!inList) return word;
    if (sourceLists.test(word) || otherPolicies.test(word)) {
      const note = "browsers take it for the name of a host, because there is no `;` before it";
      found ??= { part: word, note, help: `add \`;\` before \`${word}\`` };
      inList = sourceLists.test(word);
      return `; ${word}`;
    }
    const [, keyword] = /^'([\w-]+)'$/.exec(word) ?? [];
    const isKnown = keyword === undefined || /^(?:nonce|sha\d+)-/i.test(keyword);
    const intended = isKnown ? undefined : findClosestWord(keyword, sourceKeywords);
    if (intended === undefined || intended === keyword?.toLowerCase()) return word;
    found ??= { part: word, note: "browsers do not know this keyword", help: `use \`'${intended}'\`` };
    return `'${intended}'`;
  });
  return found && { ...found, corrected: corrected.join("").replace(/\s+;/g, ";") };
}

const referrerPolicies = [
  ...["no-referrer", "no-referrer-when-downgrade", "same-origin", "origin", "strict-origin"],
  ...["origin-when-cross-origin", "strict-origin-when-cross-origin", "unsafe-url"],
];

/** Directives of Cache-Control with a number of seconds (RFC 9111 and RFC 5861). */
const cacheAge = /^(?:max-age|s-maxage|stale-while-revalidate|stale-if-error)$/i;
/** Directives of Cache-Control in responses that may be without a value. */
const cacheWord =
  /^(?:no-cache|no-store|no-transform|must-revalidate|must-understand|private|public|proxy-revalidate|immutable)$/i;

/** The grammars of values, by the lower-case name of the header. */
const grammars: ReadonlyMap<string, Grammar> = new Map<string, Grammar>([
  // HTML, "The X-Frame-Options header": other values than these and ALLOWALL, which allows all, are ignored.
  [
    "x-frame-options",
    (value) => {
      if (value === "" || value.split(",").some((word) => /^(?:deny|sameorigin|allowall)$/i.test(word.trim())))
        return undefined;
      const [, origin] = /^allow[- ]from:?\s+(https?:\/\/[^\s/,;]+)\/?$/i.exec(value) ?? [];
      const isObsolete = /^allow-from\b/i.test(value);
      return {
        part: value,
        note: isObsolete
          ? "browsers do not support `ALLOW-FROM` any more"
          : "browsers know only `DENY` and `SAMEORIGIN`",
        corrected: origin === undefined ? findClosestWord(value, ["DENY", "SAMEORIGIN"]) : undefined,
        help:
          origin === undefined
            ? "use `DENY` or `SAMEORIGIN`"
            : `use \`Header always set Content-Security-Policy "frame-ancestors 'self' ${origin}"\``,
      };
    },
  ],
  // Fetch, "determine nosniff".
  [
    "x-content-type-options",
    (value) =>
      value === "" || /^nosniff\s*(?:,|$)/i.test(value)
        ? undefined
        : { part: value, note: "browsers know only `nosniff`", corrected: "nosniff", help: "use `nosniff`" },
  ],
  // Referrer Policy, "Parse a referrer policy from a Referrer-Policy header": the last known word counts.
  [
    "referrer-policy",
    (value) => {
      const words = value.split(",").map((word) => word.trim());
      if (value === "" || words.some((word) => referrerPolicies.includes(word.toLowerCase()))) return undefined;
      const corrected = words.length === 1 ? findClosestWord(value, referrerPolicies) : undefined;
      return {
        part: value,
        note: "browsers use their default policy",
        corrected,
        help: "use a policy such as `strict-origin-when-cross-origin`",
      };
    },
  ],
  // RFC 6797, section 6.1: browsers ignore the header if a part does not conform, or if it has no max-age.
  [
    "strict-transport-security",
    (value) => {
      const parts = value.split(";").map((part) => part.trim());
      const wrong = parts.find((part) => !/^(?:[!#$&'*+.^`|~\w-]+(?:\s*=\s*[!#$&'*+.^`|~\w-]+)?)?$/.test(part));
      const hasAge = parts.some((part) => /^max-age\s*=\s*\d+$/i.test(part));
      if (value === "" || (wrong === undefined && hasAge)) return undefined;
      const [, seconds] = /max-age\s*[:= ]\s*(\d+)/i.exec(value) ?? [];
      const words = ["includeSubDomains", "preload"].filter((word) => value.toLowerCase().includes(word.toLowerCase()));
      return {
        part: wrong ?? value,
        note: "browsers ignore the whole header: it has `max-age=` with seconds, and `;` between its parts",
        corrected: seconds && [`max-age=${seconds}`, ...words].join("; "),
        help: 'use `"max-age=31536000"`',
      };
    },
  ],
  // Fetch, "CORS check": compared as text.
  [
    "access-control-allow-credentials",
    (value) =>
      value === "" || value === "true" || /^false$/i.test(value)
        ? undefined
        : { part: value, note: "browsers know only `true`, in lower case", corrected: "true", help: "use `true`" },
  ],
  // RFC 9111, section 5.2: a list with commas.
  [
    "cache-control",
    (value) => {
      const parts = value.split(",").map((part) => part.trim());
      const corrections = parts.map(correctCachePart);
      const index = corrections.findIndex((each, at) => each !== parts[at]);
      if (index === -1) return undefined;
      return {
        part: parts[index] ?? value,
        note: "caches know words with `,` between them, and `=` before seconds",
        corrected: corrections.join(", "),
        help: "use `,` between the words",
      };
    },
  ],
  // Permissions Policy, section 5.2, and RFC 9651: browsers ignore a header that is not a dictionary.
  [
    "permissions-policy",
    (value) => {
      const [, feature, list] = /(?:^|[,;])\s*([a-z-]+)\s+('?(?:none|self|src)'?|\*|https?:\S+)/i.exec(value) ?? [];
      if (feature === undefined || list === undefined) return undefined;
      return {
        part: `${feature} ${list}`,
        note: "browsers ignore the whole header: this is the syntax of the former `Feature-Policy`",
        corrected: undefined,
        help: /none/i.test(list)
          ? `use \`${feature}=()\``
          : "use `=(…)` after each name, such as `camera=(self)`, and `,`",
      };
    },
  ],
  ["content-security-policy", checkPolicy],
  ["content-security-policy-report-only", checkPolicy],
  // RFC 6265bis, section 5.7: browsers reject such a cookie.
  [
    "set-cookie",
    (value) =>
      /;\s*samesite\s*=\s*none\s*(?:;|$)/i.test(value) && !/;\s*secure\s*(?:;|$)/i.test(value)
        ? {
            part: "SameSite=None",
            note: "browsers reject a cookie with `SameSite=None` and without `Secure`",
            corrected: `${value.replace(/;\s*$/, "")}; Secure`,
            help: "add `; Secure`",
          }
        : undefined,
  ],
]);

/** Returns a part of Cache-Control as caches read it: as it is, or with the signs that it lacks. */
function correctCachePart(part: string): string {
  const [, word = "", seconds = ""] = /^([\w-]+)\s*[:\s]\s*(\d+)$/.exec(part) ?? [];
  if (cacheAge.test(word)) return `${word}=${seconds}`;
  const words = part.split(/\s*;\s*|\s+/).filter((each) => each !== "");
  const isKnown = (each: string) =>
    cacheWord.test(each) || (/=\d+$/.test(each) && cacheAge.test(each.replace(/=.*/, "")));
  return words.length > 1 && words.every(isKnown) ? words.join(", ") : part;
}
