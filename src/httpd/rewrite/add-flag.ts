import { parseRewriteWords } from "../../../grammar/arguments.js";
import type { Directive } from "../../project/model/directive.js";
import { type Edit, replaceSpan } from "../../text/edits.js";

/** Returns an edit that adds a flag to a RewriteRule; undefined if its flags cannot be edited. */
export function addRewriteFlag(directive: Directive, flag: string): Edit | undefined {
  const [, target, flags] = parseRewriteWords(directive.argumentText) ?? [];
  if (target === undefined) return undefined;
  if (flags === undefined) return replaceSpan(directive.spanOf({ start: target.end, end: target.end }), ` [${flag}]`);
  if (!flags.value.startsWith("[")) return undefined;
  const bracket = flags.start + (flags.quote === "none" ? 0 : 1);
  const separator = /^\[\s*\]/.test(flags.value) ? "" : ",";
  return replaceSpan(directive.spanOf({ start: bracket, end: bracket + 1 }), `[${flag}${separator}`);
}
