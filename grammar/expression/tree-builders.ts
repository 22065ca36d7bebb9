import type { IToken } from "chevrotain";
import type {
  Call,
  Condition,
  ExpressionSpan,
  Junction,
  Name,
  Negation,
  Operator,
  StringPart,
  StringWord,
  Word,
} from "./ast.js";

/**
 * Maximum nesting of parentheses, `!` and function calls, because tree consumers recurse. httpd's parser accepts nearly
 * 10,000 (its stack limit), but stops evaluating a condition 20 levels deep.
 */
export const NESTING_LIMIT = 256;

/** Maximum length of a chain of `&&`, `||` or `.`: httpd's parser keeps two symbols for each on its stack of 10,000. */
const CHAIN_LIMIT = 4_990;

/** Reports the first error that does not concern the order of tokens. */
type ErrorReporter = (message: string, span: ExpressionSpan, isLimit?: true) => void;

export function startOf(token: IToken): number {
  return token.startOffset;
}

export function endOf(token: IToken): number {
  return token.startOffset + token.image.length;
}

export function spanOf(token: IToken): ExpressionSpan {
  return { start: startOf(token), end: endOf(token) };
}

export function nameOf(token: IToken): Name {
  return { text: token.image, start: startOf(token), end: endOf(token) };
}

export function operatorOf<Of extends string>(token: IToken, name: Of): Operator<Of> {
  return { name, text: token.image, start: startOf(token), end: endOf(token) };
}

/**
 * An explicit stack for nested constructs. The rules of a Chevrotain parser recurse on the JavaScript stack and would
 * overflow. One instance serves all expressions, to reduce garbage.
 */
abstract class TreeBuilder<Frame> {
  protected outer: Frame[] = [];
  protected frame: Frame;

  constructor(protected readonly report: ErrorReporter) {
    this.frame = this.outermost();
  }

  /** Number of open frames around the innermost one. */
  get depth(): number {
    return this.outer.length;
  }

  reset(): void {
    if (this.outer.length > 0) this.outer = [];
    this.frame = this.outermost();
  }

  protected abstract outermost(): Frame;

  protected enter(frame: Frame): void {
    this.outer.push(this.frame);
    this.frame = frame;
  }

  protected leave(): void {
    this.frame = this.outer.pop() ?? this.outermost();
  }

  protected checkDepth(depth: number, start: number, end: number): void {
    if (depth > NESTING_LIMIT) this.report(`nested more than ${NESTING_LIMIT} levels deep`, { start, end }, true);
  }

  protected checkChain(length: number, token: IToken): void {
    if (length === CHAIN_LIMIT + 1) this.report(`more than ${CHAIN_LIMIT} operators in one chain`, spanOf(token));
  }
}

interface ConditionFrame {
  readonly open: IToken | undefined;
  /** `!` tokens before the next operand. */
  negations: IToken[] | undefined;
  /** The current chain of `&&` and the chain of `||` around it, each without its last operand. */
  ands: Condition[] | undefined;
  andOperators: Operator<"&&">[] | undefined;
  ors: Condition[] | undefined;
  orOperators: Operator<"||">[] | undefined;
  last: Condition;
}

/** Placeholder while Chevrotain records the grammar, which runs the rules without input. */
const PLACEHOLDER_CONDITION: Condition = { kind: "constant", value: true, start: 0, end: 0 };

/** Builds the tree of a condition from its operands and operators. `!` binds tightest, then `&&`, then `||`. */
export class ConditionBuilder extends TreeBuilder<ConditionFrame> {
  #levels = 0;
  #pending = 0;

  override reset(): void {
    super.reset();
    this.#levels = 0;
    this.#pending = 0;
  }

  not(token: IToken): void {
    this.checkDepth(++this.#levels, startOf(token), endOf(token));
    this.frame.negations = append(this.frame.negations, token);
  }

  open(token: IToken): void {
    this.checkDepth(++this.#levels, startOf(token), endOf(token));
    this.enter(conditionFrame(token));
  }

  operand(condition: Condition): void {
    this.frame.last = this.frame.negations ? this.#negate(this.frame.negations, condition) : condition;
  }

  join(token: IToken, name: "&&" | "||"): void {
    this.checkChain(++this.#pending, token);
    const { frame } = this;
    if (name === "&&") {
      frame.ands = append(frame.ands, frame.last);
      frame.andOperators = append(frame.andOperators, operatorOf(token, name));
    } else {
      frame.ors = append(frame.ors, this.#takeAnds());
      frame.orOperators = append(frame.orOperators, operatorOf(token, name));
    }
  }

  close(token: IToken): void {
    const condition = this.finish();
    const start = this.frame.open?.startOffset ?? condition.start;
    this.#levels--;
    this.leave();
    this.operand({ ...condition, start, end: endOf(token) });
  }

  /** Returns the condition of the innermost frame. */
  finish(): Condition {
    const last = this.#takeAnds();
    const { ors, orOperators } = this.frame;
    if (!ors || !orOperators) return last;
    this.#pending -= orOperators.length;
    ors.push(last);
    return junction("or", ors, orOperators, last);
  }

  protected override outermost(): ConditionFrame {
    return conditionFrame(undefined);
  }

  #takeAnds(): Condition {
    const { ands, andOperators, last } = this.frame;
    if (!ands || !andOperators) return last;
    this.#pending -= andOperators.length;
    this.frame.ands = undefined;
    this.frame.andOperators = undefined;
    ands.push(last);
    return junction("and", ands, andOperators, last);
  }

  #negate(negations: readonly IToken[], condition: Condition): Condition {
    this.#levels -= negations.length;
    this.frame.negations = undefined;
    return negations.reduceRight<Condition>(negation, condition);
  }
}

function conditionFrame(open: IToken | undefined): ConditionFrame {
  return {
    open,
    negations: undefined,
    ands: undefined,
    andOperators: undefined,
    ors: undefined,
    orOperators: undefined,
    last: PLACEHOLDER_CONDITION,
  };
}

function append<Item>(items: Item[] | undefined, item: Item): Item[] {
  if (!items) return [item];
  items.push(item);
  return items;
}

function negation(operand: Condition, token: IToken): Negation {
  return { kind: "not", operator: operatorOf(token, "!"), operand, start: startOf(token), end: operand.end };
}

function junction(
  kind: "and" | "or",
  operands: Condition[],
  operators: Junction["operators"],
  last: Condition,
): Junction {
  return { kind, operands, operators, start: operands[0]?.start ?? last.start, end: last.end };
}

interface WordFrame {
  readonly name: IToken | undefined;
  /** Operands joined by `.`, without the last one. */
  words: Word[] | undefined;
  last: Word;
}

/** The last word of a frame before its first operand is parsed. */
export const PLACEHOLDER_WORD: Word = { kind: "digits", value: "", start: 0, end: 0 };

/** Builds a word from its operands, joined by `.` and nested in calls `name(…)`. */
export class WordBuilder extends TreeBuilder<WordFrame> {
  open(name: IToken): void {
    this.checkDepth(this.depth + 1, startOf(name), endOf(name));
    this.enter({ name, words: undefined, last: PLACEHOLDER_WORD });
  }

  operand(word: Word): void {
    this.frame.last = word;
  }

  join(token: IToken): void {
    this.frame.words = append(this.frame.words, this.frame.last);
    this.checkChain(this.frame.words.length, token);
  }

  close(token: IToken): void {
    const argument = this.finish();
    const { name } = this.frame;
    this.leave();
    if (name) this.operand(createCall("parentheses", startOf(name), nameOf(name), argument, endOf(token)));
  }

  /** Returns the word of the innermost frame. */
  finish(): Word {
    const { words, last } = this.frame;
    if (!words) return last;
    words.push(last);
    return { kind: "concatenation", parts: words, start: words[0]?.start ?? last.start, end: last.end };
  }

  protected override outermost(): WordFrame {
    return { name: undefined, words: undefined, last: PLACEHOLDER_WORD };
  }
}

/** Creates the node of a function call in a word or a string. */
export function createCall(style: Call["style"], start: number, name: Name, argument: Word, end: number): Call {
  return { kind: "call", style, name, argument, start, end };
}

interface StringFrame {
  readonly opening: IToken | undefined;
  readonly name: IToken | undefined;
  readonly parts: StringPart[];
  readonly start: number;
}

/** Builds the parts of a string, including nested calls `%{name:…}`. */
export class StringBuilder extends TreeBuilder<StringFrame> {
  part(part: StringPart): void {
    if (part.kind === "call") this.checkDepth(this.depth + 1, part.start, part.end);
    this.frame.parts.push(part);
  }

  open(opening: IToken, name: IToken, colon: IToken): void {
    this.checkDepth(this.depth + 1, startOf(name), endOf(name));
    this.enter({ opening, name, parts: [], start: endOf(colon) });
  }

  close(token: IToken): void {
    const { opening, name, parts, start } = this.frame;
    this.leave();
    if (!opening || !name) return;
    if (parts.length === 0) this.report(`function \`${name.image}\` needs an argument after the colon`, spanOf(token));
    const argument: StringWord = { kind: "string", quote: "", parts, start, end: startOf(token) };
    this.part(createCall("braces", startOf(opening), nameOf(name), argument, endOf(token)));
  }

  finish(): StringPart[] {
    return this.frame.parts;
  }

  protected override outermost(): StringFrame {
    return { opening: undefined, name: undefined, parts: [], start: 0 };
  }
}
