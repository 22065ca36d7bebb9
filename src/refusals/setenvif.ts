import type { Argument } from "../../grammar/ast.js";
import { parseExpression } from "../../grammar/expression/expression.js";
import type { Directive } from "../project/directive.js";
import { patternFault } from "./patterns.js";
import type { Fault } from "./refusal.js";
import { filled } from "./values.js";

/** Attributes of a request that SetEnvIf knows beside headers, in any case. */
const attributes = /^(?:remote_addr|remote_host|request_uri|request_method|request_protocol|server_addr)$/i;

/** Most lines are seen to be right: words enough, and nothing in the pattern that could be wrong. */
const plainly = /^[\w-]+[\t ]+(?:"[^"\\[\](){*+?]+"|[^\s"'\\[\](){*+?]+)[\t ]+[^\s"']/;

/**
 * What the server refuses about SetEnvIf, SetEnvIfNoCase, BrowserMatch and BrowserMatchNoCase
 * (modules/metadata/mod_setenvif.c `add_setenvif_core`).
 */
export function setEnvIfFault(directive: Directive): Fault | undefined {
  const isBrowser = directive.key.startsWith("browser");
  if (!isBrowser && plainly.test(directive.argumentText)) return undefined;
  const words = filled(directive.arguments);
  const attribute = isBrowser ? undefined : words[0];
  const pattern = words[isBrowser ? 0 : 1];
  if (!isBrowser && attribute === undefined) return missing(directive, "header-field name", "what to look at");
  if (pattern === undefined) return missing(directive, "regular expression", "a regular expression");
  return (
    textFault(directive, pattern) ??
    (attribute && nameFault(directive, attribute)) ??
    (words.length > (isBrowser ? 1 : 2) ? undefined : missing(directive, "envariable expression", "a variable to set"))
  );
}

/** Where nothing in a pattern has a meaning of its own but an escape, it is compared as text. */
const plainText = /^(?:[^^.$|()[\]*+?{}\\]|\\[\^.$|()[\]*+?{}\\])*\\?$/;

function textFault(directive: Directive, word: Argument): Fault | undefined {
  if (plainText.test(word.value)) return undefined;
  return patternFault(directive, word, `${directive.name} regex could not be compiled.`);
}

/** What the server refuses about the words of SetEnvIfExpr; the expression is looked at elsewhere. */
export function setEnvIfExprFault(directive: Directive): Fault | undefined {
  const [expression, variable] = filled(directive.arguments);
  if (expression === undefined) return missing(directive, "expression", "an expression");
  if (variable !== undefined || "error" in parseExpression(expression.value)) return undefined;
  return missing(directive, "envariable expression", "a variable to set");
}

/** A name with anything but letters, digits, `-` and `_` in it is a pattern for names of headers. */
function nameFault(directive: Directive, word: Argument): Fault | undefined {
  if (attributes.test(word.value) || /^[A-Za-z0-9_-]*$/.test(word.value)) return undefined;
  return patternFault(directive, word, `${directive.name}Header name regex could not be compiled.`);
}

function missing(directive: Directive, server: string, what: string): Fault {
  return {
    server: `Missing ${server} for ${directive.name}`,
    wrong: `\`${directive.name}\` lacks ${what}`,
    remedy: "add it",
    span: directive.span,
  };
}
