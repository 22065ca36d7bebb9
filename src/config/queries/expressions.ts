import { childrenOf, type ExpressionNode, type Match } from "../../../grammar/expression/ast.js";
import {
  checkNames,
  type ExpressionError,
  parseExpression,
  parseStringExpression,
} from "../../../grammar/expression/expression.js";
import { ownProperty } from "../../text/collections.js";
import { memoizeByText, memoizeLast } from "../../text/memoize.js";
import type { Span } from "../../text/source.js";
import type { Directive } from "../model/directive.js";
import { findUndefinedVariable } from "../model/variables.js";

/** A condition in httpd's expression language in a directive, or a string with variables. */
export interface DirectiveExpression {
  /** The text after removal of quotes and escapes. */
  readonly text: string;
  /** Its location. */
  readonly span: Span;
  /** Whether offsets in the text equal offsets in the span, so that a position inside can be shown. */
  readonly isVerbatim: boolean;
  /** Whether it is a string with variables (`AP_EXPR_FLAG_STRING_RESULT`). */
  readonly isString?: boolean;
}

type ExpressionReader = (directive: Directive) => DirectiveExpression | undefined;
type StringReader = (directive: Directive) => readonly DirectiveExpression[];

const ofArgument =
  (index: number): ExpressionReader =>
  (directive) =>
    fromArgument(directive, index);
const ofClause =
  (indexOf: (directive: Directive) => number): ExpressionReader =>
  (directive) =>
    fromArgument(directive, indexOf(directive), "expr=");

/** Readers of the condition of each directive, by lower-case name. */
const conditionReaders: Readonly<Record<string, ExpressionReader>> = {
  "<if": ofArgument(0),
  "<elseif": ofArgument(0),
  setenvifexpr: ofArgument(0),
  proxyfcgisetenvif: ofArgument(0),
  proxyhcexpr: fromBraces,
  // httpd rejects a line with more arguments, such as one of 2.2, before it reads the expression.
  filterprovider: (directive) => (directive.arguments.length > 3 ? undefined : fromArgument(directive, 2)),
  rewritecond: fromRewriteCond,
  header: ofClause(clauseIndexOf),
  requestheader: ofClause(clauseIndexOf),
  customlog: ofClause(() => 2),
  globallog: ofClause(() => 2),
  logmessage: ofClause(({ arguments: words }) =>
    words.findIndex(({ value }, index) => index > 0 && /^expr=/i.test(value)),
  ),
  require: (directive) => fromRequire(directive, (provider) => provider === "expr"),
};

const stringsOf =
  (...indexes: readonly number[]): StringReader =>
  (directive) =>
    indexes.flatMap((index) => fromArgument(directive, index) ?? []);

/** Readers of the strings that httpd evaluates for each request, by lower-case name of the directive. */
const stringReaders: Readonly<Record<string, StringReader>> = {
  logmessage: stringsOf(0),
  errordocument: stringsOf(1),
  authname: stringsOf(0),
  authtype: stringsOf(0),
  sethandler: stringsOf(0),
  authformloginrequiredlocation: stringsOf(0),
  authformloginsuccesslocation: stringsOf(0),
  authformlogoutlocation: stringsOf(0),
  proxyfcgisetenvif: stringsOf(2),
  authbasicfake: (directive) =>
    directive.arguments[0]?.value.toLowerCase() === "off" ? [] : stringsOf(0, 1)(directive),
  alias: fromWholeSection,
  scriptalias: fromWholeSection,
  redirect: fromWholeSection,
  header: fromHeaderValue,
  requestheader: fromHeaderValue,
  require: (directive) => [fromRequire(directive, (provider) => expandingProviders.test(provider)) ?? []].flat(),
};

/** Directives that may contain a condition or such a string, by lower-case name. */
export const expressionDirectives: ReadonlySet<string> = new Set([
  ...Object.keys(conditionReaders),
  ...Object.keys(stringReaders),
]);

/**
 * Returns the condition of a directive, such as `<If>`, `Require expr`, SetEnvIfExpr and `expr=` of Header; undefined if it
 * does not have one.
 */
export const expressionOf = memoizeLast((directive: Directive): DirectiveExpression | undefined =>
  ownProperty(conditionReaders, directive.key)?.(directive),
);

/** Returns the condition of a directive, and the strings in which httpd looks for variables. */
export function expressionsOf(directive: Directive): readonly DirectiveExpression[] {
  const condition = expressionOf(directive);
  const strings = ownProperty(stringReaders, directive.key)?.(directive) ?? [];
  // Other strings have no variables, so that nothing in them can be wrong.
  const withVariables = strings.filter(({ text }) => text.includes("%{"));
  return [...(condition ? [condition] : []), ...withVariables.map((each) => ({ ...each, isString: true }))];
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

/** Returns the value of Header with `expr=` in its place; the server does not accept other cases (`header_cmd`). */
function fromHeaderValue(directive: Directive): readonly DirectiveExpression[] {
  const at = clauseIndexOf(directive) - 1;
  const value = directive.arguments[at]?.value ?? "";
  return value.startsWith("expr=") ? [fromArgument(directive, at, "expr=") ?? []].flat() : [];
}

/** Returns the only argument, after a status: in a section, it is the target for all that the section matches (mod_alias). */
function fromWholeSection(directive: Directive): readonly DirectiveExpression[] {
  const at = directive.key === "redirect" && directive.arguments.length > 1 ? 1 : 0;
  const isUrlPath = at > 0 && /^(?:gone|410|\/)/i.test(directive.arguments[0]?.value ?? "");
  return directive.arguments.length > at + 1 || isUrlPath ? [] : stringsOf(at)(directive);
}

function fromRewriteCond(directive: Directive): DirectiveExpression | undefined {
  const [input, pattern] = directive.arguments;
  // mod_rewrite splits arguments with backslashes differently.
  if (input?.value.toLowerCase() !== "expr" || !pattern || directive.argumentText.includes("\\")) return undefined;
  return fromArgument(directive, 1, pattern.value.startsWith("!") ? "!" : "");
}

/** @param prefix text before the expression, in any case */
function fromArgument(directive: Directive, index: number, prefix = ""): DirectiveExpression | undefined {
  const argument = directive.arguments[index];
  if (argument === undefined || !argument.value.toLowerCase().startsWith(prefix)) return undefined;
  const text = argument.value.slice(prefix.length);
  const lead = prefix.length + (argument.quote === "none" ? 0 : 1);
  const tail = argument.quote === "none" || argument.unclosed ? 0 : 1;
  const isVerbatim = argument.end - argument.start === lead + text.length + tail;
  const inner = { start: argument.start + (isVerbatim ? lead : 0), end: argument.end - (isVerbatim ? tail : 0) };
  return { text, span: directive.spanOf(inner), isVerbatim };
}

/**
 * Returns the second argument, which may be in braces: it then ends at the brace that belongs to the first one, also in
 * quotes (server/util.c `ap_getword_conf2`).
 */
function fromBraces(directive: Directive): DirectiveExpression | undefined {
  const open = directive.arguments[1]?.start;
  const line = directive.argumentText;
  if (open === undefined || line[open] !== "{") return fromArgument(directive, 1);
  const start = open + 1;
  let end = start;
  for (let depth = 1; end < line.length; end++) {
    if (line[end] === "{") depth++;
    else if (line[end] === "}" && --depth === 0) break;
  }
  return { text: line.slice(start, end), span: directive.spanOf({ start, end }), isVerbatim: true };
}

/** Providers whose arguments are a string with variables, as those of LDAP (modules/aaa, `AP_EXPR_FLAG_STRING_RESULT`). */
const expandingProviders = /^(?:user|group|dbm-group|dbd-group|host|forward-dns|ldap-\w+)$/;

/**
 * Returns the arguments of `Require [not] PROVIDER`: the rest of the line, without quotes around the whole
 * (mod_authz_core).
 */
function fromRequire(directive: Directive, isProvider: (provider: string) => boolean): DirectiveExpression | undefined {
  const words = directive.arguments;
  const at = words[0]?.value.toLowerCase() === "not" ? 1 : 0;
  const next = words[at + 1];
  if (!isProvider(words[at]?.value ?? "") || next === undefined) return undefined;
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
  const { text, isString } = expression;
  const form = isString ? `string ${text}` : formOf(text);
  if (validForms.has(form) || findUndefinedVariable(text) !== undefined) return [];
  const parsed = isString ? parseStringExpression(text) : parseExpression(text);
  if (!parsed.ok) return [parsed.error];
  const errors = checkNames(parsed.value.expression, { htaccess, ...(hasModule ? { hasModule } : {}) });
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
  if (parsed.ok && parsed.value.unread) return parsed.value.unread;
  readForms.add(form);
  return undefined;
}

/** Returns the comparisons with a regular expression in a condition; none if it cannot be parsed. */
export function matchesIn(text: string): readonly Match[] {
  const parsed = parseExpression(text);
  const listMatches = (node: ExpressionNode): readonly Match[] =>
    node.kind === "match" ? [node] : childrenOf(node).flatMap(listMatches);
  return parsed.ok ? listMatches(parsed.value.expression) : [];
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
