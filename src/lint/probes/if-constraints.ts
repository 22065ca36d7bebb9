import type { Condition, Word } from "../../../grammar/expression/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Scope } from "../../config/model/scope.js";
import { sampleAddressIn } from "../../proof/requests/sample-clients.js";
import { sampleNameFor } from "../../proof/requests/sample-text.js";
import { constantOf } from "../../server/expression/constant-folding.js";
import { conditionOf } from "../../server/expression/evaluate.js";
import type { Request } from "../../server/model/request.js";
import { sampleWildcard } from "../../text/wildcards.js";

/** Properties that conditions require of a request; others are arbitrary. */
export type RequestConstraints = Partial<Pick<Request, "path" | "host" | "method" | "clientIp">>;

/**
 * Returns the properties that the If sections around a scope require of a request; undefined if they cannot be derived.
 * The caller must check that the sections apply, and that those before an Else do not.
 */
export function findIfConstraints(scope: Scope): RequestConstraints | undefined {
  const outer = scope.parent ? findIfConstraints(scope.parent) : {};
  const own = scope.place === "if" && scope.section ? constraintsOfSection(scope.section) : {};
  return own && outer && mergeConstraints([own, outer]);
}

function constraintsOfSection(section: Directive): RequestConstraints | undefined {
  if (section.key === "<else") return {};
  const condition = conditionOf(section);
  return condition && constraintsOf(condition);
}

function constraintsOf(condition: Condition): RequestConstraints | undefined {
  switch (condition.kind) {
    case "constant":
      return condition.value ? {} : undefined;
    case "and":
      return mergeConstraints(condition.operands.map(constraintsOf));
    case "or":
      return condition.operands.map(constraintsOf).find((each) => each !== undefined);
    case "comparison":
      return condition.operator.name === "=="
        ? (constraintsOfValue(condition.left, constantOf(condition.right)) ??
            constraintsOfValue(condition.right, constantOf(condition.left)))
        : undefined;
    case "match":
      return condition.operator.name === "=~"
        ? constraintsOfValue(condition.left, sampleNameFor(condition.regex.pattern))
        : undefined;
    case "membership":
      return condition.list.kind === "list"
        ? constraintsOfValue(condition.left, constantOf(condition.list.words[0]))
        : undefined;
    case "unary":
      return condition.operator.name === "-R" ? sampleAddressIn(constantOf(condition.operand) ?? "") : undefined;
    case "binary":
      return constraintsOfBinary(condition.operator.name, condition.left, constantOf(condition.right) ?? "");
    default:
      return undefined;
  }
}

function constraintsOfBinary(operator: string, left: Word, right: string): RequestConstraints | undefined {
  switch (operator) {
    case "-ipmatch":
      return constraintsOfValue(left, sampleAddressIn(right)?.clientIp);
    case "-strmatch":
    case "-strcmatch":
    case "-fnmatch":
      return constraintsOfValue(left, sampleWildcard(right));
    default:
      return undefined;
  }
}

/** Returns the request properties that give a variable a value. */
function constraintsOfValue(word: Word, value: string | undefined): RequestConstraints | undefined {
  if (word.kind !== "variable" || value === undefined) return undefined;
  switch (word.name.text.toUpperCase()) {
    case "REQUEST_URI":
      return { path: value.startsWith("/") ? value : `/${value}` };
    case "REMOTE_ADDR":
      return { clientIp: value };
    case "HTTP_HOST":
      return { host: value };
    case "REQUEST_METHOD":
      return { method: value };
    default:
      return undefined;
  }
}

/** Merges requirements; undefined if they conflict. */
function mergeConstraints(all: readonly (RequestConstraints | undefined)[]): RequestConstraints | undefined {
  let sum: RequestConstraints = {};
  for (const each of all) {
    if (each === undefined) return undefined;
    const both = { ...sum, ...each };
    const is = (name: keyof RequestConstraints) => sum[name] === undefined || sum[name] === both[name];
    if (!is("path") || !is("host") || !is("method") || !is("clientIp")) return undefined;
    sum = both;
  }
  return sum;
}
