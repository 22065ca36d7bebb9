import type { Directive } from "../../config/model/directive.js";
import { toReadable } from "../../text/source.js";
import { argumentValuesOf } from "../model/config-layer.js";
import { earlySetterOf } from "../request/setenvif.js";
import { findMatch } from "./pattern-parts.js";
import { formatWholeLine } from "./step.js";
import { escapeRegex } from "./written-lines.js";

/** Reports whether a Header line is for the header that lets scripts of other origins read the response. */
export function isForOrigins(line: Directive): boolean {
  return line.key === "header" && argumentValuesOf(line).some((word) => /^access-control-allow-origin:?$/i.test(word));
}

/** Returns the pattern for exactly one text. */
export function exactPatternOf(text: string): string {
  return `^${escapeRegex(toReadable(text))}$`;
}

/** Reports whether a text has the name of a variable as a whole word. */
export function namesWord(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w-])${escapeRegex(name)}(?![\\w-])`, "i").test(text);
}

/**
 * Returns a SetEnvIf line for origins with one more; undefined if its pattern matches that already, or it is another line. The groups of a
 * value are empty if the other alternative matches (mod_setenvif.c `match_headers`): only a group of the whole pattern takes one more.
 */
export function withOtherOrigin(setter: Directive, origin: string): string | undefined {
  const early = earlySetterOf(setter);
  if (early?.header === undefined || early.attribute !== "origin" || /["\\\s]/.test(origin)) return undefined;
  const { text, ignoreCase } = early.pattern;
  if (findMatch(text, origin, ignoreCase) !== undefined) return undefined;
  const added = early.variables.some((word) => /\$[1-9]/.test(word))
    ? withAlternativeInGroup(text, origin)
    : `${text}|${exactPatternOf(origin)}`;
  if (added === undefined) return undefined;
  return formatWholeLine(
    setter,
    setter.argumentText.replace(text, () => added),
  );
}

/** Adds an alternative to the only group of a pattern that is a group as a whole; undefined for other patterns. */
function withAlternativeInGroup(pattern: string, origin: string): string | undefined {
  const group = /^\^\((?!\?)((?:[^()[\]\\]|\\.)+)\)\$$/.exec(pattern)?.[1];
  return group === undefined ? undefined : `^(${group}|${escapeRegex(toReadable(origin))})$`;
}
