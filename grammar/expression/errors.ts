import { EOF, type IParserErrorMessageProvider, type IToken } from "chevrotain";
import type { ExpressionSpan } from "./ast.js";
import {
  DoubleQuote,
  LeftBrace,
  LeftParen,
  NameToken,
  QuoteEnd,
  RightBrace,
  RightParen,
  SingleQuote,
  StrayByte,
  StrayInArgument,
  StrayInName,
  StrayInString,
  type TokenizedExpression,
  VariableEnd,
  VariableStart,
} from "./tokens.js";

/** A one-line error in an expression, with its location. */
export interface ExpressionError extends ExpressionSpan {
  readonly message: string;
  /** Set if no error is known, but the expression exceeds the parser's nesting limit. */
  readonly isLimit?: true;
}

/** A token that the parser rejected, the expected alternative, and the preceding token. */
export interface UnexpectedToken {
  readonly token: IToken;
  readonly expected: string;
  readonly previous: IToken | undefined;
}

/** Collected parser errors; only the first counts. */
export interface SyntaxErrorRecorder {
  first: UnexpectedToken | undefined;
  readonly provider: IParserErrorMessageProvider;
}

/**
 * Records Chevrotain's errors when it builds their messages. Reading its `errors` property copies them each time, which
 * is slow for short expressions.
 */
export function createErrorRecorder(): SyntaxErrorRecorder {
  const record = (token: IToken | undefined, expected: string, previous?: IToken): string => {
    if (token) refusals.first ??= { token, expected, previous };
    return expected;
  };
  const refusals: SyntaxErrorRecorder = {
    first: undefined,
    provider: {
      buildMismatchTokenMessage: ({ expected, actual, previous }) =>
        record(actual, expected.LABEL ?? expected.name, previous),
      buildNotAllInputParsedMessage: ({ firstRedundant }) =>
        record(firstRedundant, "`&&`, `||` or the end of the expression"),
      buildNoViableAltMessage: ({ actual, customUserDescription }) =>
        record(actual[0], customUserDescription ?? "something else"),
      buildEarlyExitMessage: ({ actual, customUserDescription }) =>
        record(actual[0], customUserDescription ?? "something else"),
    },
  };
  return refusals;
}

/** Formats user text for a message: in backticks, on one line, shortened. */
function quoteName(text: string): string {
  const clipped = text.length > 40 ? `${text.slice(0, 37)}...` : text;
  const escaped = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return `\`${clipped.replace(/[^ -~]/g, escaped)}\``;
}

/** Describes a syntax error for the author of the expression, which is `length` bytes long. */
export function describeUnexpectedToken(
  refusal: UnexpectedToken,
  { tokens, unread }: TokenizedExpression,
  length: number,
): ExpressionError {
  const { token, expected, previous } = refusal;
  if (token.tokenType === EOF && unread) return describeUnread(unread, length);
  if (token.tokenType === EOF) return describeEnd(expected, tokens, length);
  const found = quoteName(token.image);
  const span = { start: token.startOffset, end: token.startOffset + token.image.length };
  switch (token.tokenType) {
    case StrayByte:
      return { ...span, message: `unexpected character ${found}` };
    case StrayInName:
      return { ...span, message: `${found} is not allowed in the name of a variable or function` };
    case StrayInString:
    case StrayInArgument:
      return { ...span, message: describeStrayText(token) };
  }
  if (isBareWord(previous, expected)) return describeBareWord(previous);
  return { ...span, message: `expected ${expected}, found ${found}` };
}

/** Reports whether a token is a bare name, which is only valid as the start of a call. */
function isBareWord(token: IToken | undefined, expected: string): token is IToken {
  return token?.tokenType === NameToken && expected === LeftParen.LABEL;
}

function describeBareWord({ image, startOffset: start }: IToken): ExpressionError {
  const message = `bare word ${quoteName(image)}; put it in quotes, or add \`(\` after a function`;
  return { message, start, end: start + image.length };
}

function describeUnread({ image, startOffset: start }: IToken, length: number): ExpressionError {
  const delimiter = quoteName(image.charAt(image.startsWith("m") ? 1 : 0));
  return { message: `regular expression without a closing ${delimiter}`, start, end: length };
}

function describeStrayText(token: IToken): string {
  if (token.image === "\n") return "line break in a string or in the argument of a function";
  if (token.image === "\\") return "a single backslash ends the string";
  return `a bare quote is not allowed in the argument of \`%{name:argument}\`; write ${quoteName(`\\${token.image}`)}`;
}

function describeEnd(expected: string, tokens: readonly IToken[], length: number): ExpressionError {
  const open = findUnclosed(tokens);
  const last = tokens.at(-1);
  if (isBareWord(last, expected)) return describeBareWord(last);
  if (open) return { start: open.startOffset, end: length, message: `${quoteName(open.image)} is never closed` };
  return { start: length, end: length, message: `expected ${expected}, but the expression ends` };
}

/** Returns the innermost opening token without a closing one. */
function findUnclosed(tokens: readonly IToken[]): IToken | undefined {
  const open: IToken[] = [];
  for (const token of tokens) {
    switch (token.tokenType) {
      case DoubleQuote:
      case SingleQuote:
      case VariableStart:
      case LeftParen:
      case LeftBrace:
        open.push(token);
        break;
      case QuoteEnd:
      case VariableEnd:
      case RightParen:
      case RightBrace:
        open.pop();
    }
  }
  return open.at(-1);
}
