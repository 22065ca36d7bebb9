import { childrenOf, type ExpressionNode, type Word } from "../../grammar/expression/ast.js";
import { Automata } from "../logic/automata.js";
import { classifierOf, sideBySide, stateBehind } from "../logic/classifier.js";
import { readPattern } from "../logic/pattern-reader.js";
import { literal, type Regular } from "../logic/regular.js";
import { shortestTexts } from "../logic/texts.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { constantOf } from "../scope/expression-text.js";
import { conditionOf } from "../scope/expression-value.js";
import { readTest } from "../scope/rewriting/condition-tests.js";
import { wordsOf } from "../scope/words.js";

/** The usual ones; any that is named nowhere stands for all others. */
const usual = ["GET", "POST", "PUT", "DELETE", "PATCH"];

const limiting: ReadonlySet<string> = new Set(["<limit", "<limitexcept", "allowmethods"]);

/** Automata of what is asked of a method stay small. */
const MOST_STATES = 2_000;
const automata = new Automata(MOST_STATES);

/** What a method may be made of (RFC 9110), the most usual first. */
const tokens = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-0123456789!#$%&'*+.^_`|~";

/**
 * Methods that stand for all there are: each that some configuration names, one for each of what its patterns tell apart, and
 * as the last one a method that nothing is said of.
 */
export function methodsOf(projects: readonly Project[]): readonly string[] {
  const named = new Set<string>();
  const asked: Regular[] = [];
  for (const directive of projects.flatMap(({ directives, htaccess }) => [
    ...directives,
    ...htaccess.flatMap((file) => file.directives),
  ]))
    visit(directive, (each) => {
      for (const method of methodsIn(each)) named.add(method);
      asked.push(...textsIn(each));
    });
  for (const method of ["GET", "HEAD"]) named.delete(method);
  const other = usual.find((method) => method !== "GET" && !named.has(method)) ?? "OTHER";
  const known = ["GET", "HEAD", ...[...named].sort()];
  return [...known, ...toldApart(asked, [...known, other]), other];
}

/** HEAD is what GET is, but to those who look at its letters. */
export function asGet(method: string): string {
  return method === "HEAD" ? "GET" : method;
}

/** Methods in words. @param methods all that were asked with: the last of them stands for others */
export function methodWords(asked: readonly string[], methods: readonly string[]): readonly string[] {
  const told = asked.filter((method) => method !== "HEAD" || !asked.includes("GET"));
  return told.map((method) => (method === methods.at(-1) ? "any other method" : method));
}

function visit(directive: Directive, look: (directive: Directive) => void): void {
  look(directive);
  for (const each of directive.children ?? []) visit(each, look);
}

function methodsIn({ key, argumentText, arguments: words }: Directive): readonly string[] {
  if (limiting.has(key)) return words.map(({ value }) => value).filter((word) => word.toLowerCase() !== "reset");
  if (key === "require" && /^(?:not\s+)?method\s/i.test(argumentText)) return argumentText.match(/[A-Z]+/g) ?? [];
  // A condition on the method: its words in capitals.
  return /request_method|the_request/i.test(argumentText) ? (argumentText.match(/\b[A-Z]{3,}\b(?!_)/g) ?? []) : [];
}

/** What a line holds the method against. */
function textsIn(directive: Directive): readonly Regular[] {
  const { key } = directive;
  if (!/request_method/i.test(directive.argumentText)) return [];
  const words = wordsOf(directive);
  if (key === "rewritecond") {
    const { test } = readTest(words[1] ?? "", false);
    const ignoreCase = /\b(?:nc|nocase)\b/i.test(words[2] ?? "");
    if (test.kind === "pattern") return matching(test.pattern, ignoreCase);
    return test.kind === "text" ? [literal(test.operand, ignoreCase)] : [];
  }
  if (/^setenvif(?:nocase)?$/.test(key)) return matching(words[1] ?? "", key.endsWith("nocase"));
  const condition = conditionOf(directive);
  return condition ? textsWithin(condition) : [];
}

/** Lines that hold the method against something that is not read: methods that they tell apart are not all gone through. */
export function unreadMethodTests(projects: readonly Project[]): readonly Directive[] {
  const found: Directive[] = [];
  for (const { directives, htaccess } of projects)
    for (const directive of [...directives, ...htaccess.flatMap((file) => file.directives)])
      visit(directive, (each) => {
        if (/request_method/i.test(each.argumentText) && !isRead(each)) found.push(each);
      });
  return found;
}

function isRead(directive: Directive): boolean {
  const { key } = directive;
  const words = wordsOf(directive);
  if (key === "rewritecond") {
    const { test } = readTest(words[1] ?? "", false);
    if (!/^%\{REQUEST_METHOD\}$/i.test(words[0] ?? "")) return false;
    return test.kind === "pattern"
      ? matching(test.pattern, false).length > 0
      : test.kind === "text" && test.operator === "=";
  }
  if (/^setenvif(?:nocase)?$/.test(key)) return matching(words[1] ?? "", false).length > 0;
  const condition = conditionOf(directive);
  // What is no condition tells nothing apart.
  return condition === undefined || isReadIn(condition);
}

function isReadIn(node: ExpressionNode): boolean {
  if (isOfMethod(node)) return isReadTest(node);
  if (node.kind === "variable") return node.name.text.toUpperCase() !== "REQUEST_METHOD";
  return childrenOf(node).every(isReadIn);
}

function isReadTest(node: ExpressionNode): boolean {
  switch (node.kind) {
    case "match":
      return matching(node.regex.pattern, node.regex.ignoreCase).length > 0;
    case "comparison":
      return /^[!=]=$/.test(node.operator.name) && constantOf(node.right) !== undefined;
    case "membership":
      return node.list.kind === "list" && node.list.words.every((word) => constantOf(word) !== undefined);
    default:
      return false;
  }
}

function textsWithin(node: ExpressionNode): readonly Regular[] {
  const own = isOfMethod(node)
    ? childrenOf(node).flatMap((child) => {
        if (child.kind === "regex") return matching(child.pattern, child.ignoreCase);
        const words = child.kind === "list" ? child.words : isWord(child) ? [child] : [];
        return words.flatMap((word) => {
          const text = constantOf(word);
          return text === undefined ? [] : [literal(text)];
        });
      })
    : [];
  return [...own, ...childrenOf(node).flatMap(textsWithin)];
}

/** Whether a test has the method on one of its sides. */
function isOfMethod(node: ExpressionNode): boolean {
  return (node.kind === "comparison" || node.kind === "match" || node.kind === "membership") && isMethodText(node.left);
}

function isMethodText(word: Word): boolean {
  if (word.kind === "string") return word.parts.some((part) => part.kind === "variable" && isMethodText(part));
  return word.kind === "variable" && word.name.text.toUpperCase() === "REQUEST_METHOD";
}

function isWord(
  node: ExpressionNode,
): node is Extract<ExpressionNode, { kind: "string" | "concatenation" | "digits" }> {
  return node.kind === "string" || node.kind === "concatenation" || node.kind === "digits";
}

function matching(pattern: string, ignoreCase: boolean): readonly Regular[] {
  const reading = readPattern(pattern, { ignoreCase });
  return reading.kind === "regular" ? [reading.texts] : [];
}

/** A method for each combination of what holds of methods, where it is not that of one that is known. */
function toldApart(asked: readonly Regular[], methods: readonly string[]): readonly string[] {
  const told = asked.flatMap((texts) => {
    const automaton = automata.of(texts);
    return automaton === "too large" ? [] : [classifierOf(automaton)];
  });
  if (told.length === 0) return [];
  const classifier = sideBySide(told);
  const outputOf = (method: string) => classifier.output(stateBehind(classifier, method), 0);
  const known = new Set(methods.map(outputOf));
  return shortestTexts(classifier, tokens, MOST_STATES).filter((method) => !known.has(outputOf(method)));
}
