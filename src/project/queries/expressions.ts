import { checkNames, type ExpressionError, parseExpression } from "../../../grammar/expression/expression.js";
import { memoizeByText } from "../../text/memoize.js";
import type { Span } from "../../text/source.js";
import type { Directive } from "../model/directive.js";
import { findUndefinedVariable } from "../model/variables.js";

/** A condition in httpd's expression language in a directive. */
export interface DirectiveExpression {
  /** The text after removal of quotes and escapes. */
  readonly text: string;
  /** Its location. */
  readonly span: Span;
  /** Whether offsets in the text equal offsets in the span, so that a position inside can be shown. */
  readonly isVerbatim: boolean;
}

/** Directives that may contain such a condition, by lower-case name. */
export const expressionDirectives: ReadonlySet<string> = new Set([
  "<if",
  "<elseif",
  "header",
  "require",
  "requestheader",
  "setenvifexpr",
]);

/** Cache of the last condition, since several readers of a directive usually follow each other. */
let lastExpression: { readonly directive: Directive; readonly expression: DirectiveExpression | undefined } | undefined;

/**
 * Returns the condition of `<If>`, `<ElseIf>`, `Require expr`, SetEnvIfExpr and `expr=` of Header; undefined for
 * others.
 */
export function expressionOf(directive: Directive): DirectiveExpression | undefined {
  if (lastExpression?.directive !== directive) lastExpression = { directive, expression: readExpression(directive) };
  return lastExpression.expression;
}

function readExpression(directive: Directive): DirectiveExpression | undefined {
  switch (directive.key) {
    case "<if":
    case "<elseif":
    case "setenvifexpr":
      return fromArgument(directive, 0, "");
    case "header":
    case "requestheader":
      return fromArgument(directive, clauseIndexOf(directive), "expr=");
    case "require":
      return fromRequire(directive);
    default:
      return undefined;
  }
}

/**
 * Returns the index of the Header or RequestHeader argument that holds the condition. It follows the value if the
 * action takes one, and the replacement of an edit (mod_headers.c `header_inout_cmd`). `expr=` in place of the value
 * sets a value.
 */
function clauseIndexOf({ key, arguments: words }: Directive): number {
  const action = key === "header" && /^(always|onsuccess)$/i.test(words[0]?.value ?? "") ? 1 : 0;
  const name = words[action]?.value.toLowerCase() ?? "";
  if (name === "unset" || name === "echo") return action + 2;
  return action + (name.startsWith("edit") ? 4 : 3);
}

function fromArgument(directive: Directive, index: number, prefix: string): DirectiveExpression | undefined {
  const argument = directive.arguments[index];
  if (argument === undefined || !argument.value.startsWith(prefix)) return undefined;
  const text = argument.value.slice(prefix.length);
  const lead = prefix.length + (argument.quote === "none" ? 0 : 1);
  const tail = argument.quote === "none" || argument.unclosed ? 0 : 1;
  const isVerbatim = argument.end - argument.start === lead + text.length + tail;
  const inner = { start: argument.start + (isVerbatim ? lead : 0), end: argument.end - (isVerbatim ? tail : 0) };
  return { text, span: directive.spanOf(inner), isVerbatim };
}

/**
 * Returns the condition of `Require [not] expr`: the rest of the line, without quotes around the whole
 * (mod_authz_core).
 */
function fromRequire(directive: Directive): DirectiveExpression | undefined {
  const words = directive.arguments;
  const at = words[0]?.value.toLowerCase() === "not" ? 1 : 0;
  const next = words[at + 1];
  if (words[at]?.value !== "expr" || next === undefined) return undefined;
  const line = directive.argumentText.slice(next.start);
  const quoted = line.startsWith('"') && line.endsWith('"') && line.length > 1;
  const start = next.start + (quoted ? 1 : 0);
  const end = next.start + line.length - (quoted ? 1 : 0);
  return { text: directive.argumentText.slice(start, end), span: directive.spanOf({ start, end }), isVerbatim: true };
}

/**
 * Normalizes an expression to its form. Generated configurations repeat an expression with other literals. Plain text
 * in quotes and patterns does not affect validity, so valid forms are cached without it. If an operator parses its
 * literal, the expression is kept whole.
 */
const formOf = memoizeByText((text) => {
  if (/-ipmatch|-R/i.test(text)) return text;
  return text.replace(/'[\w .:/-]*'/g, "''").replace(/([=!]~ *m)([#|])[\w ^.:/-]*\2/g, "$1$2$2");
});

/**
 * Returns the errors that the server would report for an expression: the first syntax error, else each unknown name.
 * Returns none if a variable is undefined.
 *
 * @param validForms forms known to be valid, for the same modules and kind of file; grows
 */
export function findExpressionErrors(
  expression: DirectiveExpression,
  hasModule: ((identifier: string) => boolean) | undefined,
  htaccess: boolean,
  validForms: Set<string>,
): readonly ExpressionError[] {
  const form = formOf(expression.text);
  if (validForms.has(form) || findUndefinedVariable(expression.text) !== undefined) return [];
  const parsed = parseExpression(expression.text);
  if ("error" in parsed) return [parsed.error];
  const errors = checkNames(parsed.expression, { htaccess, ...(hasModule ? { hasModule } : {}) });
  if (errors.length === 0) validForms.add(form);
  return errors;
}

/**
 * Returns the end of a condition that the server accepts without reading, because a pattern in it is never closed.
 *
 * @param readForms forms known to be read to their end; grows
 */
export function findUnreadEnd(
  expression: DirectiveExpression,
  readForms: Set<string>,
): Pick<Span, "start" | "end"> | undefined {
  const form = formOf(expression.text);
  if (readForms.has(form) || !/\/|m(?![A-Za-z0-9\t-\r ]|$)/.test(form)) return undefined;
  const parsed = parseExpression(expression.text);
  if ("expression" in parsed && parsed.unread) return parsed.unread;
  readForms.add(form);
  return undefined;
}

/** Returns the span of a position inside the expression, as precisely as known. */
export function spanInExpression(expression: DirectiveExpression, place: Pick<Span, "start" | "end">): Span {
  const { span } = expression;
  if (!expression.isVerbatim || span.end - span.start !== expression.text.length) return span;
  const start = Math.min(span.start + place.start, span.end);
  const end = Math.min(Math.max(span.start + place.end, start + 1), span.end);
  // An error after the last character is shown on it.
  return { ...span, start: Math.min(start, end - 1), end };
}
