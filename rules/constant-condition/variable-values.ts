import { comparePatterns, type RewriteCondition } from "../../src/rule-api/configuration.js";

/** The known values of a variable. */
export interface VariableValues {
  /** All values, as a pattern. */
  readonly texts: string;
  /** A fact about them, as a sentence without a full stop. */
  readonly note: string;
}

const quoted = (name: string) => `\`%{${name}}\``;

const switches = (name: string): VariableValues => ({ texts: "on|off", note: `${quoted(name)} is \`on\` or \`off\`` });
const numbers = (name: string): VariableValues => ({ texts: "\\d+", note: `${quoted(name)} is a number` });
const addresses = (name: string): VariableValues => ({
  texts: "[0-9a-f.:]+",
  note: `${quoted(name)} is an address, in lower case`,
});
const files = (name: string): VariableValues => ({
  texts: "(?:/|[A-Za-z]:/|proxy:).*",
  note: `${quoted(name)} is an absolute path`,
});

/** The values of mod_rewrite's variables (modules/mappers/mod_rewrite.c `lookup_variable`). */
const known: ReadonlyMap<string, VariableValues> = new Map([
  ["HTTPS", switches("HTTPS")],
  ["IPV6", switches("IPV6")],
  ["IS_SUBREQ", { texts: "true|false", note: "`%{IS_SUBREQ}` is `true` or `false`" }],
  ["REQUEST_SCHEME", { texts: "https?", note: "`%{REQUEST_SCHEME}` is `http` or `https`" }],
  ["SERVER_PORT", numbers("SERVER_PORT")],
  ["REMOTE_PORT", numbers("REMOTE_PORT")],
  ["REMOTE_ADDR", addresses("REMOTE_ADDR")],
  ["SERVER_ADDR", addresses("SERVER_ADDR")],
  ["REQUEST_METHOD", { texts: "[A-Z-]+", note: "methods are case-sensitive, and clients send them in upper case" }],
  [
    "HTTP_HOST",
    {
      texts: "[a-z0-9.:_\\[\\]-]*",
      note: "the `Host` header is only a name and a port, and browsers send it in lower case",
    },
  ],
  [
    "SERVER_PROTOCOL",
    {
      texts: "HTTP/\\d+\\.\\d+|INCLUDED",
      note: "`%{SERVER_PROTOCOL}` is a version of HTTP, such as `HTTP/1.1`, with and without TLS",
    },
  ],
  ["REQUEST_URI", { texts: "[/*][^?]*", note: "`%{REQUEST_URI}` begins with `/`, and does not include the query" }],
  ["QUERY_STRING", { texts: "(?:[^?].*)?", note: "`%{QUERY_STRING}` does not include the `?` before it" }],
  [
    "THE_REQUEST",
    { texts: "[^\\s/]+ .*", note: "`%{THE_REQUEST}` begins with the method, such as `GET /path HTTP/1.1`" },
  ],
  ["REQUEST_FILENAME", files("REQUEST_FILENAME")],
  ["SCRIPT_FILENAME", files("SCRIPT_FILENAME")],
  ["DOCUMENT_ROOT", files("DOCUMENT_ROOT")],
]);

/** The variable that a condition tests, if it tests nothing else: in upper case, as mod_rewrite compares it. */
export function variableOf({ input }: RewriteCondition): string | undefined {
  return /^%\{(\w+)\}$/.exec(input)?.[1]?.toUpperCase();
}

/** Returns what is known about the values that a condition tests. */
export function valuesOf(condition: RewriteCondition): VariableValues | undefined {
  return known.get(variableOf(condition) ?? "");
}

/** Returns the pattern that a condition compares with; undefined for other tests. */
export function patternOf({ test }: RewriteCondition): string | undefined {
  if (test.kind === "pattern") return test.pattern;
  return test.kind === "text" && test.operator === "=" ? `^${escapePattern(test.operand)}$` : undefined;
}

/** Returns whether a condition holds for each value of its variable or for none; undefined if that depends on the value. */
export function constantResultOf(
  { isNegated, ignoreCase }: Pick<RewriteCondition, "isNegated" | "ignoreCase">,
  pattern: string,
  { texts }: VariableValues,
): boolean | undefined {
  const result = comparePatterns(texts, pattern, ignoreCase);
  return result === "unknown" ? undefined : (result === "all") !== isNegated;
}

/** Returns the one text or the alternatives in a group that a pattern matches as a whole, as a pattern; else undefined. */
export function wholeTextOf(pattern: string): string | undefined {
  const inner = /^\^(.*[^\\])\$$/.exec(pattern)?.[1];
  return inner?.replace(/\([^()]*\)/g, "").includes("|") ? undefined : inner;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
