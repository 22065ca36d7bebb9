import type { Argument } from "../../../grammar/ast.js";
import { childrenOf, type ExpressionNode } from "../../../grammar/expression/ast.js";
import { checkNames, parseExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import { expressionOf, spanInExpression } from "../../config/queries/expressions.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import { findPatternError, type PatternCompileError } from "../../regex/pcre/compile-error.js";
import type { CheckContext } from "../refusal.js";

/**
 * Checks an argument that the server compiles as a regular expression.
 *
 * @param server its message, with `%s` for the expression
 * @param skipped length of the text before the expression in the argument's value
 */
export function checkPattern(directive: Directive, word: Argument, server: string, skipped = 0): Refusal | undefined {
  const pattern = word.value.slice(skipped);
  const error = findPatternError(pattern);
  if (error === undefined) return undefined;
  const start = word.end - word.value.length - (word.quote === "none" || word.unclosed ? 0 : 1);
  // If backslashes were removed, offsets in the value differ from those in the text.
  const isVerbatim = directive.argumentText.startsWith(word.value, start);
  const at = start + skipped;
  const place = isVerbatim ? { start: at + error.start, end: at + error.end } : word;
  return {
    server: server.replace("%s", () => pattern),
    ...patternAdvice(pattern, error),
    span: directive.spanOf(place),
  };
}

function patternAdvice(pattern: string, { wrong, remedy }: PatternCompileError): RefusalText {
  return wordingOf("invalid-pattern", pattern, wrong, remedy);
}

/** The server's message for an invalid regular expression in an expression, by directive. */
const expressionWords: Readonly<Record<string, (text: string) => string>> = {
  "<if": () => "Cannot parse condition clause: ",
  "<elseif": () => "Cannot parse condition clause: ",
  require: () => "Cannot parse expression in require line: ",
  setenvifexpr: (text) => `Could not parse expression "${text}": `,
  header: () => "Can't parse envclause/expression: ",
  requestheader: () => "Can't parse envclause/expression: ",
  logmessage: (text) => `Could not parse expression '${text}': `,
  proxyfcgisetenvif: (text) => `Could not parse expression "${text}": `,
  proxyhcexpr: (text) => `Could not parse expression "${text}": `,
  filterprovider: () => "Error parsing FilterProvider expression:",
  customlog: () => "",
  globallog: () => "",
  rewritecond: (text) => `RewriteCond: cannot compile expression "${text}" `,
};

/** Checks the regular expressions in a directive's condition as the server does. */
export function checkExpressionPatterns(directive: Directive, { sectionContext }: CheckContext): Refusal | undefined {
  const expression = expressionOf(directive);
  const server = expressionWords[directive.key];
  if (expression === undefined || server === undefined || !mayHoldWrongRegex(expression.text)) return undefined;
  const parsed = parseExpression(expression.text);
  if (!parsed.ok) return undefined;
  for (const { pattern, start, delimiter } of regexesIn(parsed.value.expression)) {
    const error = findPatternError(pattern);
    // If a name is invalid as well, the server reports more: that is a separate finding.
    if (error === undefined || checkNames(parsed.value.expression, { htaccess: sectionContext.inHtaccess }).length > 0)
      continue;
    const from = start + (expression.text.startsWith(`m${delimiter}`, start) ? 2 : 1);
    const place = { message: error.wrong, start: from + error.start, end: from + error.end };
    return {
      server: `${server(expression.text)}Failed to compile regular expression`,
      ...patternAdvice(pattern, error),
      span: spanInExpression(expression, place),
    };
  }
  return undefined;
}

/** A possible regular expression after its operator. */
const regexLiteral = /[=!]~[ \t\n]*(?:\/([^/]*)\/|m([/#$%^,;:?|\-!.'"_])([\s\S]*?)\2)/g;

/** Reports whether an expression may contain an invalid regular expression; parsing it takes longer. */
function mayHoldWrongRegex(text: string): boolean {
  for (const [, slashed, , marked = ""] of text.matchAll(regexLiteral))
    if (findPatternError(slashed ?? marked)) return true;
  return false;
}

function regexesIn(node: ExpressionNode): readonly Extract<ExpressionNode, { kind: "regex" }>[] {
  return node.kind === "regex" ? [node] : childrenOf(node).flatMap(regexesIn);
}

/** Checks Substitute as mod_substitute does (`set_pattern`): `s`, and a delimiter three times around two texts. */
export function checkSubstitute(directive: Directive): Refusal | undefined {
  const [word] = directive.arguments;
  if (word === undefined) return undefined;
  const span = directive.spanOf(word);
  const { value } = word;
  const mark = value.charAt(1);
  const [from = "", to, ...flags] = value.slice(2).split(mark);
  if (!/^s/i.test(value)) {
    return { ...wordingOf("substitution-without-s", value), span };
  }
  if (mark === "" || from === "" || to === undefined) {
    return { ...wordingOf("incomplete-substitution", value), span };
  }
  const invalid = /[^infq]/i.exec(flags.join(mark));
  if (invalid) {
    return { ...wordingOf("unknown-substitution-flag", invalid[0]), span };
  }
  if (/n/i.test(flags.join(""))) return undefined;
  return checkPattern(
    directive,
    { ...word, value: value.slice(0, 2 + from.length) },
    "Substitute could not compile regex",
    2,
  );
}
