import type { Condition, Expression, ExpressionSpan, StringWord } from "./ast.js";
import type { ExpressionError } from "./errors.js";
import { parseConditionText, parseStringText } from "./parser.js";

export type { ExpressionError } from "./errors.js";
export { checkNames } from "./names.js";

/**
 * The tree, or the first thing wrong. `unread` is what stands from a `/` or `m#` without its closing delimiter to the
 * end of a condition: httpd accepts what is in front of it and silently ignores the rest.
 */
export type ParsedExpression<Of extends Expression> =
  | { readonly expression: Of; readonly unread?: ExpressionSpan }
  | { readonly error: ExpressionError };

/** The last text with its result. */
interface CachedParse<Of extends Expression> {
  readonly text: string;
  readonly result: ParsedExpression<Of>;
}

/** Beyond a few million bytes JavaScript's regular expressions overflow; httpd takes lines of 16 MiB. */
const LENGTH_LIMIT = 1_000_000;

/**
 * The last text is kept with its result, for the rules that look at the same directive one after the other. More would
 * not pay: to read an expression again takes less than to keep its tree past a garbage collection.
 */
let lastCondition: CachedParse<Condition> | undefined;
let lastString: CachedParse<StringWord> | undefined;

/**
 * Reads a condition, as in `<If>`, `Require expr`, `SetEnvIfExpr`, `SSLRequire` and `expr=…` of `Header`, the way httpd
 * 2.4 does (server/util_expr_scan.l and util_expr_parse.y). Names are not looked up: `checkNames` does. Regular
 * expressions are not compiled. Limits are narrower than httpd's: nesting is refused beyond 256 levels, chained
 * operators beyond 4,990, and a text beyond 1,000,000 bytes; httpd's parser stops near 10,000 levels and 5,000 operators.
 *
 * @param text one code unit per byte, quotes already removed as `ap_getword_conf` does. A NUL ends it, as in C.
 * @returns the tree, or the first thing wrong. Nothing is thrown.
 */
export function parseExpression(text: string): ParsedExpression<Condition> {
  if (lastCondition?.text !== text) lastCondition = { text, result: parseCondition(cutAtNul(text)) };
  return lastCondition.result;
}

/**
 * Reads a string with `%{…}` and `$0` to `$9` in it, as in `SetHandler`, `AuthName`, `ErrorDocument`, `Redirect` or
 * `Require user`, the way httpd does where it wants a string (`AP_EXPR_FLAG_STRING_RESULT`): the whole text is one
 * string, in which quotes are ordinary characters.
 *
 * @param text as for `parseExpression`
 * @returns a string without quotes, or the first thing wrong. Nothing is thrown.
 */
export function parseStringExpression(text: string): ParsedExpression<StringWord> {
  if (lastString?.text !== text) lastString = { text, result: parseString(cutAtNul(text)) };
  return lastString.result;
}

function parseCondition(text: string): ParsedExpression<Condition> {
  if (text.length > LENGTH_LIMIT) return describeTooLong(text);
  const read = parseConditionText(text);
  if ("error" in read) return read;
  return read.unread ? { expression: read.tree, unread: read.unread } : { expression: read.tree };
}

function parseString(text: string): ParsedExpression<StringWord> {
  if (text.length > LENGTH_LIMIT) return describeTooLong(text);
  const read = parseStringText(text);
  if ("error" in read) return read;
  return { expression: { kind: "string", quote: "", parts: read.tree, start: 0, end: text.length } };
}

function cutAtNul(text: string): string {
  const nul = text.indexOf("\0");
  return nul < 0 ? text : text.slice(0, nul);
}

function describeTooLong(text: string): { error: ExpressionError } {
  const message = `expression longer than ${LENGTH_LIMIT} bytes`;
  return { error: { message, start: LENGTH_LIMIT, end: text.length } };
}
