import type { ExpressionNode, Word } from "../../../grammar/expression/ast.js";
import { toReadable } from "../../text/source.js";

/** Returns a normalized text of a part of an expression: equal texts have the same meaning. */
export function formatExpression(node: ExpressionNode): string {
  return toReadable(textOf(node));
}

function textOf(node: ExpressionNode): string {
  switch (node.kind) {
    case "constant":
      return String(node.value);
    case "not":
      return `!(${textOf(node.operand)})`;
    case "and":
    case "or":
      return node.operands.map((operand) => `(${textOf(operand)})`).join(node.kind === "and" ? " && " : " || ");
    case "comparison":
    case "binary":
      return `${textOf(node.left)} ${node.operator.name} ${textOf(node.right)}`;
    case "match":
      return `${textOf(node.left)} ${node.operator.name} ${textOf(node.regex)}`;
    case "membership":
      return `${textOf(node.left)} -in ${textOf(node.list)}`;
    case "unary":
      return `${node.operator.name} ${textOf(node.operand)}`;
    case "regex":
      return `m${node.delimiter}${node.pattern}${node.delimiter}${node.ignoreCase ? "i" : ""}`;
    case "list":
      return `{ ${node.words.map(textOf).join(", ")} }`;
    case "listCall":
      return `${node.name.text}(${textOf(node.argument)})`;
    case "digits":
      return node.value;
    case "concatenation":
      return node.parts.map(textOf).join(" . ");
    case "string":
      return `'${node.parts.map(textOf).join("")}'`;
    case "text":
      return node.value.replace(/['\\]/g, "\\$&");
    case "backreference":
      return `$${node.number}`;
    case "variable":
      return `%{${node.name.text.toUpperCase()}}`;
    case "call":
      return `%{${node.name.text.toLowerCase()}:${textOf(node.argument)}}`;
  }
}

/** Returns the text of a word that is the same for all requests. */
export function constantOf(word: Word | undefined): string | undefined {
  if (word?.kind === "digits") return word.value;
  if (word?.kind !== "string" && word?.kind !== "concatenation") return undefined;
  const texts =
    word.kind === "concatenation"
      ? word.parts.map(constantOf)
      : word.parts.map((part) => (part.kind === "text" ? part.value : undefined));
  return texts.every((text) => text !== undefined) ? texts.join("") : undefined;
}
