import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type * as z from "zod/mini";
import { findClosestWord } from "../../text/closest-word.js";
import { formatWordList } from "../../text/words.js";

/** The kinds of errors in a configuration file. */
export type SettingsMistakeCode =
  // Of the text.
  | "unreadable"
  | "empty"
  | "invalid-json"
  | "too-large"
  | "too-deep"
  | "too-many-values"
  // Of names and values.
  | "set-twice"
  | "unknown-option"
  | "unknown-rule"
  | "missing-value"
  | "invalid-value"
  | "entry-and-servers"
  // Of the files that it extends.
  | "base-unreadable"
  | "base-cycle"
  | "too-many-bases"
  /** The count of those that are not listed. */
  | "more"
  // Of what the values name.
  | "entry-not-found"
  | "directory-not-found"
  | "map-not-found"
  | "envvars-unreadable"
  | "baseline-unusable";

/** An error in a configuration file and its position. Line and column count from 1, columns in UTF-16 code units. */
export interface SettingsMistake {
  readonly code: SettingsMistakeCode;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

type SchemaPart = z.core.JSONSchema.BaseSchema;
type Path = readonly (string | number)[];
type Issue = z.core.$ZodIssue;

/** Returns JSON syntax errors and duplicate names. */
export function findSyntaxMistakes(
  text: string,
  root: Node | undefined,
  errors: readonly ParseError[],
): SettingsMistake[] {
  if (text.trim() === "")
    return [createMistake(text, 0, "empty", "the file is empty; use `{}` for a configuration without options")];
  const [error] = errors;
  if (error !== undefined) {
    const what = printParseErrorCode(error.error)
      .replaceAll(/(?<=.)[A-Z]/g, " $&")
      .toLowerCase();
    return [createMistake(text, error.offset, "invalid-json", `invalid JSON: ${what}`)];
  }
  const repeated = root === undefined ? [] : findRepeatedNames(root);
  return limitMistakes(
    text,
    repeated.map(
      ({ offset, value }): PlacedMistake => ({
        offset,
        code: "set-twice",
        message: () => `\`${String(value)}\` is set twice; keep one`,
      }),
    ),
  );
}

function findRepeatedNames({ type, children = [] }: Node): Node[] {
  const names = type === "object" ? children.flatMap(({ children: [name] = [] }) => name ?? []) : [];
  const seen = new Set<unknown>();
  const repeated = names.filter(({ value }) => seen.size === seen.add(value).size);
  return [...repeated, ...children.flatMap(findRepeatedNames)];
}

/** Returns the values and names that do not match the schema. */
export function findShapeMistakes(
  text: string,
  root: Node,
  issues: readonly Issue[],
  schema: SchemaPart,
): SettingsMistake[] {
  const placed = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? findUnknownNames(issue, root, schema) : findWrongValues(issue, root, schema),
  );
  return limitMistakes(text, placed);
}

/** Maximum number of errors to report; the first ones are kept. */
export const MAX_MISTAKES = 50;

interface PlacedMistake {
  readonly offset: number;
  readonly code: SettingsMistakeCode;
  /** Computed only for reported errors: there may be thousands. */
  readonly message: () => string;
}

/** Returns the first errors, and a count of the rest. */
function limitMistakes(text: string, placed: readonly PlacedMistake[]): SettingsMistake[] {
  const sorted = placed.toSorted((a, b) => a.offset - b.offset);
  const mistakes = sorted
    .slice(0, MAX_MISTAKES)
    .map(({ offset, code, message }) => createMistake(text, offset, code, message()));
  const next = sorted[MAX_MISTAKES];
  if (next === undefined) return mistakes;
  return [
    ...mistakes,
    createMistake(text, next.offset, "more", `${sorted.length - MAX_MISTAKES} more errors from here`),
  ];
}

/** Returns an error for each unknown name, with the nearest known one. */
function findUnknownNames(
  { path, keys }: z.core.$ZodIssueUnrecognizedKeys,
  root: Node,
  schema: SchemaPart,
): PlacedMistake[] {
  const where = pathOf(path);
  const known = Object.keys(partAt(schema, where)?.properties ?? {});
  const what = where[0] === "rules" ? "rule" : "option";
  const message = (key: string) => {
    const near = findClosestWord(key, known);
    const hint = near
      ? `did you mean \`${near}\`?`
      : what === "rule"
        ? "`httpd-lint rules` lists all rules"
        : `expected ${formatNames(known)}`;
    return `unknown ${what} \`${key}\`${where.length > 1 ? " here" : ""}; ${hint}`;
  };
  const offsets = new Map(nodeAt(root, where)?.children?.map((set) => [set.children?.[0]?.value, set.offset]));
  return keys.map((key) => ({ offset: offsets.get(key) ?? 0, code: `unknown-${what}`, message: () => message(key) }));
}

/** Reports a missing or invalid value. */
function findWrongValues({ path }: Issue, root: Node, schema: SchemaPart): PlacedMistake[] {
  const where = pathOf(path);
  const node = nodeAt(root, where);
  const part = partAt(schema, where);
  const subject = settingNameOf(where);
  if (node === undefined) {
    const offset = nodeAt(root, where.slice(0, -1))?.offset ?? 0;
    return [
      { offset, code: "missing-value", message: () => `${subject} is missing: expected ${describeExpected(part)}` },
    ];
  }
  const message = () => {
    // A version that does not exist is not a misspelling of another.
    const isName = typeof node.value === "string" && /^\D/.test(node.value);
    const near = isName && isLong(part) ? findClosestWord(String(node.value), listNames(part)) : undefined;
    const found = node.value === undefined ? describeEmpty(node) : `invalid value \`${JSON.stringify(node.value)}\``;
    const hint = near ? `; did you mean \`"${near}"\`?` : "";
    return `${found} for ${subject}: expected ${describeExpected(part)}${hint}`;
  };
  return [{ offset: node.offset, code: "invalid-value", message }];
}

function describeEmpty({ type, children = [] }: Node): string {
  return type === "array" && children.length === 0 ? "empty list" : "invalid value";
}

/** Returns the setting at a path; for a list item, the list. */
function settingNameOf(path: Path): string {
  const name = path.findLast((step) => typeof step === "string");
  if (name === undefined) return "the file";
  return typeof path.at(-1) === "number" ? `each item of \`${name}\`` : `\`${name}\``;
}

/** Returns whether an enumeration is too long to print: only the one of rule names is. */
function isLong(part: SchemaPart | undefined): boolean {
  return listNames(part).length > 5;
}

function describeExpected(part: SchemaPart | undefined): string {
  const names = listNames(part);
  if (part?.examples)
    return `a name such as ${formatWordList(
      part.examples.map((name) => `\`"${name}"\``),
      "or",
    )}`;
  if (part?.anyOf) return "a path or a list of paths";
  if (isLong(part)) return "the name of a rule or of a group";
  if (names.length > 0) return names.map((name) => `\`"${name}"\``).join(" or ");
  if (part?.pattern !== undefined && part.description !== undefined) return part.description;
  if (part?.type === "array") return isOfObjects(part) ? "a list of objects" : "a list of strings";
  if (part?.pattern !== undefined) return "an absolute path on the server";
  return part?.type === "object" ? "an object" : "a non-empty string";
}

function isOfObjects({ items }: SchemaPart): boolean {
  return typeof items === "object" && !Array.isArray(items) && items.type === "object";
}

function listNames(part: SchemaPart | undefined): string[] {
  return (part?.enum ?? []).map(String);
}

function formatNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function partAt(schema: SchemaPart, path: Path): SchemaPart | undefined {
  return path.reduce<SchemaPart | undefined>((part, step) => {
    const next = typeof step === "number" ? part?.items : (part?.properties?.[step] ?? part?.additionalProperties);
    return typeof next === "object" && !Array.isArray(next) ? next : undefined;
  }, schema);
}

function nodeAt(root: Node, path: Path): Node | undefined {
  return path.length === 0 ? root : findNodeAtLocation(root, [...path]);
}

function pathOf(path: readonly PropertyKey[]): Path {
  return path.map((step) => (typeof step === "symbol" ? String(step) : step));
}

/** Returns an error at the value with a path in a text that is valid. */
export function createMistakeAt(text: string, path: Path, code: SettingsMistakeCode, message: string): SettingsMistake {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return createMistake(text, (root && nodeAt(root, path)?.offset) ?? 0, code, message);
}

/** Returns an error at an offset of the text. */
export function createMistake(
  text: string,
  offset: number,
  code: SettingsMistakeCode,
  message: string,
): SettingsMistake {
  const before = text.slice(0, offset).split("\n");
  return { code, message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
