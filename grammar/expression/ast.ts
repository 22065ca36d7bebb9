/** A range in the expression's text, in bytes; `end` is exclusive. */
export interface ExpressionSpan {
  readonly start: number;
  readonly end: number;
}

/** A variable or function name as written. httpd compares both case-insensitively. */
export interface Name extends ExpressionSpan {
  readonly text: string;
}

/**
 * An operator: its canonical name, whatever the spelling (`eq` and `-eq` are `-eq`, `=` is `==`), and its text as
 * written.
 */
export interface Operator<Of extends string = string> extends ExpressionSpan {
  readonly name: Of;
  readonly text: string;
}

export type StringComparison = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type IntegerComparison = "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge";

/** `true` or `false`. */
export interface Constant extends ExpressionSpan {
  readonly kind: "constant";
  readonly value: boolean;
}

export interface Negation extends ExpressionSpan {
  readonly kind: "not";
  readonly operator: Operator<"!">;
  readonly operand: Condition;
}

/** A chain of one operator: `a && b && c` has three operands. Parentheses start a new chain. */
export interface Junction extends ExpressionSpan {
  readonly kind: "and" | "or";
  readonly operators: readonly Operator<"&&" | "||">[];
  readonly operands: readonly Condition[];
}

export interface Comparison extends ExpressionSpan {
  readonly kind: "comparison";
  readonly operator: Operator<StringComparison | IntegerComparison>;
  readonly left: Word;
  readonly right: Word;
}

/** `word =~ /regex/` or `word !~ /regex/`. */
export interface Match extends ExpressionSpan {
  readonly kind: "match";
  readonly operator: Operator<"=~" | "!~">;
  readonly left: Word;
  readonly regex: RegexLiteral;
}

/** `word -in { 'a', 'b' }` or `word -in PeerExtList('…')`. */
export interface Membership extends ExpressionSpan {
  readonly kind: "membership";
  readonly operator: Operator<"-in">;
  readonly left: Word;
  readonly list: WordList | ListCall;
}

/** A unary test such as `-n word`: one letter. The name includes its dash. */
export interface UnaryTest extends ExpressionSpan {
  readonly kind: "unary";
  readonly operator: Operator;
  readonly operand: Word;
}

/** A binary test such as `word -ipmatch word`: two letters or more. The name includes its dash. */
export interface BinaryTest extends ExpressionSpan {
  readonly kind: "binary";
  readonly operator: Operator;
  readonly left: Word;
  readonly right: Word;
}

/** A boolean expression. The span of a condition in parentheses includes them. */
export type Condition = Constant | Negation | Junction | Comparison | Match | Membership | UnaryTest | BinaryTest;

/** `/…/` or `m#…#`, optionally followed by `i`. The pattern is as written: httpd does not process escapes in it. */
export interface RegexLiteral extends ExpressionSpan {
  readonly kind: "regex";
  readonly pattern: string;
  readonly delimiter: string;
  readonly ignoreCase: boolean;
}

export interface WordList extends ExpressionSpan {
  readonly kind: "list";
  readonly words: readonly Word[];
}

/** A call of a list function, after `-in`. */
export interface ListCall extends ExpressionSpan {
  readonly kind: "listCall";
  readonly name: Name;
  readonly argument: Word;
}

/** A number outside quotes: its digits, with a leading minus if written. */
export interface Digits extends ExpressionSpan {
  readonly kind: "digits";
  readonly value: string;
}

/** Constant text in a string, with escapes resolved. As in httpd, it ends at an escaped NUL. */
export interface TextPart extends ExpressionSpan {
  readonly kind: "text";
  readonly value: string;
}

/** `$0` to `$9`. */
export interface BackReference extends ExpressionSpan {
  readonly kind: "backreference";
  readonly number: number;
}

/** `%{NAME}`. */
export interface Variable extends ExpressionSpan {
  readonly kind: "variable";
  readonly name: Name;
}

/** `%{name:argument}` in braces, with a string argument, or `name(argument)` in parentheses. */
export interface Call extends ExpressionSpan {
  readonly kind: "call";
  readonly style: "braces" | "parentheses";
  readonly name: Name;
  readonly argument: Word;
}

/** A string with or without quotes: also the argument in `%{name:argument}`, and the whole of a string expression. */
export interface StringWord extends ExpressionSpan {
  readonly kind: "string";
  readonly quote: '"' | "'" | "";
  readonly parts: readonly StringPart[];
}

export type StringPart = TextPart | BackReference | Variable | Call;

/** Words joined by `.`. */
export interface Concatenation extends ExpressionSpan {
  readonly kind: "concatenation";
  readonly parts: readonly Word[];
}

/** An expression that evaluates to a string. */
export type Word = Digits | BackReference | Variable | Call | StringWord | Concatenation;

/** A whole expression: a condition, or a string for the string flavour. */
export type Expression = Condition | StringWord;

export type ExpressionNode = Condition | Word | StringPart | WordList | ListCall | RegexLiteral;

const NO_NODES: readonly ExpressionNode[] = [];

/** Returns the direct children of a node, in source order. */
export function childrenOf(node: ExpressionNode): readonly ExpressionNode[] {
  switch (node.kind) {
    case "and":
    case "or":
      return node.operands;
    case "not":
    case "unary":
      return [node.operand];
    case "comparison":
    case "binary":
      return [node.left, node.right];
    case "match":
      return [node.left, node.regex];
    case "membership":
      return [node.left, node.list];
    case "list":
      return node.words;
    case "listCall":
    case "call":
      return [node.argument];
    case "string":
    case "concatenation":
      return node.parts;
    default:
      return NO_NODES;
  }
}
