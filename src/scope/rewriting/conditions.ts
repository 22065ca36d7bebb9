import { toReadable } from "../../text/source.js";
import { conditionIn, evaluate } from "../expression-value.js";
import type { FileTree } from "../files.js";
import type { AddressText, SentText } from "../looks.js";
import { type Groups, patternOf } from "../patterns.js";
import { Questions } from "../questions.js";
import { canonicalPath } from "../section-index.js";
import type { ConditionTest } from "./condition-tests.js";
import { type BackReferences, isUnknown, type RewriteContext, type Unknown } from "./context.js";
import { expanded } from "./expansion.js";
import type { RewriteCondition, Rule } from "./rules.js";

/** Whether the conditions of a rule hold, and what they leave for `%1`; the one that does not, or what cannot be told. */
export type Verdict =
  | { readonly kind: "hold"; readonly condition: Groups | Unknown }
  | { readonly kind: "fail"; readonly by: RewriteCondition }
  | { readonly kind: "unknown"; readonly why: Unknown };

/** Tests the conditions of a rule in turn (mod_rewrite.c `apply_rewrite_rule`). */
export function testConditions({ conditions }: Rule, rule: Groups, context: RewriteContext): Verdict {
  let condition: Groups | Unknown = [];
  let untold: Unknown | undefined;
  /** What cannot be told of the alternatives joined by OR so far. */
  let untoldOr: Unknown | undefined;
  for (let i = 0; i < conditions.length; i++) {
    const each = conditions[i];
    if (each === undefined) break;
    const result = testCondition(each, { rule, condition }, context);
    if (isUnknown(result)) {
      condition = result;
      if (each.orNext) untoldOr ??= result;
      else untold ??= result;
    } else if (result.holds) {
      if (untoldOr !== undefined) condition = untoldOr;
      else if (result.groups) condition = result.groups;
      // The alternatives behind one that holds are not tested; the last of them has no OR.
      while (conditions[i]?.orNext) i++;
      untoldOr = undefined;
    } else if (!each.orNext) {
      if (untoldOr === undefined) return { kind: "fail", by: each };
      untold ??= untoldOr;
      untoldOr = undefined;
    }
  }
  return untold ? { kind: "unknown", why: untold } : { kind: "hold", condition };
}

/** The groups may be unknown where the answer is not. */
type Tested = { readonly holds: boolean; readonly groups?: Groups | Unknown | undefined } | Unknown;

function testCondition(condition: RewriteCondition, references: BackReferences, context: RewriteContext): Tested {
  const { isNegated, test } = condition;
  const input = expanded(condition.input, references, context);
  if (isUnknown(input)) return input;
  const result = noted(condition, tested(test, input, condition, context), context);
  if (isUnknown(result)) return result;
  return isNegated ? { holds: !result.holds } : result;
}

/** What the client sends as it likes, and where it does. */
const sentAtWill =
  /%\{(?:HTTP_|HTTP:|SSL:|QUERY_STRING|THE_REQUEST|REMOTE_|CONN_REMOTE_ADDR|IPV6|SERVER_|ENV:|AUTH_TYPE|LA-)/i;

/** Takes note of a test that hangs on the client; expressions and files see to that themselves. */
function noted(condition: RewriteCondition, result: Tested, context: RewriteContext): Tested {
  const { input, test } = condition;
  const { looks } = context.request;
  if (looks === undefined || isUnknown(result) || test.kind === "file" || !sentAtWill.test(input)) return result;
  // Where nobody is logged in by then, the name is empty.
  if (/^%\{REMOTE_USER\}$/i.test(input) && context.user === undefined) return result;
  const text = testText(condition);
  if (isOfOthers(input, context)) looks.untold(`${text.replace(/^whether /, "")} hangs on what other lines set`);
  const holds = looks.test(text, result.holds, sentIn(condition));
  return holds === result.holds ? result : { holds };
}

/** Whether lines of the configuration have a say in a text: in a variable, or a query that a rule has changed. */
function isOfOthers(input: string, { request, query }: RewriteContext): boolean {
  // Cut at its last bracket every name in it has an end: the search stays linear.
  const closed = input.slice(0, input.lastIndexOf("}") + 1);
  const names = [...closed.matchAll(/%\{ENV:([^}]*)\}/gi)].map(([, name = ""]) => name.toLowerCase());
  if (names.some((name) => request.looks?.ownVariables.has(name))) return true;
  return /%\{QUERY_STRING\}/i.test(input) && query !== (request.sent ?? request).query;
}

/** What is asked, without its being asked the other way round: the same words are the same test. */
function testText({ input, test, ignoreCase }: RewriteCondition): string {
  const anyCase = ignoreCase ? " in any case" : "";
  if (test.kind === "pattern") return toReadable(`whether \`${input}\` matches \`${test.pattern}\`${anyCase}`);
  const told = test.kind === "text" || test.kind === "number" ? `${test.operator} ${test.operand}` : "";
  return toReadable(`whether \`${input} ${told}\`${anyCase}`);
}

/** The one header that a condition is of, or the address. */
function sentIn({ input, test, ...condition }: RewriteCondition): SentText | AddressText | undefined {
  if (/^%\{REMOTE_ADDR\}$/i.test(input) && test.kind === "pattern")
    return { addressPattern: test.pattern, ignoreCase: condition.ignoreCase, isNegated: false };
  const [, variable, named] = /^%\{(?:HTTP_(\w+)|HTTP:([-\w]+))\}$/i.exec(input) ?? [];
  const header = named ?? variable?.replaceAll("_", "-");
  if (header === undefined) return undefined;
  if (test.kind === "pattern") return { header, pattern: test.pattern };
  return test.kind === "text" && test.operator === "=" ? { header, text: test.operand } : undefined;
}

function tested(test: ConditionTest, input: string, condition: RewriteCondition, context: RewriteContext): Tested {
  const { release } = context.project;
  switch (test.kind) {
    case "pattern":
      return matched(test.pattern, input, condition.ignoreCase);
    case "expression":
      return release === "2.2" ? matched(test.text, input, condition.ignoreCase) : heldExpression(test.text, context);
    case "file":
      return fileTest(test.test, input, context);
    case "text":
      return { holds: compared(test, input, condition.ignoreCase) };
    case "number":
      return release === "2.2"
        ? matched(`${test.operator}${test.operand}`, input, condition.ignoreCase)
        : { holds: numbersCompared(test, integer(input)) };
  }
}

/** What a pattern matches in a text; unknown where no linear matcher can tell. */
export function matched(
  pattern: string,
  subject: string,
  ignoreCase: boolean,
): { readonly holds: true; readonly groups: Groups } | { readonly holds: false } | Unknown {
  const asked = new Questions(new Map());
  const groups = patternOf(pattern, { ignoreCase }).find(subject, asked);
  if (asked.asked.size > 0) return { unknown: `whether the pattern \`${pattern}\` matches \`${subject}\`` };
  return groups ? { holds: true, groups } : { holds: false };
}

function heldExpression(text: string, context: RewriteContext): Tested {
  const condition = conditionIn(text);
  if (condition === undefined) return { holds: false };
  const questions = new Questions(new Map());
  const user = context.user === "unknown" ? undefined : context.user;
  const { holds, matched: found } = evaluate(condition, { ...context, questions, user });
  const [question] = questions.asked.keys();
  if (question !== undefined) return { unknown: question };
  // Where no pattern with groups was tried, the server looks at memory that nothing was written to.
  return { holds, groups: found?.groups ?? { unknown: `what \`%N\` is behind the expression \`${text}\`` } };
}

/** Tests of what lies on the disk. What is asked as a request of its own is not gone into. */
function fileTest(test: string, written: string, { files, questions }: RewriteContext): Tested {
  const untold: Unknown = { unknown: `what \`-${test}\` says of \`${written}\`` };
  if (written === "") return { holds: false };
  // The server works in the root directory.
  const path = written.startsWith("/") ? written : `/${written}`;
  const bare = canonicalPath(path) ?? path;
  if (/[lLh]/.test(test) && files.linkAt) return { holds: files.linkAt(bare) !== undefined };
  if (!/[fds]/.test(test)) return untold;
  if (!leadsThroughFolders(path, files, questions)) return { holds: false };
  const known = files.kindOf(bare);
  const exists = known === "unknown" ? questions.ask(`whether \`${bare}\` exists`) : known !== "missing";
  if (!exists) return { holds: false };
  const isDirectory = known === "unknown" ? questions.ask(`whether \`${bare}\` is a directory`) : known === "directory";
  if (test === "d") return { holds: isDirectory };
  if (isDirectory || path.endsWith("/")) return { holds: false };
  return test === "f" ? { holds: true } : untold;
}

/** Whether each `..` of a path leads out of a directory: the system goes nowhere from what is none. */
function leadsThroughFolders(path: string, files: FileTree, questions: Questions): boolean {
  return [...path.matchAll(/\/\.\.(?=\/|$)/g)].every(({ index }) => {
    const folder = canonicalPath(path.slice(0, index)) ?? "";
    const kind = files.kindOf(folder);
    return kind === "unknown" ? questions.ask(`whether \`${folder}\` is a directory`) : kind === "directory";
  });
}

type TextTest = Extract<ConditionTest, { kind: "text" }>;

/** Texts compare by their length first, unless case is nothing special (`compare_lexicography`). */
function compared({ operator, operand }: TextTest, input: string, ignoreCase: boolean): boolean {
  const [left, right] = ignoreCase ? [input.toLowerCase(), operand.toLowerCase()] : [input, operand];
  if (operator === "=") return left === right;
  const byLength = ignoreCase ? 0 : left.length - right.length;
  const difference = byLength !== 0 ? byLength : left < right ? -1 : left > right ? 1 : 0;
  switch (operator) {
    case "<":
      return difference < 0;
    case "<=":
      return difference <= 0;
    case ">":
      return difference > 0;
    case ">=":
      return difference >= 0;
  }
}

type NumberTest = Extract<ConditionTest, { kind: "number" }>;

function numbersCompared({ operator, operand }: NumberTest, left: number): boolean {
  const right = integer(operand);
  switch (operator) {
    case "-lt":
      return left < right;
    case "-le":
      return left <= right;
    case "-gt":
      return left > right;
    case "-ge":
      return left >= right;
    case "-eq":
      return left === right;
  }
}

/** C's `atoi`. */
function integer(text: string): number {
  return Number(/^[\t-\r ]*([+-]?\d+)/.exec(text)?.[1] ?? 0);
}
