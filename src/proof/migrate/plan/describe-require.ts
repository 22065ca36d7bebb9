import { argumentsOfLine, isDenyAll, isGrantAll, type RequireNode } from "../../../server/access/require-nodes.js";
import { formatWordList } from "../../../text/words.js";

/** Some methods, or all but some; undefined for all. */
export type StatedMethods = { readonly except: boolean; readonly names: readonly string[] } | undefined;

/** Describes the clients that a rule allows, as a clause. @param rule undefined if no Require can express it */
export function describeRule(rule: RequireNode | undefined): string {
  if (rule === undefined) return "requests fail with status 500";
  if (isGrantAll(rule)) return "every client is allowed";
  if (isDenyAll(rule)) return "no client is allowed";
  return `clients are allowed by ${describeCondition(rule)}`;
}

/** Describes the methods that a rule is for, to be added to a word; empty for all. */
export function describeStatedMethods(methods: StatedMethods): string {
  if (methods === undefined) return "";
  return `, with ${methods.except ? "methods other than " : ""}${formatWordList(methods.names)}`;
}

const joins = { all: " and ", any: " or ", none: " or " } as const;

function describeCondition(rule: RequireNode): string {
  if (rule.kind === "line") return `\`Require ${argumentsOfLine(rule)}\``;
  const parts = rule.rules.map((each) =>
    each.kind === "line" ? describeCondition(each) : `(${describeCondition(each)})`,
  );
  return `${rule.kind === "none" ? "none of " : ""}${parts.join(joins[rule.kind])}`;
}
