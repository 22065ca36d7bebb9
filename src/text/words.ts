import { toReadable } from "./source.js";

/** Joins words for a message: `a, b and c`. @param last the word before the last one: `or` */
export function formatWordList(words: readonly string[], last: "and" | "or" = "and"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** Shortens a text to a number of characters, of which the last is an ellipsis. */
export function shortenText(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

/** Maximum length of a quoted text of the configuration. */
const MAX_QUOTED_LENGTH = 60;

/** Quotes text of the configuration for a message. */
export function quoteText(text: string): string {
  return quoteShort(text, MAX_QUOTED_LENGTH);
}

/** Quotes text of the configuration, shortened to a number of characters as by `shortenText`. */
export function quoteShort(text: string, max: number): string {
  return `\`${shortenText(toReadable(text), max)}\``;
}

/** Returns a regular noun as it follows a number: `line`, `lines`, `classes`, `groups of paths`. */
export function pluralize(noun: string, count: number): string {
  if (count === 1) return noun;
  const [head = "", ...rest] = noun.split(/(?= of )/);
  return [head, /[sx]$/.test(head) ? "es" : "s", ...rest].join("");
}

/** Formats a number with separators: `1,234`. */
export function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formats a number of things: `1 file`, `2 files`, `1,234 lines`. @param noun a regular noun, in the singular */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${pluralize(noun, count)}`;
}
