import type { Directive } from "../project/directive.js";
import { isExpansion, type Macro } from "../project/macros.js";
import type { Methods } from "./policy.js";
import { isDenied, isGranted, keyOf, type Rule, type RuleLine } from "./rule.js";
import type { Operator } from "./want.js";

/** A line to be written. */
export interface BlockLine {
  readonly depth: number;
  readonly text: string;
  /** The line that it says again. */
  readonly of: Directive | undefined;
}

/** A line that says nothing again. */
export function plainLine(text: string, depth = 0): BlockLine {
  return { depth, text, of: undefined };
}

/** How a section is laid over what is below it. */
export function mergingLine(operator: Operator): BlockLine {
  return plainLine(`AuthMerging ${operator === "and" ? "And" : "Or"}`);
}

/** How lines are written where they come to stand: in the definition of a macro with its parameters. */
export interface Place {
  readonly macro: Macro | undefined;
}

/** Rules for each method as lines, with Limit sections where they are not the same for all. */
export function blockOf(
  rules: readonly Rule[],
  methods: Methods,
  operator: Operator | undefined,
  place: Place,
): readonly BlockLine[] {
  const groups = new Map<string, { rule: Rule; methods: string[] }>();
  for (const [index, rule] of rules.entries()) {
    const key = keyOf(rule);
    const group = groups.get(key) ?? { rule, methods: [] };
    groups.set(key, group);
    group.methods.push(methods[index] ?? "");
  }
  const merging = operator === undefined ? [] : [mergingLine(operator)];
  if (groups.size === 1) return [...merging, ...rules.slice(0, 1).flatMap((rule) => linesOf(rule, 0, place, true))];
  const needless = operator === "or" ? isDenied : isGranted;
  const lines: BlockLine[] = [...merging];
  const other = methods.at(-1) ?? "";
  const others = [...groups.values()].filter((group) => group.methods.includes(other));
  const named = [...groups.values()].filter((group) => !group.methods.includes(other));
  for (const group of [...named, ...others]) {
    if (needless(group.rule)) continue;
    const isOthers = group.methods.includes(other);
    const left = isOthers ? methods.filter((method) => !group.methods.includes(method)) : group.methods;
    const tag = isOthers ? "LimitExcept" : "Limit";
    lines.push(plainLine(`<${tag} ${left.join(" ")}>`));
    lines.push(...linesOf(group.rule, 1, place, true));
    lines.push(plainLine(`</${tag}>`));
  }
  return lines;
}

const tags = { all: "RequireAll", any: "RequireAny", none: "RequireNone" } as const;

/** @param isTop whether side by side any is enough */
function linesOf(rule: Rule, depth: number, place: Place, isTop: boolean): readonly BlockLine[] {
  if (rule.kind === "line") return [{ depth, text: textOf(rule, place), of: rule.of }];
  if (isTop && rule.kind === "any") return rule.rules.flatMap((each) => linesOf(each, depth, place, false));
  const tag = tags[rule.kind];
  return [
    plainLine(`<${tag}>`, depth),
    ...rule.rules.flatMap((each) => linesOf(each, depth + 1, place, false)),
    plainLine(`</${tag}>`, depth),
  ];
}

function textOf({ negated, words, written, of }: RuleLine, { macro }: Place): string {
  const file = of?.span.file;
  const isElsewhere = file !== undefined && isExpansion(file) && file.macro !== macro;
  return `Require ${negated ? "not " : ""}${isElsewhere ? words : written}`;
}
