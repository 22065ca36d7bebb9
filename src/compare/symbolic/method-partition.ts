import {
  type Comparison,
  childrenOf,
  type ExpressionNode,
  type Match,
  type Membership,
  type Word,
} from "../../../grammar/expression/ast.js";
import { constantOf } from "../../httpd/expression/constant-folding.js";
import { conditionOf } from "../../httpd/expression/evaluate.js";
import { argumentValuesOf } from "../../httpd/model/config-layer.js";
import { parseConditionTest } from "../../httpd/rewrite/rule-parser.js";
import { classifyByAutomaton, productOf, stateAfter } from "../../logic/automata/classifier.js";
import { AutomatonAlgebra } from "../../logic/automata/operations.js";
import { findShortestTexts } from "../../logic/automata/shortest-texts.js";
import { matchLiteral, type RegularLanguage } from "../../logic/languages/regular-language.js";
import { parsePattern } from "../../logic/pcre/pattern-parser.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import { iterateDirectives } from "../../project/queries/directive-tree.js";

/** The usual ones; any that is named nowhere stands for all others. */
const knownMethodNames = ["GET", "POST", "PUT", "DELETE", "PATCH"];

const limitSections: ReadonlySet<string> = new Set(["<limit", "<limitexcept", "allowmethods"]);

/** Automata of what is asked of a method stay small. */
const MOST_STATES = 2_000;
const automata = new AutomatonAlgebra(MOST_STATES);

/** What a method may be made of (RFC 9110), the most usual first. */
const tokens = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-0123456789!#$%&'*+.^_`|~";

/** Methods to ask with, and what they leave out. */
export interface MethodPartition {
  /**
   * Those that stand for all there are: each that some configuration names, one for each of what its patterns tell apart, and
   * as the last one a method that nothing is said of.
   */
  readonly all: readonly string[];
  /** Lines by which there may be more to tell apart. */
  readonly unread: readonly Directive[];
}

export function partitionMethods(projects: readonly Project[]): MethodPartition {
  const named = new Set<string>();
  const asked: RegularLanguage[] = [];
  const unread: Directive[] = [];
  for (const project of projects)
    for (const directive of iterateDirectives(project)) {
      for (const method of methodsIn(directive)) named.add(method);
      const { texts, isRead } = methodPredicatesOf(directive);
      asked.push(...texts);
      if (!isRead) unread.push(directive);
    }
  for (const method of ["GET", "HEAD"]) named.delete(method);
  const other = knownMethodNames.find((method) => method !== "GET" && !named.has(method)) ?? "OTHER";
  const known = ["GET", "HEAD", ...[...named].sort()];
  return { all: [...known, ...distinguishedMethods(asked, [...known, other]), other], unread };
}

/** Methods in words. @param methods all that were asked with: the last of them stands for others */
export function describeMethods(asked: readonly string[], methods: readonly string[]): readonly string[] {
  const told = asked.filter((method) => method !== "HEAD" || !asked.includes("GET"));
  return told.map((method) => (method === methods.at(-1) ? "any other method" : method));
}

function methodsIn({ key, argumentText, arguments: words }: Directive): readonly string[] {
  if (key === "traceenable") return ["TRACE"];
  if (limitSections.has(key)) return words.map(({ value }) => value).filter((word) => word.toLowerCase() !== "reset");
  if (key === "require" && /^(?:not\s+)?method\s/i.test(argumentText)) return argumentText.match(/[A-Z]+/g) ?? [];
  // A condition on the method: its words in capitals.
  return /request_method|the_request/i.test(argumentText) ? (argumentText.match(/\b[A-Z]{3,}\b(?!_)/g) ?? []) : [];
}

/** A method for each combination of what holds of methods, where it is not that of one that is known. */
function distinguishedMethods(asked: readonly RegularLanguage[], methods: readonly string[]): readonly string[] {
  const told = asked.flatMap((texts) => {
    const automaton = automata.of(texts);
    return automaton === "too large" ? [] : [classifyByAutomaton(automaton)];
  });
  if (told.length === 0) return [];
  const classifier = productOf(told);
  const outputOf = (method: string) => classifier.output(stateAfter(classifier, method), 0);
  const known = new Set(methods.map(outputOf));
  return findShortestTexts(classifier, tokens, MOST_STATES).filter((method) => !known.has(outputOf(method)));
}

/** What a line holds the letters of the method against. */
export interface MethodPredicates {
  readonly texts: readonly RegularLanguage[];
  /** Whether that is all. */
  readonly isRead: boolean;
}

const noPredicates: MethodPredicates = { texts: [], isRead: true };
const unreadPredicates: MethodPredicates = { texts: [], isRead: false };

function methodPredicatesOf(directive: Directive): MethodPredicates {
  const { key } = directive;
  if (!/request_method/i.test(directive.argumentText)) return noPredicates;
  if (key === "rewritecond") return ofRewriteCond(argumentValuesOf(directive));
  if (/^setenvif(?:nocase)?$/.test(key)) return ofPattern(argumentValuesOf(directive)[1] ?? "", key.endsWith("nocase"));
  const condition = conditionOf(directive);
  return condition ? testsIn(condition) : noPredicates;
}

function ofRewriteCond([input = "", written = "", flags = ""]: readonly string[]): MethodPredicates {
  const { test } = parseConditionTest(written, false);
  const ignoreCase = /\b(?:nc|nocase)\b/i.test(flags);
  const isAlone = /^%\{REQUEST_METHOD\}$/i.test(input);
  if (test.kind === "text")
    return { texts: [matchLiteral(test.operand, ignoreCase)], isRead: isAlone && test.operator === "=" };
  if (test.kind !== "pattern") return unreadPredicates;
  const { texts, isRead } = ofPattern(test.pattern, ignoreCase);
  return { texts, isRead: isAlone && isRead };
}

function testsIn(node: ExpressionNode): MethodPredicates {
  if (isOfMethod(node)) return ofTest(node);
  if (node.kind === "variable") return isMethodText(node) ? unreadPredicates : noPredicates;
  return joinPredicates(childrenOf(node).map(testsIn));
}

/** Whether a test has the method on its left. */
function isOfMethod(node: ExpressionNode): node is Comparison | Match | Membership {
  return (node.kind === "comparison" || node.kind === "match" || node.kind === "membership") && isMethodText(node.left);
}

function isMethodText(word: Word): boolean {
  if (word.kind === "string") return word.parts.some((part) => part.kind === "variable" && isMethodText(part));
  return word.kind === "variable" && word.name.text.toUpperCase() === "REQUEST_METHOD";
}

function ofTest(test: Comparison | Match | Membership): MethodPredicates {
  switch (test.kind) {
    case "match":
      return ofPattern(test.regex.pattern, test.regex.ignoreCase);
    case "comparison": {
      const { texts, isRead } = ofWord(test.right);
      return { texts, isRead: isRead && /^[!=]=$/.test(test.operator.name) };
    }
    case "membership":
      return test.list.kind === "list" ? joinPredicates(test.list.words.map(ofWord)) : unreadPredicates;
  }
}

function ofWord(word: Word): MethodPredicates {
  const text = constantOf(word);
  return text === undefined ? unreadPredicates : { texts: [matchLiteral(text)], isRead: true };
}

function ofPattern(pattern: string, ignoreCase: boolean): MethodPredicates {
  const reading = parsePattern(pattern, { ignoreCase });
  return reading.kind === "regular" ? { texts: [reading.texts], isRead: true } : unreadPredicates;
}

function joinPredicates(tests: readonly MethodPredicates[]): MethodPredicates {
  return { texts: tests.flatMap(({ texts }) => texts), isRead: tests.every(({ isRead }) => isRead) };
}
