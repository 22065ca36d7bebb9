import type { Condition, Word } from "../../grammar/expression/ast.js";
import type { Directive } from "../project/directive.js";
import type { Scope } from "../project/scope.js";
import { constantOf } from "../scope/expression-text.js";
import { conditionOf } from "../scope/expression-value.js";
import type { Request } from "../scope/request.js";
import { addressIn } from "./clients.js";
import { nameFor, sampleOfWildcard } from "./sample-text.js";

/** What conditions want of a request; what they do not name may be anything. */
export type Wanted = Partial<Pick<Request, "path" | "host" | "method" | "clientIp">>;

/**
 * What the If sections around a scope want of a request; undefined where that cannot be told from them. Whoever asks sees for
 * himself whether they hold, and whether those ahead of an Else do not.
 */
export function wantedAround(scope: Scope): Wanted | undefined {
  const outer = scope.parent ? wantedAround(scope.parent) : {};
  const own = scope.place === "if" && scope.section ? wantedBySection(scope.section) : {};
  return own && outer && joined([own, outer]);
}

function wantedBySection(section: Directive): Wanted | undefined {
  if (section.key === "<else") return {};
  const condition = conditionOf(section);
  return condition && wantedBy(condition);
}

function wantedBy(condition: Condition): Wanted | undefined {
  switch (condition.kind) {
    case "constant":
      return condition.value ? {} : undefined;
    case "and":
      return joined(condition.operands.map(wantedBy));
    case "or":
      return condition.operands.map(wantedBy).find((each) => each !== undefined);
    case "comparison":
      return condition.operator.name === "=="
        ? (valued(condition.left, constantOf(condition.right)) ?? valued(condition.right, constantOf(condition.left)))
        : undefined;
    case "match":
      return condition.operator.name === "=~" ? valued(condition.left, nameFor(condition.regex.pattern)) : undefined;
    case "membership":
      return condition.list.kind === "list" ? valued(condition.left, constantOf(condition.list.words[0])) : undefined;
    case "unary":
      return condition.operator.name === "-R" ? addressIn(constantOf(condition.operand) ?? "") : undefined;
    case "binary":
      return wantedByBinary(condition.operator.name, condition.left, constantOf(condition.right) ?? "");
    default:
      return undefined;
  }
}

function wantedByBinary(operator: string, left: Word, right: string): Wanted | undefined {
  switch (operator) {
    case "-ipmatch":
      return valued(left, addressIn(right)?.clientIp);
    case "-strmatch":
    case "-strcmatch":
    case "-fnmatch":
      return valued(left, sampleOfWildcard(right));
    default:
      return undefined;
  }
}

/** What a request has to be for a variable to have a value. */
function valued(word: Word, value: string | undefined): Wanted | undefined {
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

/** All of them at once; undefined where they want different things. */
function joined(all: readonly (Wanted | undefined)[]): Wanted | undefined {
  let sum: Wanted = {};
  for (const each of all) {
    if (each === undefined) return undefined;
    const both = { ...sum, ...each };
    const is = (name: keyof Wanted) => sum[name] === undefined || sum[name] === both[name];
    if (!is("path") || !is("host") || !is("method") || !is("clientIp")) return undefined;
    sum = both;
  }
  return sum;
}
