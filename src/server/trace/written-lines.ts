import type { Directive } from "../../config/model/directive.js";
import { argumentValuesOf } from "../model/config-layer.js";
import { formatWholeLine } from "./step.js";

/** Returns a pattern that matches a text. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Returns a word as an argument of a line: in quotes if it needs them. */
export function quoteWord(word: string): string {
  return /[\s"\\]/.test(word) && /[\s"]/.test(word) ? `"${word.replace(/["\\]/g, "\\$&")}"` : word;
}

/**
 * Returns an Options line without an option. If its words have signs, the option is removed from the inherited ones
 * (server/core.c `set_options`).
 */
export function withoutOption(line: Directive, option: string): string {
  const isOption = (word: string) => word.replace(/^[+-]/, "").toLowerCase() === option.toLowerCase();
  const words = argumentValuesOf(line);
  const others = words.filter((word) => !isOption(word));
  if (/^[+-]/.test(words[0] ?? "")) return formatWholeLine(line, [...others, `-${option}`].join(" "));
  return formatWholeLine(line, others.length === 0 ? "None" : others.join(" "));
}

/** Returns an Options line with one more option, whatever the line sets for it. */
export function withOption(line: Directive, option: string): string {
  const isOption = (word: string) => word.replace(/^[+-]/, "").toLowerCase() === option.toLowerCase();
  const words = argumentValuesOf(line).filter((word) => !isOption(word) && word.toLowerCase() !== "none");
  const isRelative = /^[+-]/.test(argumentValuesOf(line)[0] ?? "");
  return formatWholeLine(line, [...words, isRelative ? `+${option}` : option].join(" "));
}
