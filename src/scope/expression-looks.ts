import {
  type BinaryTest,
  type Comparison,
  type Condition,
  childrenOf,
  type ExpressionNode,
  type Junction,
  type Match,
  type Membership,
  type UnaryTest,
  type Word,
} from "../../grammar/expression/ast.js";
import { addressText } from "../text/address-text.js";
import { addressOf, networkOfOne, readSubnet, type Subnet } from "../text/addresses.js";
import { lookAtVariable } from "./brought-environment.js";
import { constantOf, expressionText } from "./expression-text.js";
import type { ExpressionContext } from "./expression-value.js";
import type { AddressText, SentText } from "./looks.js";

/** A condition that no other conditions make up. */
export type Test = Comparison | Match | Membership | UnaryTest | BinaryTest;

/** What is the same for all requests that differ in nothing but their client and what it sends beside method and URL. */
const settled: ReadonlySet<string> = new Set([
  ...["REQUEST_METHOD", "REQUEST_SCHEME", "HTTPS", "REQUEST_URI", "DOCUMENT_URI", "IS_SUBREQ", "REMOTE_IDENT"],
]);

/** CONN_REMOTE_ADDR may be that of a proxy. */
const ofAddress: ReadonlySet<string> = new Set(["REMOTE_ADDR"]);

/** Functions that look at nothing but what they are given. */
const pure: ReadonlySet<string> = new Set(["tolower", "toupper", "base64", "unbase64", "md5", "sha1"]);

/** What a test looks at beside method and URL. */
type LookedAt =
  | { readonly kind: "nothing" }
  | { readonly kind: "address"; readonly subnet: Subnet; readonly isNegated: boolean }
  | { readonly kind: "user"; readonly name: string }
  | { readonly kind: "variables"; readonly names: readonly string[] }
  /** More of variables than whether they are set, or of the user than who it is. */
  | {
      readonly kind: "values";
      readonly text: string;
      readonly names: readonly string[];
      readonly isOfUser: boolean;
      readonly isOfClient: boolean;
    }
  | { readonly kind: "sent"; readonly text: string; readonly sent: SentText | AddressText | undefined };

const lookedAt = new WeakMap<Test, LookedAt>();

/**
 * Takes note of what a test of an expression looked at.
 *
 * @param actual what came out
 * @returns what the decision is to go on with
 */
export function noteTest(test: Test, actual: boolean, context: ExpressionContext): boolean {
  const { looks } = context.request;
  if (looks === undefined) return actual;
  const at = lookOf(test);
  switch (at.kind) {
    case "nothing":
      return actual;
    case "address":
      looks.at({ kind: "address", subnet: at.subnet }, actual !== at.isNegated);
      return actual;
    case "user":
      if (context.user !== undefined) looks.at({ kind: "user", name: at.name }, context.user === at.name);
      return actual;
    case "sent":
      return looks.test(at.text, actual, at.sent);
    case "values": {
      // Where nobody is logged in by then, the name is empty.
      if (at.isOfUser && context.user === undefined) return actual;
      const own = at.names.find((name) => looks.ownVariables.has(name));
      if (own === undefined && !at.isOfClient) {
        // What a request brings along is set to 1.
        for (const name of at.names) looks.at(lookAtVariable(context.env, name), context.env.has(name));
        return actual;
      }
      if (own === undefined) return looks.test(at.text, actual);
      looks.untold(`${at.text.replace(/^whether /, "")} hangs on what other lines set \`${own}\` to`);
      return actual;
    }
    case "variables":
      // What a request brings along of variables is set, and no more is known of it.
      for (const name of at.names) looks.at(lookAtVariable(context.env, name), context.env.has(name));
      return actual;
  }
}

function lookOf(test: Test): LookedAt {
  const known = lookedAt.get(test) ?? lookedAtBy(test);
  lookedAt.set(test, known);
  return known;
}

function lookedAtBy(test: Test): LookedAt {
  const subnet = networkOf(test);
  if (subnet) {
    const isNegated = test.kind === "comparison" && test.operator.name === "!=";
    return { kind: "address", subnet, isNegated };
  }
  const free = [...new Set(namesIn(test))].filter((name) => !settled.has(name));
  if (free.length === 0) return { kind: "nothing" };
  const user = userOf(test);
  if (user !== undefined) return { kind: "user", name: user };
  const names = free.flatMap((name) => /^REQENV:(.*)$/s.exec(name)?.[1] ?? []);
  if (names.length === free.length && asksWhetherEmpty(test)) return { kind: "variables", names };
  const text = `whether \`${expressionText(test)}\``;
  const isOfUser = free.includes("REMOTE_USER");
  const isOfClient = names.length < free.length;
  if (names.length > 0 || isOfUser) return { kind: "values", text, names, isOfUser, isOfClient };
  return { kind: "sent", text, sent: sentIn(test) };
}

function asksWhetherEmpty(test: Test): boolean {
  if (test.kind === "unary") return test.operator.name === "-n" || test.operator.name === "-z";
  return test.kind === "comparison" && /^[!=]=$/.test(test.operator.name) && constantOf(test.right) === "";
}

const settledOnes = new WeakMap<Junction, readonly Condition[]>();

/** The operands that are the same for all clients, where there are others beside them. */
export function settledOperands(node: Junction): readonly Condition[] {
  const known = settledOnes.get(node);
  if (known) return known;
  const settledHere = node.operands.filter(isSettled);
  const found = settledHere.length === node.operands.length ? [] : settledHere;
  settledOnes.set(node, found);
  return found;
}

function isSettled(node: Condition): boolean {
  switch (node.kind) {
    case "constant":
      return true;
    case "not":
      return isSettled(node.operand);
    case "and":
    case "or":
      return node.operands.every(isSettled);
    default:
      return lookOf(node).kind === "nothing";
  }
}

const grouped = new WeakMap<Condition, boolean>();

/** Whether something in a condition stands for what a pattern matched. */
export function usesGroups(condition: Condition): boolean {
  const known = grouped.get(condition) ?? hasGroups(condition);
  grouped.set(condition, known);
  return known;
}

function hasGroups(node: ExpressionNode): boolean {
  return node.kind === "backreference" || childrenOf(node).some(hasGroups);
}

/** The variables and functions in a node, in upper case; `REQENV:name` for a variable of the environment. */
function namesIn(node: ExpressionNode): readonly string[] {
  if (node.kind === "variable") return [node.name.text.toUpperCase()];
  if (node.kind !== "call" && node.kind !== "listCall") return childrenOf(node).flatMap(namesIn);
  const name = node.name.text.toLowerCase();
  const text = constantOf(node.argument);
  if ((name === "reqenv" || name === "env") && text !== undefined) return [`REQENV:${text.toLowerCase()}`];
  return [...(pure.has(name) ? [] : [name.toUpperCase()]), ...childrenOf(node).flatMap(namesIn)];
}

/** The one header that a test is of, or the address, and what it is held against. */
function sentIn(test: Test): SentText | AddressText | undefined {
  if (test.kind !== "match" && test.kind !== "comparison") return undefined;
  if (test.kind === "match" && isAddressVariable(test.left)) {
    const { pattern, ignoreCase } = test.regex;
    return { addressPattern: pattern, ignoreCase, isNegated: test.operator.name === "!~" };
  }
  const header = headerIn(test.left);
  if (header === undefined) return undefined;
  if (test.kind === "match") return { header, pattern: test.regex.pattern };
  const text = constantOf(test.right);
  return text === undefined ? undefined : { header, text };
}

function isAddressVariable(word: Word): boolean {
  const [part, more] = word.kind === "string" ? word.parts : [word];
  return more === undefined && part?.kind === "variable" && ofAddress.has(part.name.text.toUpperCase());
}

function headerIn(word: Word): string | undefined {
  const [part, more] = word.kind === "string" ? word.parts : [word];
  if (more !== undefined) return undefined;
  if (part?.kind === "variable") return /^HTTP_(.*)$/i.exec(part.name.text)?.[1]?.replaceAll("_", "-");
  if (part?.kind !== "call") return undefined;
  return /^(req|http|req_novary)$/i.test(part.name.text) ? constantOf(part.argument) : undefined;
}

/** The network that a test asks the client's address for, and nothing else. */
function networkOf(test: Test): Subnet | undefined {
  if (test.kind === "unary") return test.operator.name === "-R" ? subnetOf(constantOf(test.operand)) : undefined;
  if (test.kind !== "binary" && test.kind !== "comparison") return undefined;
  if (test.left.kind !== "variable" || !ofAddress.has(test.left.name.text.toUpperCase())) return undefined;
  const text = constantOf(test.right);
  if (test.kind === "binary") return test.operator.name.toLowerCase() === "-ipmatch" ? subnetOf(text) : undefined;
  const address = text === undefined ? undefined : addressOf(text);
  // An address has many ways of writing it, of which one is compared.
  const isOne = address !== undefined && addressText(address) === text;
  return /^[!=]=$/.test(test.operator.name) && isOne ? networkOfOne(address) : undefined;
}

/** The user whom a test asks for, and nothing else. */
function userOf(test: Test): string | undefined {
  if (test.kind !== "comparison" || !/^[!=]=$/.test(test.operator.name)) return undefined;
  const isUser = test.left.kind === "variable" && test.left.name.text.toUpperCase() === "REMOTE_USER";
  return isUser ? constantOf(test.right) || undefined : undefined;
}

function subnetOf(text: string | undefined): Subnet | undefined {
  const verdict = text === undefined ? undefined : readSubnet(text);
  return verdict && "subnet" in verdict ? verdict.subnet : undefined;
}
