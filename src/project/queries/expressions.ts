import { checkNames, type ExpressionError, parseExpression } from "../../../grammar/expression/expression.js";
import { memoizeByText } from "../../text/memoize.js";
import type { Span } from "../../text/source.js";
import type { Directive } from "../model/directive.js";
import { findUndefinedVariable } from "../model/variables.js";

/** A condition in httpd's expression language that a directive holds. */
export interface DirectiveExpression {
  /** As the expression's reader gets it: quotes and escapes gone. */
  readonly text: string;
  /** Where it stands. */
  readonly span: Span;
  /** Whether offsets in the text are offsets in the span, so that a place inside can be shown. */
  readonly isVerbatim: boolean;
}

/** Directives that may hold such a condition, by lower-case name. */
export const expressionDirectives: ReadonlySet<string> = new Set([
  "<if",
  "<elseif",
  "header",
  "require",
  "requestheader",
  "setenvifexpr",
]);

/** Several look at the condition of a directive one after the other. */
let lastExpression: { readonly directive: Directive; readonly held: DirectiveExpression | undefined } | undefined;

/** The condition of `<If>`, `<ElseIf>`, `Require expr`, SetEnvIfExpr and `expr=` of Header; undefined for others. */
export function expressionOf(directive: Directive): DirectiveExpression | undefined {
  if (lastExpression?.directive !== directive) lastExpression = { directive, held: readExpression(directive) };
  return lastExpression.held;
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
 * Which word of Header and RequestHeader says when it is done: the one behind the value, where the action takes one, and
 * behind what an edit puts in place (mod_headers.c `header_inout_cmd`). `expr=` in the value's place gives a value.
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

/** `Require [not] expr` takes the rest of the line, less quotes around the whole of it (mod_authz_core). */
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
 * Generated configurations repeat an expression with other literals. Plain text in quotes and in a pattern decides
 * nothing about the form, so forms found right are kept without it; where an operator looks into its literal, the
 * expression is kept whole.
 */
const formOf = memoizeByText((text) => {
  if (/-ipmatch|-R/i.test(text)) return text;
  return text.replace(/'[\w .:/-]*'/g, "''").replace(/([=!]~ *m)#[\w ^.:/-]*#/g, "$1##");
});

/**
 * What the server would refuse in an expression: the first error of its text, else each name that does not exist. Nothing
 * is said where a variable has no value yet.
 *
 * @param rightForms forms already found right, for the same modules and kind of file; grows
 */
export function findExpressionErrors(
  held: DirectiveExpression,
  hasModule: ((identifier: string) => boolean) | undefined,
  htaccess: boolean,
  rightForms: Set<string>,
): readonly ExpressionError[] {
  const form = formOf(held.text);
  if (rightForms.has(form) || findUndefinedVariable(held.text) !== undefined) return [];
  const parsed = parseExpression(held.text);
  if ("error" in parsed) return [parsed.error];
  const errors = checkNames(parsed.expression, { htaccess, ...(hasModule ? { hasModule } : {}) });
  if (errors.length === 0) rightForms.add(form);
  return errors;
}

/**
 * The end of a condition that the server takes and does not read, since a pattern in it is opened and never closed.
 *
 * @param readForms forms already found to be read to their end; grows
 */
export function findUnreadEnd(
  held: DirectiveExpression,
  readForms: Set<string>,
): Pick<Span, "start" | "end"> | undefined {
  const form = formOf(held.text);
  if (readForms.has(form) || !/\/|m(?![A-Za-z0-9\t-\r ]|$)/.test(form)) return undefined;
  const parsed = parseExpression(held.text);
  if ("expression" in parsed && parsed.unread) return parsed.unread;
  readForms.add(form);
  return undefined;
}

/** A place inside the expression, as nearly as it can be told. */
export function spanInExpression(held: DirectiveExpression, place: Pick<Span, "start" | "end">): Span {
  const { span } = held;
  if (!held.isVerbatim || span.end - span.start !== held.text.length) return span;
  const start = Math.min(span.start + place.start, span.end);
  const end = Math.min(Math.max(span.start + place.end, start + 1), span.end);
  // An error behind the last character is shown on it.
  return { ...span, start: Math.min(start, end - 1), end };
}
