import {
  type BinaryTest,
  type Comparison,
  childrenOf,
  type ExpressionNode,
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
import type { SentText } from "./looks.js";

/** A condition that no other conditions make up. */
export type Test = Comparison | Match | Membership | UnaryTest | BinaryTest;

/** What is the same for all requests that differ in nothing but their client and what it sends beside method and URL. */
const settled: ReadonlySet<string> = new Set([
  ...["REQUEST_METHOD", "REQUEST_SCHEME", "HTTPS", "REQUEST_URI", "DOCUMENT_URI", "SERVER_PORT", "SERVER_PROTOCOL"],
  ...["IS_SUBREQ", "REMOTE_IDENT"],
]);

const ofAddress: ReadonlySet<string> = new Set(["REMOTE_ADDR", "CONN_REMOTE_ADDR"]);

/** Functions that look at nothing but what they are given. */
const pure: ReadonlySet<string> = new Set(["tolower", "toupper", "base64", "unbase64", "md5", "sha1"]);

/**
 * Takes note of what a test of an expression looked at.
 *
 * @param actual what came out
 * @returns what the decision is to go on with
 */
export function noteTest(test: Test, actual: boolean, context: ExpressionContext): boolean {
  const { looks } = context.request;
  if (looks === undefined) return actual;
  const subnet = networkOf(test);
  if (subnet) {
    const isNegated = test.kind === "comparison" && test.operator.name === "!=";
    looks.at({ kind: "address", subnet }, actual !== isNegated);
    return actual;
  }
  const free = [...new Set(namesIn(test))].filter((name) => !settled.has(name));
  if (free.length === 0) return actual;
  const user = userOf(test);
  if (user !== undefined) {
    if (context.user !== undefined) looks.at({ kind: "user", name: user }, context.user === user);
    return actual;
  }
  const variables = free.map((name) => /^REQENV:(.*)$/s.exec(name)?.[1]);
  if (!variables.every((name) => name !== undefined))
    return looks.test(`whether \`${expressionText(test)}\``, actual, sentIn(test));
  // What a request brings along of variables is set, and no more is known of it.
  for (const name of variables) looks.at(lookAtVariable(context.env, name), context.env.has(name));
  return actual;
}

/** The variables and functions in a node, in upper case; `REQENV:name` for a variable of the environment. */
function namesIn(node: ExpressionNode): readonly string[] {
  if (node.kind === "variable") return [node.name.text.toUpperCase()];
  if (node.kind !== "call" && node.kind !== "listCall") return childrenOf(node).flatMap(namesIn);
  const name = node.name.text.toLowerCase();
  const text = constantOf(node.argument);
  if (name === "reqenv" && text !== undefined) return [`REQENV:${text.toLowerCase()}`];
  return [...(pure.has(name) ? [] : [name.toUpperCase()]), ...childrenOf(node).flatMap(namesIn)];
}

/** The one header that a test is of, and what it is held against. */
function sentIn(test: Test): SentText | undefined {
  if (test.kind !== "match" && test.kind !== "comparison") return undefined;
  const header = headerIn(test.left);
  if (header === undefined) return undefined;
  if (test.kind === "match") return { header, pattern: test.regex.pattern };
  const text = constantOf(test.right);
  return text === undefined ? undefined : { header, text };
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
