import type { IToken } from "chevrotain";
import type { Result } from "../../src/text/result.js";
import type { Condition, ExpressionSpan, ListCall, RegexLiteral, StringPart, Word, WordList } from "./ast.js";
import {
  createErrorRecorder,
  describeUnexpectedToken,
  type ExpressionError,
  type SyntaxErrorRecorder,
} from "./errors.js";
import {
  createBinaryTest,
  createComparison,
  createConstant,
  createMatch,
  createMembership,
  createUnaryTest,
  logicalName,
} from "./nodes.js";
import {
  BinaryOperator,
  Comma,
  ComparisonOperator,
  ConstantToken,
  In,
  LeftBrace,
  LeftParen,
  Logical,
  MatchOperator,
  NameToken,
  Not,
  RegexToken,
  RightBrace,
  RightParen,
  STRING_LENGTH_LIMIT,
  type TokenizedExpression,
  tokenizeExpression,
  UnaryOperator,
} from "./tokens.js";
import { ConditionBuilder, endOf, nameOf, PLACEHOLDER_WORD, spanOf, startOf } from "./tree-builders.js";
import { WORD_EXPECTED, WordParser } from "./word-parser.js";

const A_CONDITION = "a condition";

/**
 * The grammar of httpd's expressions (server/util_expr_parse.y of 2.4). Parentheses, `!`, calls and strings in strings
 * nest in loops with an explicit stack, so that no input overflows the JavaScript stack. No rule is recursive, so rule
 * arguments and alternatives are created once instead of per call, which took most of the time.
 */
export class ExpressionParser extends WordParser {
  readonly #conditions = new ConditionBuilder(this.report);
  /** The word before the current operator. */
  #left: Word = PLACEHOLDER_WORD;
  #list: Word[] = [];

  /** @param skipValidations skips Chevrotain's grammar validation, which is slow; a test runs it. */
  constructor(refusals: SyntaxErrorRecorder = createErrorRecorder(), skipValidations = true) {
    super(refusals, skipValidations);
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
    { ALT: () => createConstant(this.CONSUME(ConstantToken)) },
    { ALT: () => createUnaryTest(this.CONSUME(UnaryOperator), this.SUBRULE(this.word)) },
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
    ERR_MSG: "an operator after the word, because a single word is not a condition",
    DEF: [
      { ALT: () => createComparison(this.#left, this.CONSUME(ComparisonOperator), this.SUBRULE3(this.word)) },
      { ALT: () => createMatch(this.#left, this.CONSUME(MatchOperator), this.#regex(this.CONSUME(RegexToken))) },
      { ALT: () => createMembership(this.#left, this.CONSUME(In), this.SUBRULE(this.list)) },
      { ALT: () => createBinaryTest(this.#left, this.CONSUME(BinaryOperator), this.SUBRULE4(this.word)) },
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

  readonly #items = { SEP: Comma, ERR_MSG: WORD_EXPECTED, DEF: () => this.#list.push(this.SUBRULE(this.word)) };

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
    this.fault = undefined;
    this.refusals.first = undefined;
    this.input = tokens.tokens;
    return tokens;
  }

  #finish<Tree>(tree: Tree, tokens: TokenizedExpression, text: string): ParseResult<Tree> {
    const error = this.#firstError(tokens, text);
    if (error) return { ok: false, error };
    const { unread } = tokens;
    return {
      ok: true,
      value: unread ? { tree, unread: { start: unread.startOffset, end: text.length } } : { tree },
    };
  }

  /** Returns the first error in the text. Invalid tokens and syntax errors are collected separately. */
  #firstError(tokens: TokenizedExpression, text: string): ExpressionError | undefined {
    const { nonByte, unread } = tokens;
    if (nonByte !== undefined) return { message: "a character that is not a byte", start: nonByte, end: nonByte + 1 };
    if (unread) this.#checkRegex(unread, unread.image.length - (unread.image.startsWith("m") ? 2 : 1));
    const refusal = this.refusals.first;
    const fault = this.fault;
    if (!refusal) return fault;
    const error = describeUnexpectedToken(refusal, tokens, text.length);
    return fault && fault.start <= error.start ? fault : error;
  }

  #checkRegex(token: IToken, length: number): void {
    if (length > STRING_LENGTH_LIMIT)
      this.report(`regular expression longer than ${STRING_LENGTH_LIMIT} bytes`, spanOf(token));
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

/** A tree, with the trailing text that httpd ignores, or an error. */
export type ParseResult<Tree> = Result<{ readonly tree: Tree; readonly unread?: ExpressionSpan }, ExpressionError>;

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
