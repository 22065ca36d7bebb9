/** What a RewriteCond asks of its text. */
export type ConditionTest =
  | { readonly kind: "pattern"; readonly pattern: string }
  | { readonly kind: "expression"; readonly text: string }
  | { readonly kind: "file" /** The letter of the test: `f`, `d`, `l` … */; readonly test: string }
  | { readonly kind: "text"; readonly operator: "<" | "<=" | ">" | ">=" | "="; readonly operand: string }
  | {
      readonly kind: "number";
      readonly operator: "-lt" | "-le" | "-gt" | "-ge" | "-eq";
      readonly operand: string;
    };

type TextOperator = Extract<ConditionTest, { kind: "text" }>["operator"];
type NumberOperator = Extract<ConditionTest, { kind: "number" }>["operator"];

const textOperators: readonly TextOperator[] = ["<=", ">=", "<", ">", "="];
const numberOperators: readonly NumberOperator[] = ["-lt", "-le", "-gt", "-ge", "-eq"];

/** What kind of test a pattern is, and whether it is the other way round (mod_rewrite.c `cmd_rewritecond`). */
export function readTest(
  written: string,
  isExpression: boolean,
): { readonly test: ConditionTest; readonly isNegated: boolean } {
  const isNegated = written.startsWith("!");
  const text = isNegated ? written.slice(1) : written;
  if (isExpression) return { test: { kind: "expression", text }, isNegated };
  // A single character is a pattern whatever it is.
  if (text.length < 2) return { test: { kind: "pattern", pattern: text }, isNegated };
  if (/^-[fsdxhLlUF]$/.test(text)) return { test: { kind: "file", test: text.charAt(1) }, isNegated };
  const number = text.length > 3 ? numberOperators.find((operator) => text.startsWith(operator)) : undefined;
  if (number) return { test: { kind: "number", operator: number, operand: text.slice(3) }, isNegated };
  if (text.length > 3 && text.startsWith("-ne"))
    return { test: { kind: "number", operator: "-eq", operand: text.slice(3) }, isNegated: !isNegated };
  const operator = textOperators.find((each) => text.startsWith(each));
  if (operator === undefined) return { test: { kind: "pattern", pattern: text }, isNegated };
  const operand = text.slice(operator.length);
  return { test: { kind: "text", operator, operand: operator === "=" && operand === '""' ? "" : operand }, isNegated };
}
