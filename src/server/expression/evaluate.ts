import {
  type BinaryTest,
  type Call,
  type Comparison,
  type Condition,
  childrenOf,
  type ExpressionNode,
  type Junction,
  type Match,
  type Membership,
  type StringPart,
  type StringWord,
  type UnaryTest,
  type Word,
} from "../../../grammar/expression/ast.js";
import { parseExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import { expressionOf } from "../../config/queries/expressions.js";
import { memoize } from "../../text/memoize.js";
import { compileRegexPatternOnce, limitValueLength, type MatchGroups } from "../model/patterns.js";
import { unknownFact } from "../model/unknown-facts.js";
import { isUnknown, matchUnknownValue, mayEqual, type UnknownValue } from "../model/unknown-value.js";
import type { ConditionResult } from "../request/setenvif.js";
import { formatExpression } from "./constant-folding.js";
import { clientIndependentOperandsOf, type ExpressionTest, recordExpressionTest, usesGroups } from "./dependencies.js";
import { type FileTest, testFile } from "./file-tests.js";
import { callFunction } from "./functions.js";
import { compareOperands, falseWord, matchOperands, testOperand } from "./operators.js";
import { type ExpressionContext, evaluateVariable } from "./variables.js";

/** Returns the condition in a directive; undefined if the server does not start with it. */
export const conditionOf = memoize((directive: Directive): Condition | undefined => {
  const expression = expressionOf(directive);
  return expression && parseExpressionCondition(expression.text);
});

/** Parses a condition; returns undefined if the server rejects it. */
export function parseExpressionCondition(text: string): Condition | undefined {
  const parsed = parseExpression(text);
  return parsed.ok ? parsed.value.expression : undefined;
}

/**
 * Reports whether an expression reads the authenticated user, which makes Require expr wait for authentication
 * (mod_authz_core).
 */
export function readsUser(node: ExpressionNode): boolean {
  if (node.kind === "variable" && node.name.text.toUpperCase() === "REMOTE_USER") return true;
  return childrenOf(node).some(readsUser);
}

/** Reports whether a condition holds; unknown inputs are delegated to the oracle. */
export function isConditionMet(condition: Condition, context: ExpressionContext): boolean {
  const startsWithShared = context.request.tracker !== undefined && !usesGroups(condition);
  return new Evaluation(context, startsWithShared).condition(condition);
}

/** Evaluates a condition, and returns the groups that its patterns matched. */
export function evaluateCondition(condition: Condition, context: ExpressionContext): ConditionResult {
  const evaluation = new Evaluation(context);
  const result = evaluation.condition(condition);
  return { holds: result, ...(evaluation.matched ? { matched: evaluation.matched } : {}) };
}

/** Returns the value of a string; undefined if it contains an unknown part. */
export function evaluateString(expression: StringWord, context: ExpressionContext): string | undefined {
  const value = new Evaluation(context).text(expression);
  return isUnknown(value) ? undefined : value;
}

const fileTests: ReadonlyMap<string, FileTest> = new Map([
  ["-e", "e"],
  ["-d", "d"],
  ["-f", "f"],
  ["-s", "s"],
  ["-L", "L"],
  ["-h", "L"],
  ["-x", "x"],
]);

/** One evaluation of an expression: `$1` refers to the last match. */
class Evaluation {
  private groups: MatchGroups = [];
  matched: ConditionResult["matched"];

  /**
   * @param startsWithShared whether operands that are equal for all clients are evaluated first, so that the others matter to
   *   fewer clients
   */
  constructor(
    private readonly context: ExpressionContext,
    private readonly startsWithShared = false,
  ) {}

  condition(node: Condition): boolean {
    switch (node.kind) {
      case "constant":
        return node.value;
      case "not":
        return !this.condition(node.operand);
      case "and":
        return !this.isDecidedBy(node, false) && node.operands.every((operand) => this.condition(operand));
      case "or":
        return this.isDecidedBy(node, true) || node.operands.some((operand) => this.condition(operand));
      default:
        return recordExpressionTest(node, this.test(node), this.context);
    }
  }

  /** Reports whether an operand that is equal for all clients has a value that decides the whole. */
  private isDecidedBy(node: Junction, value: boolean): boolean {
    const operands = this.startsWithShared ? clientIndependentOperandsOf(node) : [];
    if (operands.length === 0) return false;
    const oracle = this.context.oracle.createEmpty();
    const evaluation = new Evaluation({ ...this.context, oracle });
    return operands.some((operand) => evaluation.condition(operand) === value && oracle.answered.size === 0);
  }

  private test(node: ExpressionTest): boolean {
    switch (node.kind) {
      case "comparison":
        return this.comparison(node);
      case "match":
        return this.match(node);
      case "membership":
        return this.membership(node);
      case "unary":
        return this.unary(node);
      case "binary":
        return this.binary(node);
    }
  }

  /** @param values the operands, the unknown ones of which are the reason */
  private ask(node: ExpressionTest, ...values: readonly (string | UnknownValue)[]): boolean {
    const cause = values.find(isUnknown);
    const test = formatExpression(node);
    const fact = cause ? unknownFact("test-holds-for", test, cause.unknown) : unknownFact("test-holds", test);
    return this.context.oracle.ask(fact);
  }

  private comparison(node: Comparison): boolean {
    const left = this.word(node.left);
    const right = this.word(node.right);
    const operator = node.operator.name;
    if (!isUnknown(left) && !isUnknown(right)) return compareOperands(operator, left, right);
    const isEquality = operator === "==" || operator === "!=";
    if (isEquality && isUnknown(left) && !isUnknown(right) && !mayEqual(left, right)) return operator === "!=";
    return this.ask(node, left, right);
  }

  private match(node: Match): boolean {
    const subject = this.word(node.left);
    if (isUnknown(subject)) return this.matchUnknown(node, subject);
    const pattern = compileRegexPatternOnce(node.regex, node.regex.pattern, { ignoreCase: node.regex.ignoreCase });
    const isMatch = node.operator.name === "=~";
    // A pattern without groups keeps those of an earlier one.
    if (!pattern.hasGroups) return pattern.matches(subject, this.context.oracle) === isMatch;
    const found = pattern.find(subject, this.context.oracle);
    this.groups = found ?? [];
    this.matched = { subject: found && subject, groups: this.groups };
    return (found !== undefined) === isMatch;
  }

  private matchUnknown(node: Match, subject: UnknownValue): boolean {
    const matches = matchUnknownValue(subject, node.regex.pattern, node.regex.ignoreCase);
    const isMatched = (matches === "all") === (node.operator.name === "=~");
    return matches === "unknown" ? this.ask(node, subject) : isMatched;
  }

  private membership(node: Membership): boolean {
    const operand = this.word(node.left);
    if (isUnknown(operand) || node.list.kind === "listCall") return this.ask(node, operand);
    const words = node.list.words.map((word) => this.word(word));
    if (words.includes(operand)) return true;
    return words.some(isUnknown) ? this.ask(node, ...words) : false;
  }

  private unary(node: UnaryTest): boolean {
    const operand = this.word(node.operand);
    const operator = node.operator.name;
    if (isUnknown(operand)) return testUnknownOperand(operator, operand) ?? this.ask(node, operand);
    return (
      this.testFile(operator, operand) ??
      testOperand(operator, operand, this.context.request.clientIp) ??
      this.ask(node)
    );
  }

  /** Proofs know no files but those on the path of a request. */
  private testFile(operator: string, operand: string): boolean | undefined {
    const { request, files, oracle } = this.context;
    const test = fileTests.get(operator);
    return test === undefined || request.tracker ? undefined : testFile(test, operand, files, oracle);
  }

  private binary(node: BinaryTest): boolean {
    const left = this.word(node.left);
    const right = this.word(node.right);
    if (isUnknown(left) || isUnknown(right)) return this.ask(node, left, right);
    return matchOperands(node.operator.name.toLowerCase(), left, right) ?? this.ask(node);
  }

  text({ parts }: StringWord): string | UnknownValue {
    return this.parts(parts);
  }

  private word(node: Word): string | UnknownValue {
    switch (node.kind) {
      case "digits":
        return node.value;
      case "concatenation":
        return this.join(node.parts.map((part) => this.word(part)));
      case "string":
        return this.parts(node.parts);
      default:
        return this.part(node);
    }
  }

  private parts(parts: readonly StringPart[]): string | UnknownValue {
    const [only] = parts;
    return parts.length === 1 && only ? this.part(only) : this.join(parts.map((part) => this.part(part)));
  }

  private join(parts: readonly (string | UnknownValue)[]): string | UnknownValue {
    let text = "";
    for (const part of parts) {
      if (isUnknown(part)) return { unknown: part.unknown };
      text = this.limitLength(text + part);
    }
    return text;
  }

  private part(node: StringPart): string | UnknownValue {
    switch (node.kind) {
      case "text":
        return node.value;
      case "backreference":
        return this.groups[node.number] ?? "";
      case "variable":
        return (
          evaluateVariable(node.name.text.toUpperCase(), this.context) ?? {
            unknown: unknownFact("variable", `%{${node.name.text}}`),
          }
        );
      case "call":
        return this.call(node);
    }
  }

  private limitLength(text: string): string {
    return limitValueLength(text, this.context.oracle);
  }

  private call({ name, argument }: Call): string | UnknownValue {
    const value = this.word(argument);
    if (isUnknown(value)) return { unknown: value.unknown };
    return (
      callFunction(name.text.toLowerCase(), value, this.context) ?? { unknown: unknownFact("variable", name.text) }
    );
  }
}

/** Evaluates an operator for a text that is not known; undefined if the result depends on it. */
function testUnknownOperand(operator: UnaryTest["operator"]["name"], operand: UnknownValue): boolean | undefined {
  if (operator !== "-n" && operator !== "-z" && operator !== "-T") return undefined;
  const matches = matchUnknownValue(operand, operator === "-T" ? falseWord : "^$", true);
  if (matches === "unknown") return undefined;
  return (matches === "all") === (operator === "-z");
}
