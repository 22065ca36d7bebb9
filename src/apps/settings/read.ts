import { createScanner, findNodeAtLocation, getNodeValue, type ParseError, parseTree } from "jsonc-parser";
import { createMistake, findShapeMistakes, findSyntaxMistakes, type SettingsMistake } from "./mistakes.js";
import { createSettingsSchema, createSettingsShape, type NamedRule, type SettingsDocument } from "./shape.js";

/** The contents of a configuration file, or all its errors. */
export type SettingsParseResult =
  | { readonly written: SettingsDocument }
  | { readonly mistakes: readonly SettingsMistake[] };

/**
 * Parses a configuration file: JSON, with comments and trailing commas allowed.
 *
 * @param rules all rules; other names are errors
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
        createMistake(
          plain,
          servers.offset,
          "`entry` and `servers` cannot be used together; use `servers` for several servers",
        ),
      ],
    };
  return { written: data };
}

/** Size limit of a configuration file: the largest useful ones have some thousand bytes. */
export const MAX_SETTINGS_BYTES = 1 << 20;
/** Limit of the values in it, including names. */
export const MAX_SETTINGS_VALUES = 20_000;
/** Limit of nested lists and objects; a configuration file needs five. */
export const MAX_SETTINGS_DEPTH = 32;

/** The limit that a text exceeds, and the position. */
export interface LimitViolation {
  readonly offset: number;
  readonly message: string;
}

/** Checks the limits of a text before it is parsed, since parsing recurses as deep as the text does. */
function findLimitViolation(text: string): LimitViolation | undefined {
  if (text.length > MAX_SETTINGS_BYTES)
    return { offset: 0, message: `the file is larger than ${MAX_SETTINGS_BYTES >> 20} MB` };
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
      return { offset, message: `lists and objects are nested more than ${MAX_SETTINGS_DEPTH} deep here` };
    if (values > MAX_SETTINGS_VALUES)
      return { offset, message: `the file has more than ${MAX_SETTINGS_VALUES} names and values` };
  }
  return undefined;
}
