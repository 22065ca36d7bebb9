import { childrenOf, type ExpressionNode } from "../../../grammar/expression/ast.js";
import { parseExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { expressionOf } from "../../config/queries/expressions.js";
import { memoize } from "../../text/memoize.js";
import { parseConditionTest } from "../rewrite/rule-parser.js";

/** Operators that make a subrequest for a URL or a file (server/util_expr_eval.c `op_url_subr`, `op_file_subr`). */
const subrequestOperators: ReadonlySet<string> = new Set(["-A", "-F", "-U"]);

/**
 * Reports whether a line of the configuration tests a URL or a file with a subrequest. The server checks access to it, and
 * logs the messages of that check as well; they are not simulated.
 */
export const testsSubrequests = memoize((project: Project): boolean => {
  for (const line of iterateDirectives(project)) if (isSubrequestTest(line)) return true;
  return false;
});

function isSubrequestTest(line: Directive): boolean {
  const expression = expressionOf(line);
  if (expression) return hasSubrequestOperator(expression.text);
  if (line.key !== "rewritecond" && line.key !== "rewriterule") return false;
  if (/%\{LA-[FU]:/i.test(line.argumentText)) return true;
  const [input, pattern] = line.arguments;
  if (line.key === "rewriterule" || input === undefined || pattern === undefined) return false;
  const { test } = parseConditionTest(pattern.value, input.value.toLowerCase() === "expr");
  if (test.kind === "expression") return hasSubrequestOperator(test.text);
  return test.kind === "file" && subrequestOperators.has(`-${test.test}`);
}

function hasSubrequestOperator(text: string): boolean {
  const parsed = parseExpression(text);
  return parsed.ok && containsOperator(parsed.value.expression);
}

function containsOperator(node: ExpressionNode): boolean {
  if (node.kind === "unary" && subrequestOperators.has(node.operator.name)) return true;
  return childrenOf(node).some(containsOperator);
}
