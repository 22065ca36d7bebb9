import { createToken, type IToken, type ITokenConfig, Lexer, type TokenType } from "chevrotain";
import type { ExpressionSpan } from "./ast.js";

/**
 * The tokens of an expression, as httpd's scanner reads them (server/util_expr_scan.l). httpd's scanner takes the
 * longest match, Chevrotain the first: hence the order and the lookaheads. Each mode ends in a token that matches any
 * byte and that no parser rule accepts. Every input therefore tiles into tokens, and all errors are the parser's.
 */
const END_OF_WORD = "(?![A-Za-z0-9_])";

const EVERY_BYTE = Array.from({ length: 256 }, (_, code) => code);

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";

/**
 * @param more for a regular expression, its possible first characters: Chevrotain takes milliseconds to compute them
 */
function token(name: string, pattern: RegExp | string, more: Partial<ITokenConfig> = {}): TokenType {
  return createToken({ name, pattern, ...more });
}

function word(pattern: string): RegExp {
  return new RegExp(pattern + END_OF_WORD);
}

/**
 * Matches constant text that ends before `ends`, `%{`, `$` with a digit, a line feed, or a final backslash. The loop is
 * unrolled so that a missing end costs one pass at most.
 */
function plain(ends: string): { one: string; any: string } {
  const run = `[^\\\\\\n%$${ends}]`;
  const other = "(?:\\\\[\\s\\S]|%(?!\\{)|\\$(?![0-9]))";
  return { one: `(?:${run}|${other})`, any: `${run}*(?:${other}${run}*)*` };
}

const inDouble = plain('"');
const inSingle = plain("'");
const inArgument = plain("\"'}");
const inWhole = plain("");

/** Constant text, in any mode. */
export const TextToken = createToken({ name: "Text", pattern: Lexer.NA, label: "text" });

function text(name: string, { one, any }: { one: string; any: string }, ends: string): TokenType {
  const bytes = EVERY_BYTE.filter((code) => code !== 10 && !ends.includes(String.fromCharCode(code)));
  return token(name, new RegExp(one + any), { categories: TextToken, start_chars_hint: bytes, line_breaks: true });
}

function stray(name: string): TokenType {
  return token(name, /[\s\S]/, { start_chars_hint: EVERY_BYTE, line_breaks: true });
}

const Space = token("Space", /[ \t\n]+/, { start_chars_hint: [..." \t\n"], group: Lexer.SKIPPED, line_breaks: true });

export const Logical = token("Logical", /&&|\|\||(?:and|or)(?![A-Za-z0-9_])/, {
  start_chars_hint: [..."&|ao"],
  label: "`&&` or `||`",
});
export const Not = token("Not", /!|not(?![A-Za-z0-9_])/, { start_chars_hint: [..."!n"], label: "`!`" });
export const ConstantToken = token("Constant", word("(?:true|false)"), {
  start_chars_hint: [..."tf"],
  label: "`true` or `false`",
});
export const MatchOperator = token("MatchOperator", /[=!]~/, { start_chars_hint: [..."=!"], label: "`=~`" });
export const ComparisonOperator = token(
  "ComparisonOperator",
  /==?|!=|<=?|>=?|-?(?:eq|ne|lt|le|gt|ge)(?![A-Za-z0-9_])/,
  { start_chars_hint: [..."=!<>-enlg"], label: "a comparison" },
);
export const In = token("In", word("-?in"), { start_chars_hint: [..."-i"], label: "`-in`" });
export const UnaryOperator = token("UnaryOperator", word("-[A-Za-z_]"), {
  start_chars_hint: ["-"],
  label: "a test such as `-n`",
});
export const BinaryOperator = token("BinaryOperator", /-[A-Za-z_][A-Za-z0-9_]+/, {
  start_chars_hint: ["-"],
  label: "an operator",
});
export const Concat = token("Concat", ".", { label: "`.`" });
export const LeftParen = token("LeftParen", "(", { label: "`(`" });
export const RightParen = token("RightParen", ")", { label: "`)`" });
export const LeftBrace = token("LeftBrace", "{", { label: "`{`" });
export const RightBrace = token("RightBrace", "}", { label: "`,` or `}`" });
export const Comma = token("Comma", ",", { label: "`,`" });
export const DigitsToken = token("Digits", /-?[0-9]+/, { start_chars_hint: [...DIGITS, "-"], label: "a number" });
export const NameToken = token("Name", /[A-Za-z][A-Za-z0-9_]*/, { start_chars_hint: [...LETTERS], label: "a name" });

/**
 * No byte in a regular expression is an escape: the first delimiter ends it. `m_` starts a regular expression only if
 * it does not start a name. The only flag is `i`: `s///` and other flags belong to httpd's development branch, not to
 * 2.4.
 */
export const RegexToken = token("Regex", /\/[^/]*\/i?|m(?:([/#$%^,;:?|\-!.'"])[\s\S]*?\1|_(?![A-Za-z0-9_])[^_]*_)i?/, {
  start_chars_hint: ["/", "m"],
  line_breaks: true,
  label: "a regular expression",
});

/** httpd ends an expression at an unclosed regular expression and ignores the rest. */
const OpenRegex = token("OpenRegex", /(?:\/|m(?:[/#$%^,;:?|\-!.'"]|_(?![A-Za-z0-9_])))[\s\S]*/, {
  start_chars_hint: ["/", "m"],
  line_breaks: true,
});

/** The usual forms as single tokens: a string without expansions, `%{NAME}`, and `%{name:text}`. */
export const PlainString = token("PlainString", new RegExp(`"${inDouble.any}"|'${inSingle.any}'`), {
  start_chars_hint: ['"', "'"],
  line_breaks: true,
  label: "a string",
});
export const PlainVariable = token("PlainVariable", /%\{[A-Za-z][A-Za-z0-9_]*\}/, {
  start_chars_hint: ["%"],
  label: "a variable",
});
export const PlainCall = token(
  "PlainCall",
  new RegExp(`%\\{[A-Za-z][A-Za-z0-9_]*:${inArgument.one}${inArgument.any}\\}`),
  {
    start_chars_hint: ["%"],
    line_breaks: true,
    label: "a function",
  },
);

export const DoubleQuote = token("DoubleQuote", '"', { push_mode: "double", label: "a string" });
export const SingleQuote = token("SingleQuote", "'", { push_mode: "single", label: "a string" });
export const QuoteEnd = token("QuoteEnd", /["']/, {
  start_chars_hint: [...`"'`],
  pop_mode: true,
  label: "the closing quote",
});
export const VariableStart = token("VariableStart", "%{", { push_mode: "name", label: "`%{`" });
export const VariableEnd = token("VariableEnd", "}", { pop_mode: true, label: "`}`" });
export const Colon = token("Colon", ":", { pop_mode: true, push_mode: "argument", label: "`}` or `:`" });
export const BackReferenceToken = token("BackReference", /\$[0-9]/, { start_chars_hint: ["$"], label: "`$0` to `$9`" });

const DoubleText = text("DoubleText", inDouble, '"');
const SingleText = text("SingleText", inSingle, "'");
const WholeText = text("WholeText", inWhole, "");
const ArgumentText = text("ArgumentText", inArgument, "\"'}");

export const StrayByte = stray("StrayByte");
export const StrayInString = stray("StrayInString");
export const StrayInName = stray("StrayInName");
export const StrayInArgument = stray("StrayInArgument");

const parts = [PlainVariable, PlainCall, VariableStart, BackReferenceToken];

const modes = {
  condition: [
    Space,
    PlainString,
    DoubleQuote,
    SingleQuote,
    ...parts,
    RegexToken,
    OpenRegex,
    MatchOperator,
    ComparisonOperator,
    Logical,
    Not,
    ConstantToken,
    In,
    UnaryOperator,
    BinaryOperator,
    DigitsToken,
    NameToken,
    Concat,
    LeftParen,
    RightParen,
    LeftBrace,
    RightBrace,
    Comma,
    StrayByte,
  ],
  double: [DoubleText, ...parts, QuoteEnd, StrayInString],
  single: [SingleText, ...parts, QuoteEnd, StrayInString],
  whole: [WholeText, ...parts, StrayInString],
  name: [NameToken, VariableEnd, Colon, StrayInName],
  argument: [ArgumentText, ...parts, VariableEnd, StrayInArgument],
};

/** All distinct token types, for the parser's vocabulary. */
export const expressionTokens: TokenType[] = [...new Set([...Object.values(modes).flat(), TextToken])];

/** @param skipValidations skips the validation of the patterns, which is slow; a test runs it. */
export function createExpressionLexer(skipValidations = true): Lexer {
  return new Lexer({ modes, defaultMode: "condition" }, { positionTracking: "onlyOffset", skipValidations });
}

let lexer: Lexer | undefined;

export interface TokenizedExpression {
  readonly tokens: IToken[];
  /** An unclosed regular expression and everything after it. */
  readonly unread: IToken | undefined;
  /** The offset of a character that is not a byte. */
  readonly nonByte: number | undefined;
}

/** Tokenizes an expression; `from` is the mode to start in, condition or string. */
export function tokenizeExpression(text: string, from: "condition" | "whole"): TokenizedExpression {
  lexer ??= createExpressionLexer();
  const { tokens, errors } = lexer.tokenize(text, from);
  const unread = tokens.at(-1)?.tokenType === OpenRegex ? tokens.pop() : undefined;
  return { tokens, unread, nonByte: errors[0]?.offset };
}

/**
 * httpd's `MAX_STRING_LEN` minus one: the scanner's limit for a regex and for constant text between two parts of a
 * string.
 */
export const STRING_LENGTH_LIMIT = 8_191;

const ESCAPE = /\\(?:([0-9]+)|([\s\S]))/g;
const OCTAL = /^[0-7]{1,3}$/;
const ESCAPE_LETTERS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/**
 * Resolves the escapes of constant text as httpd does: `
 * `, `\r`, `\t`, `\b`, `\f`, one to three octal digits up to `\377`, and any other character for itself
 * (server/util_expr_scan.l). The value ends at an escaped NUL.
 *
 * @returns the value, and an error if an escape is invalid or the text is too long.
 */
export function decodeText(
  raw: string,
  start: number,
): { value: string; error?: ExpressionSpan & { message: string } } {
  if (!raw.includes("\\")) return { value: raw, ...describeTooLongText(raw, raw, start) };
  let error: (ExpressionSpan & { message: string }) | undefined;
  const value = raw.replace(ESCAPE, (escaped, digits: string | undefined, character: string, at: number) => {
    if (digits === undefined) return ESCAPE_LETTERS[character] ?? character;
    const code = OCTAL.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
    if (code <= 0xff) return String.fromCharCode(code);
    const reason = Number.isNaN(code) ? "is not an octal escape of one to three digits" : "is greater than `\\377`";
    error ??= { message: `escape \`${escaped}\` ${reason}`, start: start + at, end: start + at + escaped.length };
    return "";
  });
  if (error) return { value, error };
  return { value: value.split("\0", 1)[0] ?? "", ...describeTooLongText(value, raw, start) };
}

function describeTooLongText(
  value: string,
  raw: string,
  start: number,
): { error?: ExpressionSpan & { message: string } } {
  if (value.length <= STRING_LENGTH_LIMIT) return {};
  const message = `string longer than ${STRING_LENGTH_LIMIT} bytes`;
  return { error: { message, start, end: start + raw.length } };
}
