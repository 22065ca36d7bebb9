import { createScanner, findNodeAtLocation, getNodeValue, type ParseError, parseTree } from "jsonc-parser";
import type { Result } from "../../text/result.js";
import { createMistake, findShapeMistakes, findSyntaxMistakes, type SettingsMistake } from "./mistakes.js";
import { createSettingsSchema, createSettingsShape, type NamedRule, type SettingsDocument } from "./shape.js";

/**
 * Parses a configuration file, or returns all its errors: JSON, with comments and trailing commas allowed.
 *
 * @param rules all rules; other names are errors
 */
export function readSettings(
  text: string,
  rules: readonly NamedRule[],
): Result<SettingsDocument, readonly SettingsMistake[]> {
  const plain = text.replace(/^\uFEFF/, "");
  const beyond = findLimitViolation(plain);
  if (beyond) return { ok: false, error: [createMistake(plain, beyond.offset, beyond.code, beyond.message)] };
  const errors: ParseError[] = [];
  const root = parseTree(plain, errors, { allowTrailingComma: true });
  const mistakes = findSyntaxMistakes(plain, root, errors);
  if (root === undefined || mistakes.length > 0) return { ok: false, error: mistakes };
  const { success, data, error } = createSettingsShape(rules).safeParse(getNodeValue(root));
  if (!success) return { ok: false, error: findShapeMistakes(plain, root, error.issues, createSettingsSchema(rules)) };
  const servers = findNodeAtLocation(root, ["servers"]);
  if (servers && data.entry !== undefined)
    return {
      ok: false,
      error: [
        createMistake(
          plain,
          servers.offset,
          "entry-and-servers",
          "`entry` and `servers` cannot be used together; use `servers` for several servers",
        ),
      ],
    };
  return { ok: true, value: data };
}

/** Size limit of a configuration file: the largest useful ones have some thousand bytes. */
export const MAX_SETTINGS_BYTES = 1 << 20;
/** Limit of the values in it, including names. */
export const MAX_SETTINGS_VALUES = 20_000;
/** Limit of nested lists and objects; a configuration file needs five. */
export const MAX_SETTINGS_DEPTH = 32;

/** The limit that a text exceeds, and the position. */
export interface LimitViolation {
  readonly code: "too-large" | "too-deep" | "too-many-values";
  readonly offset: number;
  readonly message: string;
}

/** Checks the limits of a text before it is parsed, since parsing recurses as deep as the text does. */
function findLimitViolation(text: string): LimitViolation | undefined {
  if (text.length > MAX_SETTINGS_BYTES)
    return { code: "too-large", offset: 0, message: `the file is larger than ${MAX_SETTINGS_BYTES >> 20} MB` };
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
      return {
        code: "too-deep",
        offset,
        message: `lists and objects are nested more than ${MAX_SETTINGS_DEPTH} deep here`,
      };
    if (values > MAX_SETTINGS_VALUES)
      return {
        code: "too-many-values",
        offset,
        message: `the file has more than ${MAX_SETTINGS_VALUES} names and values`,
      };
  }
  return undefined;
}
