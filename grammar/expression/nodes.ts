import type { IToken } from "chevrotain";
import type {
  BackReference,
  Condition,
  Digits,
  IntegerComparison,
  ListCall,
  RegexLiteral,
  StringComparison,
  Variable,
  Word,
  WordList,
} from "./ast.js";
import { endOf, operatorOf, startOf } from "./tree-builders.js";

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

export function logicalName(token: IToken): "&&" | "||" {
  return token.image === "&&" || token.image === "and" ? "&&" : "||";
}

export function createConstant(token: IToken): Condition {
  return { kind: "constant", value: token.image === "true", start: startOf(token), end: endOf(token) };
}

export function createDigits(token: IToken): Digits {
  return { kind: "digits", value: token.image, start: startOf(token), end: endOf(token) };
}

export function createBackReference(token: IToken): BackReference {
  return { kind: "backreference", number: Number(token.image.slice(1)), start: startOf(token), end: endOf(token) };
}

export function createVariable(token: IToken): Variable {
  const { image, startOffset: start } = token;
  const end = start + image.length;
  return { kind: "variable", name: { text: image.slice(2, -1), start: start + 2, end: end - 1 }, start, end };
}

export function createUnaryTest(token: IToken, operand: Word): Condition {
  const operator = operatorOf(token, token.image);
  return { kind: "unary", operator, operand, start: operator.start, end: operand.end };
}

export function createComparison(left: Word, token: IToken, right: Word): Condition {
  const operator = operatorOf(token, comparisonName(token.image));
  return { kind: "comparison", operator, left, right, start: left.start, end: right.end };
}

export function createMatch(left: Word, token: IToken, regex: RegexLiteral): Condition {
  const operator = operatorOf(token, token.image === "=~" ? "=~" : "!~");
  return { kind: "match", operator, left, regex, start: left.start, end: regex.end };
}

export function createMembership(left: Word, token: IToken, list: WordList | ListCall): Condition {
  return { kind: "membership", operator: operatorOf(token, "-in"), left, list, start: left.start, end: list.end };
}

export function createBinaryTest(left: Word, token: IToken, right: Word): Condition {
  const operator = operatorOf(token, token.image);
  return { kind: "binary", operator, left, right, start: left.start, end: right.end };
}
