import { findNodeAtLocation, getNodeValue, type ParseError, parseTree } from "jsonc-parser";
import { beyondSettings } from "./bounds.js";
import { at, type Mistake, mistakesOfShape, mistakesOfText } from "./mistakes.js";
import { type NamedRule, settingsSchema, settingsShape, type WrittenSettings } from "./shape.js";

/** What a settings file says, or all that is wrong with it. */
export type ReadSettings = { readonly written: WrittenSettings } | { readonly mistakes: readonly Mistake[] };

/**
 * Reads a settings file: JSON, with comments and a comma behind the last allowed.
 *
 * @param rules all there are: others are mistakes
 */
export function readSettings(text: string, rules: readonly NamedRule[]): ReadSettings {
  const plain = text.replace(/^\uFEFF/, "");
  const beyond = beyondSettings(plain);
  if (beyond) return { mistakes: [at(plain, beyond.offset, beyond.message)] };
  const errors: ParseError[] = [];
  const root = parseTree(plain, errors, { allowTrailingComma: true });
  const mistakes = mistakesOfText(plain, root, errors);
  if (root === undefined || mistakes.length > 0) return { mistakes };
  const { success, data, error } = settingsShape(rules).safeParse(getNodeValue(root));
  if (!success) return { mistakes: mistakesOfShape(plain, root, error.issues, settingsSchema(rules)) };
  const servers = findNodeAtLocation(root, ["servers"]);
  if (servers && data.entry !== undefined)
    return {
      mistakes: [at(plain, servers.offset, "`entry` is for one server and `servers` for several; keep one of them")],
    };
  return { written: data };
}
