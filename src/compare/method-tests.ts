import {
  type Comparison,
  childrenOf,
  type ExpressionNode,
  type Match,
  type Membership,
  type Word,
} from "../../grammar/expression/ast.js";
import { readPattern } from "../logic/pattern-reader.js";
import { literal, type Regular } from "../logic/regular.js";
import type { Directive } from "../project/directive.js";
import { constantOf } from "../scope/expression-text.js";
import { conditionOf } from "../scope/expression-value.js";
import { readTest } from "../scope/rewriting/condition-tests.js";
import { wordsOf } from "../scope/words.js";

/** What a line holds the letters of the method against. */
export interface MethodTests {
  readonly texts: readonly Regular[];
  /** Whether that is all. */
  readonly isRead: boolean;
}

const none: MethodTests = { texts: [], isRead: true };
const unread: MethodTests = { texts: [], isRead: false };

export function methodTestsOf(directive: Directive): MethodTests {
  const { key } = directive;
  if (!/request_method/i.test(directive.argumentText)) return none;
  if (key === "rewritecond") return ofRewriteCond(wordsOf(directive));
  if (/^setenvif(?:nocase)?$/.test(key)) return ofPattern(wordsOf(directive)[1] ?? "", key.endsWith("nocase"));
  const condition = conditionOf(directive);
  return condition ? testsIn(condition) : none;
}

function ofRewriteCond([input = "", written = "", flags = ""]: readonly string[]): MethodTests {
  const { test } = readTest(written, false);
  const ignoreCase = /\b(?:nc|nocase)\b/i.test(flags);
  const isAlone = /^%\{REQUEST_METHOD\}$/i.test(input);
  if (test.kind === "text")
    return { texts: [literal(test.operand, ignoreCase)], isRead: isAlone && test.operator === "=" };
  if (test.kind !== "pattern") return unread;
  const { texts, isRead } = ofPattern(test.pattern, ignoreCase);
  return { texts, isRead: isAlone && isRead };
}

function testsIn(node: ExpressionNode): MethodTests {
  if (isOfMethod(node)) return ofTest(node);
  if (node.kind === "variable") return isMethodText(node) ? unread : none;
  return together(childrenOf(node).map(testsIn));
}

/** Whether a test has the method on its left. */
function isOfMethod(node: ExpressionNode): node is Comparison | Match | Membership {
  return (node.kind === "comparison" || node.kind === "match" || node.kind === "membership") && isMethodText(node.left);
}

function isMethodText(word: Word): boolean {
  if (word.kind === "string") return word.parts.some((part) => part.kind === "variable" && isMethodText(part));
  return word.kind === "variable" && word.name.text.toUpperCase() === "REQUEST_METHOD";
}

function ofTest(test: Comparison | Match | Membership): MethodTests {
  switch (test.kind) {
    case "match":
      return ofPattern(test.regex.pattern, test.regex.ignoreCase);
    case "comparison": {
      const { texts, isRead } = ofWord(test.right);
      return { texts, isRead: isRead && /^[!=]=$/.test(test.operator.name) };
    }
    case "membership":
      return test.list.kind === "list" ? together(test.list.words.map(ofWord)) : unread;
  }
}

function ofWord(word: Word): MethodTests {
  const text = constantOf(word);
  return text === undefined ? unread : { texts: [literal(text)], isRead: true };
}

function ofPattern(pattern: string, ignoreCase: boolean): MethodTests {
  const reading = readPattern(pattern, { ignoreCase });
  return reading.kind === "regular" ? { texts: [reading.texts], isRead: true } : unread;
}

function together(tests: readonly MethodTests[]): MethodTests {
  return { texts: tests.flatMap(({ texts }) => texts), isRead: tests.every(({ isRead }) => isRead) };
}
