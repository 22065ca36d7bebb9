import {
  type Comparison,
  childrenOf,
  type ExpressionNode,
  type Match,
  type Membership,
  type Word,
} from "../../../grammar/expression/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { classifyByAutomaton, productOf, stateAfter } from "../../regex/automata/classifier.js";
import { AutomatonAlgebra } from "../../regex/automata/operations.js";
import { matchLiteral, type RegularLanguage } from "../../regex/automata/regular-language.js";
import { findShortestTexts } from "../../regex/automata/shortest-texts.js";
import { parsePattern } from "../../regex/pcre/language.js";
import { constantOf } from "../../server/expression/constant-folding.js";
import { conditionOf } from "../../server/expression/evaluate.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { builtInMethods } from "../../server/request/method-registry.js";
import { parseConditionTest } from "../../server/rewrite/rule-parser.js";
import type { ProbedMethods } from "../model/comparison.js";

/** The usual methods; an unnamed one represents all others. */
const knownMethodNames = ["GET", "POST", "PUT", "DELETE", "PATCH"];

/** Methods that the handler of files does not accept. */
const otherRegisteredMethods = builtInMethods.filter(
  (method) => !["GET", "HEAD", "POST", "OPTIONS", "CONNECT", "TRACE"].includes(method),
);

/** A method that no server registers: lines may treat it differently from those that no line names. */
const UNREGISTERED_METHOD = "UNREGISTERED";

const limitSections: ReadonlySet<string> = new Set(["<limit", "<limitexcept", "allowmethods", "registerhttpmethod"]);

/** Automata over methods stay small. */
const MAX_STATES = 2_000;
const automata = new AutomatonAlgebra(MAX_STATES);

/** The characters of a method (RFC 9110), the most usual first. */
const tokens = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-0123456789!#$%&'*+.^_`|~";

/** The representatives of all methods, and the limits of that selection. */
export interface MethodPartition extends ProbedMethods {
  /** Lines that may distinguish more methods. */
  readonly unread: readonly Directive[];
}

/**
 * Returns the methods to probe with: each one that a configuration names, one for each class that its patterns
 * distinguish, and unnamed ones, of which handlers accept some (server/core.c `default_handler`).
 */
export function partitionMethods(projects: readonly Project[]): MethodPartition {
  const named = new Set<string>();
  const languages: RegularLanguage[] = [];
  const unread: Directive[] = [];
  for (const project of projects)
    for (const directive of iterateDirectives(project)) {
      for (const method of methodsIn(directive)) named.add(method);
      const { texts, isRead } = methodPredicatesOf(directive);
      languages.push(...texts);
      if (!isRead) unread.push(directive);
    }
  for (const method of ["GET", "HEAD"]) named.delete(method);
  const other = knownMethodNames.find((method) => method !== "GET" && !named.has(method)) ?? "OTHER";
  const known = ["GET", "HEAD", ...[...named].sort()];
  const registered = otherRegisteredMethods.filter((method) => !named.has(method)).slice(0, 1);
  const unnamed = [...new Set([...registered, UNREGISTERED_METHOD, other])].filter((method) => !named.has(method));
  const distinguished = distinguishedMethods(languages, [...known, ...unnamed]);
  return { all: [...known, ...distinguished, ...unnamed], unnamed, unread };
}

/** Describes methods as text; none if they are all. */
export function describeMethods(some: readonly string[], { all, unnamed }: ProbedMethods): readonly string[] {
  if (some.length === all.length) return [];
  const usual = some.filter((method) => method !== "HEAD" || !some.includes("GET"));
  // Where only POST is accepted of the unnamed methods, so is OPTIONS.
  const excluded = unnamed
    .filter((method) => !some.includes(method))
    .flatMap((method) => (method === "POST" && !all.includes("OPTIONS") ? ["OPTIONS", method] : [method]));
  const standsForOthers = (method: string) => method === UNREGISTERED_METHOD || otherRegisteredMethods.includes(method);
  if (excluded.some(standsForOthers) || !unnamed.some(standsForOthers)) return usual;
  const except = excluded.length === 0 ? "" : ` except ${excluded.join(" and ")}`;
  return [...usual.filter((method) => !unnamed.includes(method)), `any other method${except}`];
}

function methodsIn({ key, argumentText, arguments: words }: Directive): readonly string[] {
  if (key === "traceenable") return ["TRACE"];
  if (key === "httpprotocoloptions") return /registeredmethods/i.test(argumentText) ? [UNREGISTERED_METHOD] : [];
  if (limitSections.has(key)) return words.map(({ value }) => value).filter((word) => word.toLowerCase() !== "reset");
  if (key === "require" && /^(?:not\s+)?method\s/i.test(argumentText)) return argumentText.match(/[A-Z]+/g) ?? [];
  // For a condition on the method: its upper-case words.
  return /request_method|the_request/i.test(argumentText) ? (argumentText.match(/\b[A-Z]{3,}\b(?!_)/g) ?? []) : [];
}

/** Returns a method for each combination of predicates that no known method covers. */
function distinguishedMethods(languages: readonly RegularLanguage[], methods: readonly string[]): readonly string[] {
  const classifiers = languages.flatMap((texts) => {
    const automaton = automata.of(texts);
    return automaton === "too large" ? [] : [classifyByAutomaton(automaton)];
  });
  if (classifiers.length === 0) return [];
  const classifier = productOf(classifiers);
  const outputOf = (method: string) => classifier.output(stateAfter(classifier, method), 0);
  const known = new Set(methods.map(outputOf));
  return findShortestTexts(classifier, tokens, MAX_STATES).filter((method) => !known.has(outputOf(method)));
}

/** The predicates of a line on the text of the method. */
export interface MethodPredicates {
  readonly texts: readonly RegularLanguage[];
  /** Whether that is complete. */
  readonly isRead: boolean;
}

const noPredicates: MethodPredicates = { texts: [], isRead: true };
const unreadPredicates: MethodPredicates = { texts: [], isRead: false };

function methodPredicatesOf(directive: Directive): MethodPredicates {
  const { key } = directive;
  if (!/request_method/i.test(directive.argumentText)) return noPredicates;
  if (key === "rewritecond") return ofRewriteCond(argumentValuesOf(directive));
  if (/^setenvif(?:nocase)?$/.test(key))
    return predicatesOfPattern(argumentValuesOf(directive)[1] ?? "", key.endsWith("nocase"));
  const condition = conditionOf(directive);
  return condition ? testsIn(condition) : noPredicates;
}

function ofRewriteCond([input = "", written = "", flags = ""]: readonly string[]): MethodPredicates {
  const { test } = parseConditionTest(written, false);
  const ignoreCase = /\b(?:nc|nocase)\b/i.test(flags);
  const isWholeOperand = /^%\{REQUEST_METHOD\}$/i.test(input);
  if (test.kind === "text")
    return { texts: [matchLiteral(test.operand, ignoreCase)], isRead: isWholeOperand && test.operator === "=" };
  if (test.kind !== "pattern") return unreadPredicates;
  const { texts, isRead } = predicatesOfPattern(test.pattern, ignoreCase);
  return { texts, isRead: isWholeOperand && isRead };
}

function testsIn(node: ExpressionNode): MethodPredicates {
  if (isOfMethod(node)) return predicatesOfTest(node);
  if (node.kind === "variable") return isMethodText(node) ? unreadPredicates : noPredicates;
  return joinPredicates(childrenOf(node).map(testsIn));
}

/** Reports whether a test has the method on its left side. */
function isOfMethod(node: ExpressionNode): node is Comparison | Match | Membership {
  return (node.kind === "comparison" || node.kind === "match" || node.kind === "membership") && isMethodText(node.left);
}

function isMethodText(word: Word): boolean {
  if (word.kind === "string") return word.parts.some((part) => part.kind === "variable" && isMethodText(part));
  return word.kind === "variable" && word.name.text.toUpperCase() === "REQUEST_METHOD";
}

function predicatesOfTest(test: Comparison | Match | Membership): MethodPredicates {
  switch (test.kind) {
    case "match":
      return predicatesOfPattern(test.regex.pattern, test.regex.ignoreCase);
    case "comparison": {
      const { texts, isRead } = predicatesOfWord(test.right);
      return { texts, isRead: isRead && /^[!=]=$/.test(test.operator.name) };
    }
    case "membership":
      return test.list.kind === "list" ? joinPredicates(test.list.words.map(predicatesOfWord)) : unreadPredicates;
  }
}

function predicatesOfWord(word: Word): MethodPredicates {
  const text = constantOf(word);
  return text === undefined ? unreadPredicates : { texts: [matchLiteral(text)], isRead: true };
}

function predicatesOfPattern(pattern: string, ignoreCase: boolean): MethodPredicates {
  const reading = parsePattern(pattern, { ignoreCase });
  return reading.kind === "regular" ? { texts: [reading.texts], isRead: true } : unreadPredicates;
}

function joinPredicates(tests: readonly MethodPredicates[]): MethodPredicates {
  return { texts: tests.flatMap(({ texts }) => texts), isRead: tests.every(({ isRead }) => isRead) };
}
