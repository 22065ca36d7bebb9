import { EmbeddedActionsParser, type IToken } from "chevrotain";
import type {
  BackReference,
  Call,
  Condition,
  Digits,
  ExpressionSpan,
  IntegerComparison,
  ListCall,
  Name,
  RegexLiteral,
  StringComparison,
  StringPart,
  StringWord,
  TextPart,
  Variable,
  Word,
  WordList,
} from "./ast.js";
import {
  createErrorRecorder,
  describeUnexpectedToken,
  type ExpressionError,
  type SyntaxErrorRecorder,
} from "./errors.js";
import {
  BackReferenceToken,
  BinaryOperator,
  Colon,
  Comma,
  ComparisonOperator,
  Concat,
  ConstantToken,
  DigitsToken,
  DoubleQuote,
  decodeText,
  expressionTokens,
  In,
  LeftBrace,
  LeftParen,
  Logical,
  MatchOperator,
  NameToken,
  Not,
  PlainCall,
  PlainString,
  PlainVariable,
  QuoteEnd,
  RegexToken,
  RightBrace,
  RightParen,
  SingleQuote,
  STRING_LENGTH_LIMIT,
  TextToken,
  type TokenizedExpression,
  tokenizeExpression,
  UnaryOperator,
  VariableEnd,
  VariableStart,
} from "./tokens.js";
import {
  ConditionBuilder,
  createCall,
  endOf,
  nameOf,
  operatorOf,
  PLACEHOLDER_WORD,
  StringBuilder,
  spanOf,
  startOf,
  WordBuilder,
} from "./tree-builders.js";

const A_WORD = "a string in quotes, a number, `%{...}`, `$0` to `$9` or a function call";
const A_CONDITION = "a condition";

/**
 * The grammar of httpd's expressions (server/util_expr_parse.y of 2.4). Parentheses, `!`, calls and strings in strings
 * nest in loops with an explicit stack, so that no input overflows the JavaScript stack. No rule is recursive, so rule
 * arguments and alternatives are created once instead of per call, which took most of the time.
 */
export class ExpressionParser extends EmbeddedActionsParser {
  /** The first error that does not concern the order of tokens. */
  #fault: ExpressionError | undefined;
  readonly #report = (message: string, { start, end }: ExpressionSpan, isLimit?: true): void => {
    this.#fault ??= { message, start, end, ...(isLimit ? { isLimit } : {}) };
  };

  readonly #conditions = new ConditionBuilder(this.#report);
  readonly #words = new WordBuilder(this.#report);
  readonly #strings = new StringBuilder(this.#report);
  /** The word before the current operator. */
  #left: Word = PLACEHOLDER_WORD;
  #list: Word[] = [];

  /** @param skipValidations skips Chevrotain's grammar validation, which is slow; a test runs it. */
  constructor(
    private readonly refusals: SyntaxErrorRecorder = createErrorRecorder(),
    skipValidations = true,
  ) {
    super(expressionTokens, { skipValidations, maxLookahead: 1, errorMessageProvider: refusals.provider });
    this.performSelfAnalysis();
  }

  private readonly condition = this.RULE("condition", (): Condition => {
    this.#conditions.reset();
    this.AT_LEAST_ONE_SEP(this.#operands);
    if (this.#conditions.depth > 0) this.CONSUME2(RightParen);
    return this.#conditions.finish();
  });

  readonly #operands = {
    SEP: Logical,
    ERR_MSG: A_CONDITION,
    DEF: () => {
      const before = this.LA(0);
      if (before.tokenType === Logical) this.#conditions.join(before, logicalName(before));
      this.#conditions.operand(this.OR2(this.#operand));
      if (this.#conditions.depth > 0 || this.RECORDING_PHASE) this.MANY2(this.#closing);
    },
  };

  readonly #prefixes = [
    { ALT: () => this.#conditions.not(this.CONSUME(Not)) },
    { ALT: () => this.#conditions.open(this.CONSUME(LeftParen)) },
  ];
  readonly #prefix = () => this.OR(this.#prefixes);

  readonly #closing = {
    GATE: () => this.#conditions.depth > 0,
    DEF: () => this.#conditions.close(this.CONSUME(RightParen)),
  };

  readonly #tests = [
    { ALT: () => constant(this.CONSUME(ConstantToken)) },
    { ALT: () => unary(this.CONSUME(UnaryOperator), this.SUBRULE(this.word)) },
    {
      ALT: () => {
        this.#left = this.SUBRULE2(this.word);
        return this.OR3(this.#relations);
      },
    },
  ];

  private readonly test = this.RULE("test", (): Condition => this.OR({ ERR_MSG: A_CONDITION, DEF: this.#tests }));

  readonly #operand = {
    ERR_MSG: A_CONDITION,
    DEF: [
      ...this.#tests,
      {
        ALT: (): Condition => {
          this.AT_LEAST_ONE(this.#prefix);
          return this.SUBRULE(this.test);
        },
      },
    ],
  };

  readonly #relations = {
    ERR_MSG: "an operator behind the word: a word alone is no condition",
    DEF: [
      { ALT: () => comparison(this.#left, this.CONSUME(ComparisonOperator), this.SUBRULE3(this.word)) },
      { ALT: () => match(this.#left, this.CONSUME(MatchOperator), this.#regex(this.CONSUME(RegexToken))) },
      { ALT: () => membership(this.#left, this.CONSUME(In), this.SUBRULE(this.list)) },
      { ALT: () => binary(this.#left, this.CONSUME(BinaryOperator), this.SUBRULE4(this.word)) },
    ],
  };

  private readonly list = this.RULE("list", (): WordList | ListCall => this.OR(this.#lists));

  readonly #lists = {
    ERR_MSG: "a list in braces or a function",
    DEF: [
      {
        ALT: (): WordList => {
          const open = this.CONSUME(LeftBrace);
          this.#list = [];
          this.AT_LEAST_ONE_SEP(this.#items);
          const end = endOf(this.CONSUME(RightBrace));
          return { kind: "list", words: this.#list, start: startOf(open), end };
        },
      },
      {
        ALT: (): ListCall => {
          const name = this.CONSUME(NameToken);
          this.CONSUME(LeftParen);
          const argument = this.SUBRULE2(this.word);
          const end = endOf(this.CONSUME(RightParen));
          return { kind: "listCall", name: nameOf(name), argument, start: startOf(name), end };
        },
      },
    ],
  };

  readonly #items = { SEP: Comma, ERR_MSG: A_WORD, DEF: () => this.#list.push(this.SUBRULE(this.word)) };

  private readonly word = this.RULE("word", (): Word => {
    this.#words.reset();
    this.AT_LEAST_ONE_SEP(this.#joined);
    if (this.#words.depth > 0) this.CONSUME2(RightParen);
    return this.#words.finish();
  });

  readonly #joined = {
    SEP: Concat,
    ERR_MSG: A_WORD,
    DEF: () => {
      const before = this.LA(0);
      if (before.tokenType === Concat) this.#words.join(before);
      this.#words.operand(this.OR(this.#operandWord));
      if (this.#words.depth > 0 || this.RECORDING_PHASE) this.MANY2(this.#callEnd);
    },
  };

  readonly #callStart = () => {
    const name = this.CONSUME(NameToken);
    this.CONSUME(LeftParen);
    this.#words.open(name);
  };

  readonly #callEnd = {
    GATE: () => this.#words.depth > 0,
    DEF: () => this.#words.close(this.CONSUME(RightParen)),
  };

  readonly #simpleWords = [
    { ALT: (): Word => this.#plainString(this.CONSUME(PlainString)) },
    { ALT: (): Word => variable(this.CONSUME(PlainVariable)) },
    { ALT: (): Word => this.#plainCall(this.CONSUME(PlainCall)) },
    { ALT: (): Word => digits(this.CONSUME(DigitsToken)) },
    { ALT: (): Word => backReference(this.CONSUME(BackReferenceToken)) },
    { ALT: (): Word => this.SUBRULE(this.quoted) },
    { ALT: (): Word => this.SUBRULE(this.nestedCall) },
  ];

  private readonly simpleWord = this.RULE(
    "simpleWord",
    (): Word => this.OR({ ERR_MSG: A_WORD, DEF: this.#simpleWords }),
  );

  readonly #operandWord = {
    ERR_MSG: A_WORD,
    DEF: [
      ...this.#simpleWords,
      {
        ALT: (): Word => {
          this.AT_LEAST_ONE(this.#callStart);
          return this.SUBRULE(this.simpleWord);
        },
      },
    ],
  };

  /** A string other than plain text. */
  private readonly quoted = this.RULE("quoted", (): StringWord => {
    const open = this.OR(this.#quotes);
    const parts = this.SUBRULE(this.parts);
    const end = endOf(this.CONSUME(QuoteEnd));
    return { kind: "string", quote: open.tokenType === DoubleQuote ? '"' : "'", parts, start: startOf(open), end };
  });

  readonly #quotes = [{ ALT: () => this.CONSUME(DoubleQuote) }, { ALT: () => this.CONSUME(SingleQuote) }];

  /** `%{name:…}` outside a string, with an argument other than plain text. */
  private readonly nestedCall = this.RULE("nestedCall", (): Word => {
    this.#strings.reset();
    const opening = this.CONSUME2(VariableStart);
    const name = this.CONSUME2(NameToken);
    this.#strings.open(opening, name, this.CONSUME2(Colon));
    this.MANY(this.#inCall);
    if (this.#strings.depth > 0) this.CONSUME2(VariableEnd);
    const [part] = this.#strings.finish();
    return part && part.kind !== "text" ? part : PLACEHOLDER_WORD;
  });

  readonly #inCall = { GATE: () => this.#strings.depth > 0, DEF: () => this.OR(this.#parts) };

  private readonly parts = this.RULE("parts", (): StringPart[] => {
    this.#strings.reset();
    this.MANY(() => this.OR(this.#parts));
    if (this.#strings.depth > 0) this.CONSUME2(VariableEnd);
    return this.#strings.finish();
  });

  /** A part of a string, or the start or end of a call in it. */
  readonly #parts = [
    { ALT: () => this.#strings.part(this.#text(this.CONSUME(TextToken), 0, 0)) },
    { ALT: () => this.#strings.part(backReference(this.CONSUME(BackReferenceToken))) },
    { ALT: () => this.#strings.part(variable(this.CONSUME(PlainVariable))) },
    { ALT: () => this.#strings.part(this.#plainCall(this.CONSUME(PlainCall))) },
    {
      ALT: () => {
        const opening = this.CONSUME(VariableStart);
        const name = this.CONSUME(NameToken);
        this.#strings.open(opening, name, this.CONSUME(Colon));
      },
    },
    { ALT: () => this.#strings.close(this.CONSUME(VariableEnd)) },
  ];

  readCondition(text: string): ParseResult<Condition> {
    const tokens = this.#start(text, "condition");
    return this.#finish(this.condition(), tokens, text);
  }

  readString(text: string): ParseResult<StringPart[]> {
    const tokens = this.#start(text, "whole");
    return this.#finish(this.parts(), tokens, text);
  }

  #start(text: string, from: "condition" | "whole"): TokenizedExpression {
    const tokens = tokenizeExpression(text, from);
    this.#fault = undefined;
    this.refusals.first = undefined;
    this.input = tokens.tokens;
    return tokens;
  }

  #finish<Tree>(tree: Tree, tokens: TokenizedExpression, text: string): ParseResult<Tree> {
    const error = this.#firstError(tokens, text);
    if (error) return { error };
    const { unread } = tokens;
    return unread ? { tree, unread: { start: unread.startOffset, end: text.length } } : { tree };
  }

  /** Returns the first error in the text. Invalid tokens and syntax errors are collected separately. */
  #firstError(tokens: TokenizedExpression, text: string): ExpressionError | undefined {
    const { wide, unread } = tokens;
    if (wide !== undefined) return { message: "a character that is no byte", start: wide, end: wide + 1 };
    if (unread) this.#checkRegex(unread, unread.image.length - (unread.image.startsWith("m") ? 2 : 1));
    const refusal = this.refusals.first;
    const fault = this.#fault;
    if (!refusal) return fault;
    const error = describeUnexpectedToken(refusal, tokens, text.length);
    return fault && fault.start <= error.start ? fault : error;
  }

  /** Returns the text of a token without `before` bytes at its start and `after` bytes at its end. */
  #text(token: IToken, before: number, after: number): TextPart {
    const { image, startOffset } = token;
    const raw = before + after === 0 ? image : image.slice(before, image.length - after);
    const start = startOffset + before;
    const { value, error } = decodeText(raw, start);
    if (error) this.#report(error.message, error);
    return { kind: "text", value, start, end: start + raw.length };
  }

  #plainString(token: IToken): StringWord {
    const { image, startOffset: start } = token;
    const parts = image.length === 2 ? [] : [this.#text(token, 1, 1)];
    return { kind: "string", quote: image.startsWith('"') ? '"' : "'", parts, start, end: start + image.length };
  }

  #plainCall(token: IToken): Call {
    const { image, startOffset: start } = token;
    const colon = image.indexOf(":");
    const text = this.#text(token, colon + 1, 1);
    const name: Name = { text: image.slice(2, colon), start: start + 2, end: start + colon };
    const argument: StringWord = { kind: "string", quote: "", parts: [text], start: text.start, end: text.end };
    return createCall("braces", start, name, argument, text.end + 1);
  }

  #checkRegex(token: IToken, length: number): void {
    if (length > STRING_LENGTH_LIMIT)
      this.#report(`regular expression longer than ${STRING_LENGTH_LIMIT} bytes`, spanOf(token));
  }

  #regex(token: IToken): RegexLiteral {
    const { image } = token;
    const from = image.startsWith("m") ? 2 : 1;
    const delimiter = image.charAt(from - 1);
    const end = image.lastIndexOf(delimiter);
    const pattern = image.slice(from, end);
    this.#checkRegex(token, pattern.length);
    return {
      kind: "regex",
      pattern,
      delimiter,
      ignoreCase: end < image.length - 1,
      start: startOf(token),
      end: endOf(token),
    };
  }
}

const COMPARISONS: Readonly<Record<string, StringComparison>> = {
  "=": "==",
  "==": "==",
  "!=": "!=",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};

const INTEGER_COMPARISONS: Readonly<Record<string, IntegerComparison>> = {
  eq: "-eq",
  ne: "-ne",
  lt: "-lt",
  le: "-le",
  gt: "-gt",
  ge: "-ge",
};

function comparisonName(spelling: string): StringComparison | IntegerComparison {
  return COMPARISONS[spelling] ?? INTEGER_COMPARISONS[spelling.slice(-2)] ?? "==";
}

function logicalName(token: IToken): "&&" | "||" {
  return token.image === "&&" || token.image === "and" ? "&&" : "||";
}

function constant(token: IToken): Condition {
  return { kind: "constant", value: token.image === "true", start: startOf(token), end: endOf(token) };
}

function digits(token: IToken): Digits {
  return { kind: "digits", value: token.image, start: startOf(token), end: endOf(token) };
}

function backReference(token: IToken): BackReference {
  return { kind: "backreference", number: Number(token.image.slice(1)), start: startOf(token), end: endOf(token) };
}

function variable(token: IToken): Variable {
  const { image, startOffset: start } = token;
  const end = start + image.length;
  return { kind: "variable", name: { text: image.slice(2, -1), start: start + 2, end: end - 1 }, start, end };
}

function unary(token: IToken, operand: Word): Condition {
  const operator = operatorOf(token, token.image);
  return { kind: "unary", operator, operand, start: operator.start, end: operand.end };
}

function comparison(left: Word, token: IToken, right: Word): Condition {
  const operator = operatorOf(token, comparisonName(token.image));
  return { kind: "comparison", operator, left, right, start: left.start, end: right.end };
}

function match(left: Word, token: IToken, regex: RegexLiteral): Condition {
  const operator = operatorOf(token, token.image === "=~" ? "=~" : "!~");
  return { kind: "match", operator, left, regex, start: left.start, end: regex.end };
}

function membership(left: Word, token: IToken, list: WordList | ListCall): Condition {
  return { kind: "membership", operator: operatorOf(token, "-in"), left, list, start: left.start, end: list.end };
}

function binary(left: Word, token: IToken, right: Word): Condition {
  const operator = operatorOf(token, token.image);
  return { kind: "binary", operator, left, right, start: left.start, end: right.end };
}

/** A tree, with the trailing text that httpd ignores, or an error. */
export type ParseResult<Tree> =
  | { readonly tree: Tree; readonly unread?: ExpressionSpan }
  | { readonly error: ExpressionError };

let parser: ExpressionParser | undefined;

/** Parses a text as a condition. Creates the parser on first use. */
export function parseConditionText(text: string): ParseResult<Condition> {
  parser ??= new ExpressionParser();
  return parser.readCondition(text);
}

/** Parses a text as the contents of a string. */
export function parseStringText(text: string): ParseResult<StringPart[]> {
  parser ??= new ExpressionParser();
  return parser.readString(text);
}
