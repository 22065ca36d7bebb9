import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { transformSync } from "esbuild";
import { parseAst } from "vitest/node";

/** A node of the syntax tree, as far as it is read here. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
}

/** Methods that read a text: their arguments stay, so that a reader of words misses the replaced ones. */
const readers: ReadonlySet<string> = new Set([
  ...["startsWith", "endsWith", "includes", "indexOf", "lastIndexOf", "match", "matchAll", "replace", "replaceAll"],
  ...["test", "exec", "has", "get", "split", "search", "localeCompare"],
  // Lists of keywords, which a directive or an expression accepts.
  ...["allowWords", "namesOf"],
]);

/**
 * Replaces the texts for people in the sources: literals with two words in a row, unless they are read, compared or a name. Letters
 * change, and all else stays, such as the marks around a quoted name.
 *
 * @param isKept reports whether a literal is not a text for people, such as a line of a configuration
 */
export function replaceWords(isKept: (text: string) => boolean): {
  readonly plugin: Plugin;
  readonly count: () => number;
} {
  let count = 0;
  const plugin: Plugin = {
    name: "replace-words",
    setup(build) {
      build.onLoad({ filter: /\/(?:src|rules|grammar)\/.*\.ts$/ }, ({ path }) => {
        const code = toJavaScript(readFileSync(path, "utf8"));
        const replaced = findReplaced(code, isKept);
        count += replaced.length;
        return { loader: "js", contents: replaceIn(code, replaced) };
      });
    },
  };
  return { plugin, count: () => count };
}

/** Returns the JavaScript of a source with its texts replaced. */
export function replaceTexts(source: string, isKept: (text: string) => boolean): string {
  const code = toJavaScript(source);
  return replaceIn(code, findReplaced(code, isKept));
}

function toJavaScript(source: string): string {
  return transformSync(source, { loader: "ts", charset: "utf8" }).code;
}

function findReplaced(code: string, isKept: (text: string) => boolean): ReturnType<typeof findTexts> {
  return findTexts(code).filter(([start, end]) => !isKept(code.slice(start, end).replace(/^"|"$/g, "")));
}

function replaceIn(code: string, ranges: readonly (readonly [start: number, end: number])[]): string {
  let result = "";
  let done = 0;
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    result += code.slice(done, start) + code.slice(start, end).replace(/\\[\s\S]|[a-z]/g, rotate);
    done = end;
  }
  return result + code.slice(done);
}

/** Returns another letter; an escape stays. */
function rotate(letter: string): string {
  return letter.length > 1 ? letter : String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97);
}

/** Returns the ranges of the texts for people. */
function findTexts(code: string): readonly (readonly [start: number, end: number])[] {
  const found: [start: number, end: number][] = [];
  const visit = (node: SyntaxNode, isRead: boolean) => {
    if (node.type === "Literal" && typeof node["value"] === "string" && !isRead && isText(node["value"]))
      found.push([node.start, node.end]);
    if (node.type === "TemplateElement" && !isRead && isText(code.slice(node.start, node.end)))
      found.push([node.start, node.end]);
    for (const [part, child] of partsOf(node)) visit(child, isReadPart(node, part, isRead));
  };
  visit(asNode(parseAst(code)), false);
  return found;
}

function isText(text: string): boolean {
  return /[a-z]{2,} [a-z]{2,}/.test(text);
}

/** Reports whether a part of a node is read or compared: not a text that the program makes. */
function isReadPart(node: SyntaxNode, part: string, isRead: boolean): boolean {
  switch (node.type) {
    case "CallExpression":
      return readers.has(calledName(node));
    case "NewExpression":
      return part === "arguments" && isNode(node["callee"]) && node["callee"]["name"] === "RegExp";
    case "BinaryExpression":
      return isRead || /^(?:[!=]==?|in)$/.test(String(node["operator"]));
    case "SwitchCase":
      return part === "test";
    case "Property":
    case "PropertyDefinition":
      return part === "key" && node["computed"] !== true;
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return part === "source";
    case "TaggedTemplateExpression":
      return part === "quasi";
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return false;
    default:
      return isRead;
  }
}

function calledName({ callee }: SyntaxNode): string {
  if (isNode(callee) && callee.type === "Identifier") return String(callee["name"]);
  const [, property] = isNode(callee) ? (partsOf(callee).find(([part]) => part === "property") ?? []) : [];
  return property === undefined ? "" : String(property["name"]);
}

function partsOf(node: SyntaxNode): readonly (readonly [part: string, child: SyntaxNode])[] {
  return Object.entries(node).flatMap(([part, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((child) => [part, child] as const),
  );
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function asNode(value: unknown): SyntaxNode {
  if (!isNode(value)) throw new Error("the code has no syntax tree");
  return value;
}
