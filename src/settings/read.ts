import { createScanner, findNodeAtLocation, getNodeValue, type ParseError, parseTree } from "jsonc-parser";
import { createMistake, findShapeMistakes, findSyntaxMistakes, type SettingsMistake } from "./mistakes.js";
import { createSettingsSchema, createSettingsShape, type NamedRule, type SettingsDocument } from "./shape.js";

/** What a settings file says, or all that is wrong with it. */
export type SettingsParseResult =
  | { readonly written: SettingsDocument }
  | { readonly mistakes: readonly SettingsMistake[] };

/**
 * Reads a settings file: JSON, with comments and a comma behind the last allowed.
 *
 * @param rules all there are: others are mistakes
 */
export function readSettings(text: string, rules: readonly NamedRule[]): SettingsParseResult {
  const plain = text.replace(/^\uFEFF/, "");
  const beyond = findLimitViolation(plain);
  if (beyond) return { mistakes: [createMistake(plain, beyond.offset, beyond.message)] };
  const errors: ParseError[] = [];
  const root = parseTree(plain, errors, { allowTrailingComma: true });
  const mistakes = findSyntaxMistakes(plain, root, errors);
  if (root === undefined || mistakes.length > 0) return { mistakes };
  const { success, data, error } = createSettingsShape(rules).safeParse(getNodeValue(root));
  if (!success) return { mistakes: findShapeMistakes(plain, root, error.issues, createSettingsSchema(rules)) };
  const servers = findNodeAtLocation(root, ["servers"]);
  if (servers && data.entry !== undefined)
    return {
      mistakes: [
        createMistake(plain, servers.offset, "`entry` is for one server and `servers` for several; keep one of them"),
      ],
    };
  return { written: data };
}

/** A settings file of more bytes is none: the largest that make sense are some thousand. */
export const MAX_SETTINGS_BYTES = 1 << 20;
/** So many values stand in it, names among them. */
export const MAX_SETTINGS_VALUES = 20_000;
/** So many lists and objects lie within each other; settings need five. */
export const MAX_SETTINGS_DEPTH = 32;

/** Where a text goes beyond what settings are, and what it is beyond. */
export interface LimitViolation {
  readonly offset: number;
  readonly message: string;
}

/** Looks ahead of parsing, which goes as deep as the text does, whether a text can be settings at all. */
function findLimitViolation(text: string): LimitViolation | undefined {
  if (text.length > MAX_SETTINGS_BYTES)
    return { offset: 0, message: `the file is larger than ${MAX_SETTINGS_BYTES >> 20} MB, which no settings are` };
  const scanner = createScanner(text, true);
  let depth = 0;
  let values = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    const first = text.charAt(offset);
    if (first === "{" || first === "[") depth++;
    if (first === "}" || first === "]") depth--;
    else if (first !== "," && first !== ":") values++;
    if (depth > MAX_SETTINGS_DEPTH)
      return { offset, message: `more than ${MAX_SETTINGS_DEPTH} lists and objects lie within each other here` };
    if (values > MAX_SETTINGS_VALUES)
      return { offset, message: `more than ${MAX_SETTINGS_VALUES} names and values stand in the file` };
  }
  return undefined;
}
