import type { Argument } from "../../../grammar/ast.js";
import { childrenOf, type ExpressionNode } from "../../../grammar/expression/ast.js";
import { checkNames, parseExpression } from "../../../grammar/expression/expression.js";
import type { PatternCompileError } from "../../logic/pcre/class-error.js";
import { findPatternError } from "../../logic/pcre/compile-error.js";
import type { Directive } from "../../project/model/directive.js";
import { quoteText } from "../../project/model/problems.js";
import { expressionOf, spanInExpression } from "../../project/queries/expressions.js";
import type { CheckContext, CheckFailure } from "../refusal.js";

/**
 * What the server refuses about a word that it compiles as a regular expression.
 *
 * @param server what it says, with `%s` for the expression
 * @param skipped how much of the word's value stands in front of the expression
 */
export function checkPattern(
  directive: Directive,
  word: Argument,
  server: string,
  skipped = 0,
): CheckFailure | undefined {
  const pattern = word.value.slice(skipped);
  const error = findPatternError(pattern);
  if (error === undefined) return undefined;
  const start = word.end - word.value.length - (word.quote === "none" || word.unclosed ? 0 : 1);
  // Where backslashes were taken off, places in the value are none in the text.
  const isVerbatim = directive.argumentText.startsWith(word.value, start);
  const at = start + skipped;
  const place = isVerbatim ? { start: at + error.start, end: at + error.end } : word;
  return {
    server: server.replace("%s", () => pattern),
    ...patternAdvice(pattern, error),
    span: directive.spanOf(place),
  };
}

function patternAdvice(
  pattern: string,
  { wrong, remedy }: PatternCompileError,
): Pick<CheckFailure, "wrong" | "remedy"> {
  return { wrong: `${quoteText(pattern)} is no regular expression: ${wrong}`, remedy };
}

/** What the server says where a regular expression in an expression does not compile, by directive. */
const expressionWords: Readonly<Record<string, (text: string) => string>> = {
  "<if": () => "Cannot parse condition clause: ",
  "<elseif": () => "Cannot parse condition clause: ",
  require: () => "Cannot parse expression in require line: ",
  setenvifexpr: (text) => `Could not parse expression "${text}": `,
  header: () => "Can't parse envclause/expression: ",
  requestheader: () => "Can't parse envclause/expression: ",
};

/** What the server refuses about the regular expressions in the condition that a directive holds. */
export function checkExpressionPatterns(directive: Directive, { standing }: CheckContext): CheckFailure | undefined {
  const held = expressionOf(directive);
  const server = expressionWords[directive.key];
  if (held === undefined || server === undefined || !mayHoldWrongRegex(held.text)) return undefined;
  const parsed = parseExpression(held.text);
  if ("error" in parsed) return undefined;
  for (const { pattern, start, delimiter } of regexesIn(parsed.expression)) {
    const error = findPatternError(pattern);
    // The server says more where a name is wrong, too: that is another finding.
    if (error === undefined || checkNames(parsed.expression, { htaccess: standing.inHtaccess }).length > 0) continue;
    const from = start + (held.text.startsWith(`m${delimiter}`, start) ? 2 : 1);
    const place = { message: error.wrong, start: from + error.start, end: from + error.end };
    return {
      server: `${server(held.text)}Failed to compile regular expression`,
      ...patternAdvice(pattern, error),
      span: spanInExpression(held, place),
    };
  }
  return undefined;
}

/** What looks like a regular expression behind its operator. */
const regexLiteral = /[=!]~[ \t\n]*(?:\/([^/]*)\/|m([/#$%^,;:?|\-!.'"_])([\s\S]*?)\2)/g;

/** To read an expression takes longer than to look at what may be wrong in it. */
function mayHoldWrongRegex(text: string): boolean {
  if (!text.includes("~")) return false;
  for (const [, slashed, , marked = ""] of text.matchAll(regexLiteral))
    if (findPatternError(slashed ?? marked)) return true;
  return false;
}

function regexesIn(node: ExpressionNode): readonly Extract<ExpressionNode, { kind: "regex" }>[] {
  return node.kind === "regex" ? [node] : childrenOf(node).flatMap(regexesIn);
}

/** What mod_substitute refuses about Substitute (`set_pattern`): `s`, and any mark three times around two texts. */
export function checkSubstitute(directive: Directive): CheckFailure | undefined {
  const [word] = directive.arguments;
  if (word === undefined) return undefined;
  const span = directive.spanOf(word);
  const { value } = word;
  const mark = value.charAt(1);
  const [from = "", to, ...flags] = value.slice(2).split(mark);
  const remedy = "write `s/what/instead/`, with another mark for `/` if you like";
  if (!/^s/i.test(value)) {
    const server = "Bad Substitute format, must be an s/// pattern";
    return { server, wrong: `${quoteText(value)} does not start with \`s\``, remedy, span };
  }
  if (mark === "" || from === "" || to === undefined) {
    const server = "Bad Substitute format, must be a complete s/// pattern";
    return { server, wrong: `${quoteText(value)} is not complete`, remedy, span };
  }
  const strange = /[^infq]/i.exec(flags.join(mark));
  if (strange) {
    const server = "Bad Substitute flag, only s///[infq] are supported";
    return { server, wrong: `${quoteText(strange[0])} is no flag here`, remedy: "take it out", span };
  }
  if (/n/i.test(flags.join(""))) return undefined;
  return checkPattern(
    directive,
    { ...word, value: value.slice(0, 2 + from.length) },
    "Substitute could not compile regex",
    2,
  );
}
