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
} from "../../../grammar/expression/ast.js";
import type { PatternTest } from "../../regex/pcre/comparison.js";
import { formatAddress, hostSubnetOf, parseAddress, readSubnet, type Subnet } from "../../text/addresses.js";
import { memoize } from "../../text/memoize.js";
import { type AddressTest, type HeaderTest, predicateOfVariable } from "../model/dependency-tracker.js";
import { recordTest } from "../model/request.js";
import { type UnknownFact, unknownFact } from "../model/unknown-facts.js";
import { constantOf, formatExpression } from "./constant-folding.js";
import type { ExpressionContext } from "./variables.js";

/** An atomic condition. */
export type ExpressionTest = Comparison | Match | Membership | UnaryTest | BinaryTest;

/** Variables that are equal for all requests with the same method and URL, whatever else the client sends. */
const clientIndependentVariables: ReadonlySet<string> = new Set([
  ...["REQUEST_METHOD", "REQUEST_SCHEME", "HTTPS", "REQUEST_URI", "DOCUMENT_URI", "IS_SUBREQ", "REMOTE_IDENT"],
]);

/** CONN_REMOTE_ADDR may be that of a proxy. */
const addressVariables: ReadonlySet<string> = new Set(["REMOTE_ADDR"]);

/** Functions that depend only on their arguments. */
const pureFunctions: ReadonlySet<string> = new Set([
  ...["tolower", "toupper", "base64", "unbase64", "md5", "sha1", "escape", "unescape"],
]);

/** The inputs of a test other than method and URL. */
type TestDependency =
  | { readonly kind: "nothing" }
  | { readonly kind: "address"; readonly subnet: Subnet; readonly isNegated: boolean }
  | { readonly kind: "user"; readonly name: string }
  | { readonly kind: "variables"; readonly names: readonly string[] }
  /** More about variables than whether they are set, or about the user than the name. */
  | {
      readonly kind: "values";
      readonly fact: UnknownFact;
      readonly names: readonly string[];
      readonly isOfUser: boolean;
      readonly isOfClient: boolean;
    }
  | { readonly kind: "sent"; readonly fact: UnknownFact; readonly sent: HeaderTest | AddressTest | undefined };

/**
 * Records the inputs of a test of an expression.
 *
 * @param actual the result of the test
 * @returns the result to continue with
 */
export function recordExpressionTest(test: ExpressionTest, actual: boolean, context: ExpressionContext): boolean {
  const { tracker } = context.request;
  if (tracker === undefined) return actual;
  if (context.isPathSent && !tracker.readsPlainPaths && readsPath(test)) {
    const fact = unknownFact("test-of-sent-path", formatExpression(test));
    return recordTest(context.request, fact, actual, { sentPath: pathPatternIn(test) });
  }
  const at = dependencyOf(test);
  switch (at.kind) {
    case "nothing":
      return actual;
    case "address":
      tracker.recordPredicate({ kind: "address", subnet: at.subnet }, actual !== at.isNegated);
      return actual;
    case "user":
      if (context.user !== undefined)
        tracker.recordPredicate({ kind: "user", name: at.name }, context.user === at.name);
      return actual;
    case "sent":
      return recordTest(context.request, at.fact, actual, at.sent);
    case "values": {
      // Without a logged-in user, the name is empty.
      if (at.isOfUser && context.user === undefined) return actual;
      const own = at.names.find((name) => tracker.ownVariables.has(name));
      if (own === undefined && !at.isOfClient) {
        // A variable that a request has initially is set to 1.
        for (const name of at.names)
          tracker.recordPredicate(predicateOfVariable(context.env, name), context.env.has(name));
        return actual;
      }
      if (own === undefined) return recordTest(context.request, at.fact, actual);
      tracker.markUnknown(unknownFact("test-of-set-value", own, at.fact));
      return actual;
    }
    case "variables":
      // An initial variable of a request is set, and nothing more is known about it.
      for (const name of at.names)
        tracker.recordPredicate(predicateOfVariable(context.env, name), context.env.has(name));
      return actual;
  }
}

const dependencyOf = memoize((test: ExpressionTest): TestDependency => {
  const subnet = networkOf(test);
  if (subnet) {
    const isNegated = test.kind === "comparison" && test.operator.name === "!=";
    return { kind: "address", subnet, isNegated };
  }
  const free = [...new Set(namesIn(test))].filter((name) => !clientIndependentVariables.has(name));
  if (free.length === 0) return { kind: "nothing" };
  const user = userOf(test);
  if (user !== undefined) return { kind: "user", name: user };
  const names = free.flatMap((name) => /^REQENV:(.*)$/s.exec(name)?.[1] ?? []);
  if (names.length === free.length && testsEmptiness(test)) return { kind: "variables", names };
  const fact = unknownFact("test", formatExpression(test));
  const isOfUser = free.includes("REMOTE_USER");
  const isOfClient = names.length < free.length;
  if (names.length > 0 || isOfUser) return { kind: "values", fact, names, isOfUser, isOfClient };
  return { kind: "sent", fact, sent: clientTestIn(test) };
});

const pathVariables: ReadonlySet<string> = new Set(["REQUEST_URI", "DOCUMENT_URI"]);

function readsPath(test: ExpressionTest): boolean {
  return namesIn(test).some((name) => pathVariables.has(name));
}

/** Returns the pattern if a test only matches the path. */
function pathPatternIn(test: ExpressionTest): PatternTest | undefined {
  if (test.kind !== "match" || !isVariableIn(test.left, pathVariables)) return undefined;
  const { pattern, ignoreCase } = test.regex;
  return { pattern, ignoreCase, isNegated: test.operator.name === "!~" };
}

function testsEmptiness(test: ExpressionTest): boolean {
  if (test.kind === "unary") return test.operator.name === "-n" || test.operator.name === "-z";
  return test.kind === "comparison" && /^[!=]=$/.test(test.operator.name) && constantOf(test.right) === "";
}

/** Returns the operands that are equal for all clients, if there are others beside them. */
export const clientIndependentOperandsOf = memoize((node: Junction): readonly Condition[] => {
  const independent = node.operands.filter(isClientIndependent);
  return independent.length === node.operands.length ? [] : independent;
});

function isClientIndependent(node: Condition): boolean {
  switch (node.kind) {
    case "constant":
      return true;
    case "not":
      return isClientIndependent(node.operand);
    case "and":
    case "or":
      return node.operands.every(isClientIndependent);
    default:
      return dependencyOf(node).kind === "nothing";
  }
}

/** Reports whether a condition refers to a group of a pattern. */
export const usesGroups = memoize((condition: Condition) => hasGroups(condition));

function hasGroups(node: ExpressionNode): boolean {
  return node.kind === "backreference" || childrenOf(node).some(hasGroups);
}

/** Returns the variables and functions in a node, in upper case; `REQENV:name` for an environment variable. */
function namesIn(node: ExpressionNode): readonly string[] {
  if (node.kind === "variable") return [node.name.text.toUpperCase()];
  if (node.kind !== "call" && node.kind !== "listCall") return childrenOf(node).flatMap(namesIn);
  const name = node.name.text.toLowerCase();
  const text = constantOf(node.argument);
  if ((name === "reqenv" || name === "env") && text !== undefined) return [`REQENV:${text.toLowerCase()}`];
  return [...(pureFunctions.has(name) ? [] : [name.toUpperCase()]), ...childrenOf(node).flatMap(namesIn)];
}

/** Returns the only header or address that a test reads, with the pattern or text it is compared to. */
function clientTestIn(test: ExpressionTest): HeaderTest | AddressTest | undefined {
  if (test.kind !== "match" && test.kind !== "comparison") return undefined;
  if (test.kind === "match" && isVariableIn(test.left, addressVariables)) {
    const { pattern, ignoreCase } = test.regex;
    return { addressPattern: pattern, ignoreCase, isNegated: test.operator.name === "!~" };
  }
  const header = headerIn(test.left);
  if (header === undefined) return undefined;
  const { name } = test.operator;
  if (test.kind === "match") {
    const { pattern, ignoreCase } = test.regex;
    return { header, pattern, comparison: { ignoreCase, isNegated: name === "!~" } };
  }
  const text = constantOf(test.right);
  if (text === undefined) return undefined;
  const isEquality = /^[!=]=$/.test(name);
  return { header, text, ...(isEquality ? { comparison: { ignoreCase: false, isNegated: name === "!=" } } : {}) };
}

function isVariableIn(word: Word, names: ReadonlySet<string>): boolean {
  const [part, more] = word.kind === "string" ? word.parts : [word];
  return more === undefined && part?.kind === "variable" && names.has(part.name.text.toUpperCase());
}

function headerIn(word: Word): string | undefined {
  const [part, more] = word.kind === "string" ? word.parts : [word];
  if (more !== undefined) return undefined;
  if (part?.kind === "variable") return /^HTTP_(.*)$/i.exec(part.name.text)?.[1]?.replaceAll("_", "-");
  if (part?.kind !== "call") return undefined;
  return /^(req|http|req_novary)$/i.test(part.name.text) ? constantOf(part.argument) : undefined;
}

/** Returns the network if a test only checks the client's address against it. */
function networkOf(test: ExpressionTest): Subnet | undefined {
  if (test.kind === "unary") return test.operator.name === "-R" ? subnetOf(constantOf(test.operand)) : undefined;
  if (test.kind !== "binary" && test.kind !== "comparison") return undefined;
  if (test.left.kind !== "variable" || !addressVariables.has(test.left.name.text.toUpperCase())) return undefined;
  const text = constantOf(test.right);
  if (test.kind === "binary") return test.operator.name.toLowerCase() === "-ipmatch" ? subnetOf(text) : undefined;
  const address = text === undefined ? undefined : parseAddress(text);
  // An address has many spellings, of which only one is compared.
  const isAddress = address !== undefined && formatAddress(address) === text;
  return /^[!=]=$/.test(test.operator.name) && isAddress ? hostSubnetOf(address) : undefined;
}

/** Returns the user name if a test only checks for it. */
function userOf(test: ExpressionTest): string | undefined {
  if (test.kind !== "comparison" || !/^[!=]=$/.test(test.operator.name)) return undefined;
  const isUser = test.left.kind === "variable" && test.left.name.text.toUpperCase() === "REMOTE_USER";
  return isUser ? constantOf(test.right) || undefined : undefined;
}

function subnetOf(text: string | undefined): Subnet | undefined {
  const verdict = text === undefined ? undefined : readSubnet(text);
  return verdict?.ok ? verdict.value : undefined;
}
