/** Where something stands in the expression's text, in bytes; `end` is the offset behind it. */
export interface ExpressionSpan {
  readonly start: number;
  readonly end: number;
}

/** A name as written: of a variable or a function. httpd compares both without regard to case. */
export interface Name extends ExpressionSpan {
  readonly text: string;
}

/** An operator: its one name here, whatever the spelling (`eq` and `-eq` are `-eq`, `=` is `==`), and as written. */
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

/** A chain of one operator: `a && b && c` has three operands. Parentheses start a chain of their own. */
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

/** `-n word` and the like: one letter. The name has its dash. */
export interface UnaryTest extends ExpressionSpan {
  readonly kind: "unary";
  readonly operator: Operator;
  readonly operand: Word;
}

/** `word -ipmatch word` and the like: two letters or more. The name has its dash. */
export interface BinaryTest extends ExpressionSpan {
  readonly kind: "binary";
  readonly operator: Operator;
  readonly left: Word;
  readonly right: Word;
}

/** What is true or false. The span of a condition in parentheses includes them. */
export type Condition = Constant | Negation | Junction | Comparison | Match | Membership | UnaryTest | BinaryTest;

/** `/…/`, `m#…#`, either with `i` behind it. The pattern is as written: nothing in it is an escape to httpd. */
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

/** A function that returns a list, behind `-in`. */
export interface ListCall extends ExpressionSpan {
  readonly kind: "listCall";
  readonly name: Name;
  readonly argument: Word;
}

/** A number outside quotes: its digits, with a minus where written. */
export interface Digits extends ExpressionSpan {
  readonly kind: "digits";
  readonly value: string;
}

/** Constant text in a string, escapes resolved; as in httpd it ends at an escaped NUL. */
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

/** `%{name:argument}` in braces, where the argument is a string, or `name(argument)` in parentheses. */
export interface Call extends ExpressionSpan {
  readonly kind: "call";
  readonly style: "braces" | "parentheses";
  readonly name: Name;
  readonly argument: Word;
}

/** A string in quotes, or without any: the argument in `%{name:argument}`, and the whole of a string expression. */
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

/** What is a string. */
export type Word = Digits | BackReference | Variable | Call | StringWord | Concatenation;

/** The whole of an expression: a condition, or for the string flavour a string. */
export type Expression = Condition | StringWord;

export type ExpressionNode = Condition | Word | StringPart | WordList | ListCall | RegexLiteral;

const NO_NODES: readonly ExpressionNode[] = [];

/** The nodes directly inside a node, in the order of the text. */
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
