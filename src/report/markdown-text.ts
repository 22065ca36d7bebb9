import { visible } from "./visible.js";

/**
 * Text that does nothing in GitHub's Markdown: no emphasis, no HTML, no link, no mention and no reference comes of it.
 * Words of letters are written as they are; any other is code, in which nothing is looked for.
 */
export function markdownText(text: string): string {
  const parts = text.split(/`([^`]+)`/);
  return parts.map((part, index) => (index % 2 === 0 ? plainWords(part) : code(part))).join("");
}

/** Harmless punctuation, and words of letters, digits and such between them. */
const harmless = /^["'(]*[\p{L}\p{N}][\p{L}\p{N}_.,'%=-]*["'),.;:?\u2026]*$|^[\p{N}\p{L},;.:"'()?=\u2013-]{0,2}$/u;
/** What is linked although it is a word: hosts, what may be a commit, issues by GH-1. */
const linked = /^["'(]*www\.|[\da-f]{7}|gh-\d/i;

function plainWords(text: string): string {
  return text
    .split(/(\s+)/)
    .map((word, index) => {
      if (index % 2 === 1) return " ";
      return harmless.test(word) && !linked.test(word) ? word.replaceAll("_", "\\_") : code(word);
    })
    .join("");
}

/** Text as code on its line. */
export function code(text: string): string {
  const shown = visible(text);
  if (shown.trim() === "") return shown;
  const fence = "`".repeat(longestRun(shown) + 1);
  const gap = fence.length > 1 ? " " : "";
  return `${fence}${gap}${shown}${gap}${fence}`;
}

/** A line as a block of code. @param indent of the list item that it stands in */
export function codeBlock(line: string, indent: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(line) + 1));
  return [`${fence}text`, line, fence].map((each) => `${indent}${each}\n`).join("");
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
}
