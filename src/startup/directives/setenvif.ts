import type { Argument } from "../../../grammar/ast.js";
import { parseExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { checkPattern } from "./patterns.js";
import { takeUntilEmpty } from "./values.js";

/** Most lines are obviously valid: enough arguments, and no special characters in the pattern. */
const obviouslyValidLine = /^[\w-]+[\t ]+(?:"[^"\\[\](){*+?]+"|[^\s"'\\[\](){*+?]+)[\t ]+[^\s"']/;

/**
 * Checks SetEnvIf, SetEnvIfNoCase, BrowserMatch and BrowserMatchNoCase as the server does
 * (modules/metadata/mod_setenvif.c `add_setenvif_core`).
 */
export function checkSetEnvIf(directive: Directive): Refusal | undefined {
  const isBrowser = directive.key.startsWith("browser");
  if (obviouslyValidLine.test(directive.argumentText)) return undefined;
  const words = takeUntilEmpty(directive.arguments);
  const attribute = isBrowser ? undefined : words[0];
  const pattern = words[isBrowser ? 0 : 1];
  if (!isBrowser && attribute === undefined) return checkMissingWords(directive, "header-field name", "an attribute");
  if (pattern === undefined) return checkMissingWords(directive, "regular expression", "a regular expression");
  // A name with anything other than letters, digits, `-` and `_` is a pattern for header names; others compile anyway.
  return (
    checkPatternText(directive, pattern) ??
    (attribute && checkPattern(directive, attribute, `${directive.name}Header name regex could not be compiled.`)) ??
    (words.length > (isBrowser ? 1 : 2)
      ? undefined
      : checkMissingWords(directive, "envariable expression", "a variable to set"))
  );
}

/** A pattern without special characters other than escapes is compared as text. */
const plainTextPattern = /^(?:[^^.$|()[\]*+?{}\\]|\\[\^.$|()[\]*+?{}\\])*\\?$/;

function checkPatternText(directive: Directive, word: Argument): Refusal | undefined {
  if (plainTextPattern.test(word.value)) return undefined;
  return checkPattern(directive, word, `${directive.name} regex could not be compiled.`);
}

/** Checks the arguments of SetEnvIfExpr as the server does; the expression is checked elsewhere. */
export function checkSetEnvIfExpr(directive: Directive): Refusal | undefined {
  const [expression, variable] = takeUntilEmpty(directive.arguments);
  if (expression === undefined) return checkMissingWords(directive, "expression", "an expression");
  if (variable !== undefined || !parseExpression(expression.value).ok) return undefined;
  return checkMissingWords(directive, "envariable expression", "a variable to set");
}

function checkMissingWords(directive: Directive, server: string, what: string): Refusal {
  return { ...wordingOf("missing-variable-argument", server, directive.name, what), span: directive.span };
}
