import type { Condition, Span, StringWord } from "./ast.js";
import type { ExpressionError } from "./errors.js";
import { readCondition, readString } from "./parser.js";

export type { ExpressionError } from "./errors.js";
export { checkNames, type NameContext } from "./names.js";

/**
 * `unread` is what stands from a `/` or `m#` without its closing delimiter to the end, where httpd accepts the
 * expression in front of it and silently ignores the rest.
 */
export type ParsedExpression =
  | { readonly expression: Condition; readonly unread?: Span }
  | { readonly error: ExpressionError };
export type ParsedString = { readonly expression: StringWord } | { readonly error: ExpressionError };

/** Expressions repeat over a configuration: each text is read once. */
const KNOWN_LIMIT = 2_000;
const knownConditions = new Map<string, ParsedExpression>();
const knownStrings = new Map<string, ParsedString>();

/**
 * Reads a condition, as in `<If>`, `Require expr`, `SetEnvIfExpr` and `expr=…` of `Header`, the way httpd 2.4 does
 * (server/util_expr_scan.l and util_expr_parse.y). Names are not looked up: `checkNames` does, and regular expressions
 * are not compiled. Two limits are narrower than httpd's: nesting is refused beyond 256 levels, and a chain of one
 * operator beyond 4,990 operands; httpd's parser stops near 10,000 and 5,000.
 *
 * @param text one code unit per byte, quotes already removed as `ap_getword_conf` does. A NUL ends it, as in C.
 * @returns the tree, or the first thing wrong. Nothing is thrown.
 */
export function parseExpression(text: string): ParsedExpression {
  return remember(knownConditions, text, (input) => {
    const read = readCondition(input);
    if ("error" in read) return read;
    return read.unread ? { expression: read.tree, unread: read.unread } : { expression: read.tree };
  });
}

/**
 * Reads a string with `%{…}` and `$0` to `$9` in it, as in `SetHandler`, `AuthName`, `ErrorDocument`, `Redirect` or
 * `Require user`, the way httpd does where it wants a string (`AP_EXPR_FLAG_STRING_RESULT`): the whole text is one
 * string, in which quotes are ordinary characters.
 *
 * @param text as for `parseExpression`
 * @returns a string without quotes, or the first thing wrong. Nothing is thrown.
 */
export function parseStringExpression(text: string): ParsedString {
  return remember(knownStrings, text, (input) => {
    const read = readString(input);
    if ("error" in read) return read;
    return { expression: { kind: "string", quote: "", parts: read.tree, start: 0, end: input.length } };
  });
}

function remember<Result>(known: Map<string, Result>, text: string, read: (input: string) => Result): Result {
  const before = known.get(text);
  if (before) return before;
  const nul = text.indexOf("\0");
  const result = read(nul < 0 ? text : text.slice(0, nul));
  if (known.size >= KNOWN_LIMIT) known.clear();
  known.set(text, result);
  return result;
}
