import { makeVisible } from "./visible-text.js";

/**
 * Escapes text for GitHub's Markdown, so that it creates no emphasis, HTML, link, mention or reference. Plain words are
 * kept; any other is rendered as code, whose content is not interpreted.
 */
export function escapeMarkdown(text: string): string {
  const parts = text.split(/`([^`]+)`/);
  return parts.map((part, index) => (index % 2 === 0 ? plainWords(part) : formatMarkdownCode(part))).join("");
}

/** Harmless punctuation, and words of letters, digits and similar characters. */
const harmless = /^["'(]*[\p{L}\p{N}][\p{L}\p{N}_.,'%=-]*["'),.;:?\u2026]*$|^[\p{N}\p{L},;.:"'()?=\u2013-]{0,2}$/u;
/** Words that GitHub links: hosts, possible commits, issues such as GH-1. */
const linked = /^["'(]*www\.|[\da-f]{7}|gh-\d/i;

function plainWords(text: string): string {
  return text
    .split(/(\s+)/)
    .map((word, index) => {
      if (index % 2 === 1) return " ";
      if (harmless.test(word) && !linked.test(word)) return word.replaceAll("_", "\\_");
      const end = wordEndOf(word);
      return end === 0 ? formatMarkdownCode(word) : formatMarkdownCode(word.slice(0, end)) + word.slice(end);
    })
    .join("");
}

/** Returns the end of a word without the punctuation of its sentence: `--all).` ends before the bracket. */
function wordEndOf(word: string): number {
  let end = word.length;
  while (end > 0) {
    const text = word.slice(0, end);
    // A mark may also be part of the word: of an address such as `2001:db8::`, of a path such as `/..`, of `:smile:`, `&lt;` or `f(x)`.
    const isMark = /,$|(?<!&\w+);$|^[^:].*(?<![:/]):$|(?<![./])\.$/s.test(text);
    const isBracket = text.endsWith(")") && text.split(")").length > text.split("(").length;
    if (!isMark && !isBracket) break;
    end--;
  }
  return end;
}

/** Renders text as inline code. */
export function formatMarkdownCode(text: string): string {
  const shown = makeVisible(text);
  if (shown.trim() === "") return shown;
  const fence = "`".repeat(longestRun(shown) + 1);
  const gap = fence.length > 1 ? " " : "";
  return `${fence}${gap}${shown}${gap}${fence}`;
}

/** Renders a line as a code block. @param indent of the enclosing list item */
export function formatMarkdownBlock(line: string, indent: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(line) + 1));
  return [`${fence}text`, line, fence].map((each) => `${indent}${each}\n`).join("");
}

/** Renders lines as a code block of a language. @param text ends with a line feed */
export function formatMarkdownFence(text: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  const shown = text.split("\n").map((line) => line.split("\t").map(makeVisible).join("\t"));
  return `${fence}${language}\n${shown.join("\n")}${fence}\n`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((max, { length }) => Math.max(max, length), 0);
}

/** Formats text as inline code, whatever backticks it contains. */
export function toInlineCode(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const isEdged = text.startsWith("`") || text.endsWith("`");
  return isEdged ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}
