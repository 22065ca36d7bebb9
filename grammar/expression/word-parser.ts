import { EmbeddedActionsParser, type IToken } from "chevrotain";
import type { Call, ExpressionSpan, Name, StringPart, StringWord, TextPart, Word } from "./ast.js";
import type { ExpressionError, SyntaxErrorRecorder } from "./errors.js";
import { createBackReference, createDigits, createVariable } from "./nodes.js";
import {
  BackReferenceToken,
  Colon,
  Concat,
  DigitsToken,
  DoubleQuote,
  decodeText,
  expressionTokens,
  LeftParen,
  NameToken,
  PlainCall,
  PlainString,
  PlainVariable,
  QuoteEnd,
  RightParen,
  SingleQuote,
  TextToken,
  VariableEnd,
  VariableStart,
} from "./tokens.js";
import { createCall, endOf, PLACEHOLDER_WORD, StringBuilder, startOf, WordBuilder } from "./tree-builders.js";

export const WORD_EXPECTED = "a string in quotes, a number, `%{...}`, `$0` to `$9` or a function call";

/**
 * The rules for words and strings in httpd's expressions. Calls and strings in strings nest in loops with an explicit
 * stack, so that no input overflows the JavaScript stack. A subclass calls `performSelfAnalysis`.
 */
export abstract class WordParser extends EmbeddedActionsParser {
  /** The first error that does not concern the order of tokens. */
  protected fault: ExpressionError | undefined;
  protected readonly report = (message: string, { start, end }: ExpressionSpan, isLimit?: true): void => {
    this.fault ??= { message, start, end, ...(isLimit ? { isLimit } : {}) };
  };

  readonly #words = new WordBuilder(this.report);
  readonly #strings = new StringBuilder(this.report);

  constructor(
    protected readonly refusals: SyntaxErrorRecorder,
    skipValidations: boolean,
  ) {
    super(expressionTokens, { skipValidations, maxLookahead: 1, errorMessageProvider: refusals.provider });
  }

  protected readonly word = this.RULE("word", (): Word => {
    this.#words.reset();
    this.AT_LEAST_ONE_SEP(this.#joined);
    if (this.#words.depth > 0) this.CONSUME2(RightParen);
    return this.#words.finish();
  });

  readonly #joined = {
    SEP: Concat,
    ERR_MSG: WORD_EXPECTED,
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
    { ALT: (): Word => createVariable(this.CONSUME(PlainVariable)) },
    { ALT: (): Word => this.#plainCall(this.CONSUME(PlainCall)) },
    { ALT: (): Word => createDigits(this.CONSUME(DigitsToken)) },
    { ALT: (): Word => createBackReference(this.CONSUME(BackReferenceToken)) },
    { ALT: (): Word => this.SUBRULE(this.quoted) },
    { ALT: (): Word => this.SUBRULE(this.nestedCall) },
  ];

  private readonly simpleWord = this.RULE(
    "simpleWord",
    (): Word => this.OR({ ERR_MSG: WORD_EXPECTED, DEF: this.#simpleWords }),
  );

  readonly #operandWord = {
    ERR_MSG: WORD_EXPECTED,
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

  protected readonly parts = this.RULE("parts", (): StringPart[] => {
    this.#strings.reset();
    this.MANY(() => this.OR(this.#parts));
    if (this.#strings.depth > 0) this.CONSUME2(VariableEnd);
    return this.#strings.finish();
  });

  /** A part of a string, or the start or end of a call in it. */
  readonly #parts = [
    { ALT: () => this.#strings.part(this.#text(this.CONSUME(TextToken), 0, 0)) },
    { ALT: () => this.#strings.part(createBackReference(this.CONSUME(BackReferenceToken))) },
    { ALT: () => this.#strings.part(createVariable(this.CONSUME(PlainVariable))) },
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

  /** Returns the text of a token without `before` bytes at its start and `after` bytes at its end. */
  #text(token: IToken, before: number, after: number): TextPart {
    const { image, startOffset } = token;
    const raw = before + after === 0 ? image : image.slice(before, image.length - after);
    const start = startOffset + before;
    const { value, error } = decodeText(raw, start);
    if (error) this.report(error.message, error);
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
}
