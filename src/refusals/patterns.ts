import type { Argument } from "../../grammar/ast.js";
import { childrenOf, type ExpressionNode } from "../../grammar/expression/ast.js";
import { checkNames, parseExpression } from "../../grammar/expression/expression.js";
import type { Directive } from "../project/directive.js";
import { heldExpression, placeInExpression } from "../project/expressions.js";
import { quoted } from "../project/problems.js";
import type { Look } from "./look.js";
import { patternError } from "./pattern.js";
import type { PatternError } from "./pattern-escape.js";
import type { Fault } from "./refusal.js";

/**
 * What the server refuses about a word that it compiles as a regular expression.
 *
 * @param server what it says, with `%s` for the expression
 * @param skipped how much of the word's value stands in front of the expression
 */
export function patternFault(directive: Directive, word: Argument, server: string, skipped = 0): Fault | undefined {
  const pattern = word.value.slice(skipped);
  const error = patternError(pattern);
  if (error === undefined) return undefined;
  const start = word.end - word.value.length - (word.quote === "none" || word.unclosed ? 0 : 1);
  // Where backslashes were taken off, places in the value are none in the text.
  const isVerbatim = directive.argumentText.startsWith(word.value, start);
  const at = start + skipped;
  const place = isVerbatim ? { start: at + error.start, end: at + error.end } : word;
  return { server: server.replace("%s", () => pattern), ...advice(pattern, error), span: directive.spanOf(place) };
}

function advice(pattern: string, { wrong, remedy }: PatternError): Pick<Fault, "wrong" | "remedy"> {
  return { wrong: `${quoted(pattern)} is no regular expression: ${wrong}`, remedy };
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
export function expressionFault(directive: Directive, { standing }: Look): Fault | undefined {
  const held = heldExpression(directive);
  const server = expressionWords[directive.key];
  if (held === undefined || server === undefined || !mayHoldWrongRegex(held.text)) return undefined;
  const parsed = parseExpression(held.text);
  if ("error" in parsed) return undefined;
  for (const { pattern, start, delimiter } of regexesIn(parsed.expression)) {
    const error = patternError(pattern);
    // The server says more where a name is wrong, too: that is another finding.
    if (error === undefined || checkNames(parsed.expression, { htaccess: standing.inHtaccess }).length > 0) continue;
    const from = start + (held.text.startsWith(`m${delimiter}`, start) ? 2 : 1);
    const place = { message: error.wrong, start: from + error.start, end: from + error.end };
    return {
      server: `${server(held.text)}Failed to compile regular expression`,
      ...advice(pattern, error),
      span: placeInExpression(held, place),
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
    if (patternError(slashed ?? marked)) return true;
  return false;
}

function regexesIn(node: ExpressionNode): readonly Extract<ExpressionNode, { kind: "regex" }>[] {
  return node.kind === "regex" ? [node] : childrenOf(node).flatMap(regexesIn);
}
