import { memoizeLast } from "../../src/text/memoize.js";
import type { Result } from "../../src/text/result.js";
import type { Condition, Expression, ExpressionSpan, StringWord } from "./ast.js";
import type { ExpressionError } from "./errors.js";
import { parseConditionText, parseStringText } from "./parser.js";

export type { ExpressionError } from "./errors.js";
export { checkNames } from "./names.js";

/**
 * The tree, or the first error. `unread` spans from a `/` or `m#` without its closing delimiter to the end of a
 * condition. httpd accepts the part before it and silently ignores the rest.
 */
export type ParsedExpression<Of extends Expression> = Result<
  { readonly expression: Of; readonly unread?: ExpressionSpan },
  ExpressionError
>;

/** JavaScript's regular expressions overflow beyond a few million bytes; httpd accepts lines of 16 MiB. */
const LENGTH_LIMIT = 1_000_000;

/**
 * Parses a condition, as in `<If>`, `Require expr`, `SetEnvIfExpr`, `SSLRequire` and `expr=…` of `Header`, as httpd 2.4
 * does (server/util_expr_scan.l and util_expr_parse.y). Does not resolve names (see `checkNames`) or compile regular
 * expressions. Limits are narrower than httpd's: 256 nesting levels, 4,990 chained operators and 1,000,000 bytes.
 * httpd's parser stops near 10,000 levels and 5,000 operators.
 *
 * @param text one code unit per byte, quotes already removed as `ap_getword_conf` does. A NUL ends it, as in C.
 * @returns the tree, or the first error. Never throws.
 */
export const parseExpression = memoizeLast(
  (text: string): ParsedExpression<Condition> => parseCondition(cutAtNul(text)),
);

/**
 * Parses a string with `%{…}` and `$0` to `$9`, as in `SetHandler`, `AuthName`, `ErrorDocument`, `Redirect` or `Require
 * user`. Follows httpd's string flavour (`AP_EXPR_FLAG_STRING_RESULT`): the whole text is one string, and quotes are
 * ordinary characters.
 *
 * @param text as for `parseExpression`
 * @returns a string without quotes, or the first error. Never throws.
 */
export const parseStringExpression = memoizeLast(
  (text: string): ParsedExpression<StringWord> => parseString(cutAtNul(text)),
);

function parseCondition(text: string): ParsedExpression<Condition> {
  if (text.length > LENGTH_LIMIT) return describeTooLong(text);
  const read = parseConditionText(text);
  if (!read.ok) return read;
  const { tree, unread } = read.value;
  return { ok: true, value: { expression: tree, ...(unread && { unread }) } };
}

function parseString(text: string): ParsedExpression<StringWord> {
  if (text.length > LENGTH_LIMIT) return describeTooLong(text);
  const read = parseStringText(text);
  if (!read.ok) return read;
  const expression = { kind: "string", quote: "", parts: read.value.tree, start: 0, end: text.length } as const;
  return { ok: true, value: { expression } };
}

function cutAtNul(text: string): string {
  const nul = text.indexOf("\0");
  return nul < 0 ? text : text.slice(0, nul);
}

function describeTooLong(text: string): Result<never, ExpressionError> {
  const message = `expression longer than ${LENGTH_LIMIT} bytes`;
  return { ok: false, error: { message, start: LENGTH_LIMIT, end: text.length } };
}
