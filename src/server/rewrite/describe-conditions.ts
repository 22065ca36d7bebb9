import { toReadable } from "../../text/source.js";
import { isUnknown } from "../model/unknown-value.js";
import type { TestedCondition } from "./conditions.js";
import { expandText } from "./expansion.js";
import type { RewriteContext } from "./rewrite-context.js";
import type { RewriteCondition, RewriteRule } from "./rule-parser.js";

/** More conditions are hard to read. */
const MAX_CONDITIONS = 4;

/** What file tests look for, by their letters. */
const fileKinds: ReadonlyMap<string, string> = new Map([
  ["f", "an existing file"],
  ["d", "an existing directory"],
  ["s", "a file with content"],
  ["l", "a symbolic link"],
  ["L", "a symbolic link"],
  ["h", "a symbolic link"],
]);

/**
 * Describes why the conditions of a rule are true: `condition 1 is true: %{HTTP_HOST} is "x"`. Empty if the rule has none.
 *
 * @param met the conditions that hold, in order; of those joined by OR only the first
 */
export function describeConditions(
  { conditions }: RewriteRule,
  met: readonly TestedCondition[],
  context: RewriteContext,
): readonly string[] {
  const clauses = met.slice(0, MAX_CONDITIONS).map((tested) => {
    const name = conditions.length > 1 ? `condition ${conditions.indexOf(tested.by) + 1}` : "its condition";
    const why = describeValue(tested, context);
    return `${name} is true${why === undefined ? "" : `: ${why}`}`;
  });
  const more = met.length > MAX_CONDITIONS ? [`and ${met.length - MAX_CONDITIONS} more`] : [];
  return clauses.length === 0 ? [] : [[...clauses, ...more].join("; ")];
}

function describeValue({ by, references }: TestedCondition, context: RewriteContext): string | undefined {
  const { input, test } = by;
  if (test.kind === "expression" || !/[%$]/.test(input)) return undefined;
  const value = expandText(input, references, context);
  if (isUnknown(value)) return undefined;
  const shown = value === "" ? "empty" : `\`${toReadable(value)}\``;
  const found = test.kind === "file" ? describeFile(by, test.test) : undefined;
  return `\`${toReadable(input)}\` is ${shown}${found === undefined ? "" : `, ${found}`}`;
}

function describeFile({ isNegated }: RewriteCondition, test: string): string | undefined {
  const kind = fileKinds.get(test);
  return kind === undefined ? undefined : `which is ${isNegated ? "not " : ""}${kind}`;
}
