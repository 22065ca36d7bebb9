import type { Directive } from "../../../config/model/directive.js";
import { isExpansion, type Macro } from "../../../config/reader/macros.js";
import { isAccessLine, isLegacyDirective } from "../../../server/access/lines-of-24.js";
import {
  isDenyAll,
  isGrantAll,
  type RequireLineNode,
  type RequireNode,
  ruleKey,
} from "../../../server/access/require-nodes.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import { getOrCreate } from "../../../text/collections.js";
import type { MigrationMethods } from "../plan/access-policy.js";
import { omitRedundantRules } from "../plan/implication.js";
import type { MergeOperator } from "../plan/requirement.js";
import type { SectionPlan } from "../plan/section-plan.js";

/** A line to be written. */
export interface BlockLine {
  readonly depth: number;
  readonly text: string;
  /** The directive that it restates. */
  readonly of: Directive | undefined;
}

/** Returns a line that does not restate a directive. */
export function createTextLine(text: string, depth = 0): BlockLine {
  return { depth, text, of: undefined };
}

/** Returns the AuthMerging line for an operator. */
export function createMergingLine(operator: MergeOperator): BlockLine {
  return createTextLine(`AuthMerging ${operator === "and" ? "And" : "Or"}`);
}

/** The target location of the lines, such as a macro definition with its parameters. */
export interface MacroContext {
  readonly macro: Macro | undefined;
}

/** Renders the rules of each method as lines, without redundant ones, with Limit sections if the methods differ. */
export function buildRequireBlock(
  planned: readonly RequireNode[],
  methods: MigrationMethods,
  operator: MergeOperator | undefined,
  place: MacroContext,
): readonly BlockLine[] {
  const rules = planned.map(omitRedundantRules);
  const groups = new Map<string, { rule: RequireNode; methods: string[] }>();
  for (const [index, rule] of rules.entries()) {
    const key = ruleKey(rule);
    const group = getOrCreate(groups, key, () => ({ rule, methods: [] }));
    group.methods.push(methods[index] ?? "");
  }
  const merging = operator === undefined ? [] : [createMergingLine(operator)];
  if (groups.size === 1) return [...merging, ...rules.slice(0, 1).flatMap((rule) => blockLinesOf(rule, 0, place))];
  const redundant = operator === "or" ? isDenyAll : isGrantAll;
  const lines: BlockLine[] = [...merging];
  const other = methods.at(-1) ?? "";
  const others = [...groups.values()].filter((group) => group.methods.includes(other));
  const named = [...groups.values()].filter((group) => !group.methods.includes(other));
  for (const group of [...named, ...others]) {
    if (redundant(group.rule)) continue;
    const isInOtherSet = group.methods.includes(other);
    const left = isInOtherSet ? methods.filter((method) => !group.methods.includes(method)) : group.methods;
    const tag = isInOtherSet ? "LimitExcept" : "Limit";
    lines.push(createTextLine(`<${tag} ${left.join(" ")}>`));
    lines.push(...blockLinesOf(group.rule, 1, place));
    lines.push(createTextLine(`</${tag}>`));
  }
  return lines;
}

const tags = { all: "RequireAll", any: "RequireAny", none: "RequireNone" } as const;

/** Returns the lines of a rule. Alternatives are in a container, although lines side by side would be some, too. */
function blockLinesOf(rule: RequireNode, depth: number, place: MacroContext): readonly BlockLine[] {
  if (rule.kind === "line") return [{ depth, text: textOf(rule, place), of: rule.of }];
  const tag = tags[rule.kind];
  return [
    createTextLine(`<${tag}>`, depth),
    ...rule.rules.flatMap((each) => blockLinesOf(each, depth + 1, place)),
    createTextLine(`</${tag}>`, depth),
  ];
}

function textOf({ negated, words, written, of }: RequireLineNode, { macro }: MacroContext): string {
  const file = of?.span.file;
  const isElsewhere = file !== undefined && isExpansion(file) && file.macro !== macro;
  return `Require ${negated ? "not " : ""}${isElsewhere ? words : written}`;
}

/** Returns the macro whose body contains a section. */
export function findEnclosingMacro({ content, section }: ConfigLayer): Macro | undefined {
  const file = (section ?? content[0])?.span.file;
  return file && isExpansion(file) ? file.macro : undefined;
}

/** Returns the directives of a section that the migration deletes. */
export function listRemovedLines(layer: ConfigLayer, plan: SectionPlan): readonly Directive[] {
  return layer.directives.filter((each) => {
    if (plan.kind !== "kept") return isAccessLine(each);
    return isLegacyDirective(each) || (plan.operator !== undefined && each.key === "authmerging");
  });
}

/** A directive of a section, and the side of it to insert at. */
export interface BlockAnchor {
  readonly directive: Directive;
  readonly where: "before" | "after";
}

/**
 * Returns the insertion point for the new lines of a section: its first deleted line, else before its first access
 * directive, else its start.
 */
export function blockAnchorOf(layer: ConfigLayer, removedLines: readonly Directive[]): BlockAnchor | undefined {
  const first = removedLines[0] ?? layer.directives.find(isAccessLine);
  if (first) return { directive: outermostIn(layer, first), where: "before" };
  if (layer.section) return { directive: layer.section, where: "after" };
  const [content] = layer.content;
  return content && { directive: content, where: "before" };
}

/** Returns the outermost directive of a section that contains a directive; the directive itself if it is not nested. */
function outermostIn(layer: ConfigLayer, directive: Directive): Directive {
  const { parent } = directive;
  return parent === undefined || parent === layer.section || !layer.directives.includes(parent)
    ? directive
    : outermostIn(layer, parent);
}
