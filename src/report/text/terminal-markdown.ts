import { lexer, type Token, type Tokens } from "marked";
import colours from "picocolors";
import type { TextStyle } from "./text-printer.js";
import { columnsOf, makeVisible } from "./visible-text.js";

/** The maximum width of paragraphs: longer lines are hard to read. */
const MAX_WIDTH = 100;
const CODE_INDENT = "    ";

/** Renders Markdown as text: headings are bold, code blocks are indented, and paragraphs are wrapped. */
export function renderMarkdownText(markdown: string, { colour = false, width }: TextStyle): string {
  const { bold } = colours.createColors(colour);
  const columns = Math.min(width ?? MAX_WIDTH, MAX_WIDTH);
  const tokens = lexer(markdown).filter(({ type }) => type !== "space");
  const blocks = tokens.flatMap((token, index) => renderBlock(token, columns, bold, tokens[index - 1]));
  return `${blocks.join("\n\n")}\n`;
}

/** @param before the block before it, if any */
function renderBlock(token: Token, width: number, bold: (text: string) => string, before: Token | undefined): string[] {
  switch (token.type) {
    case "heading":
      return [bold(renderInline(token.tokens))];
    case "code":
      return [renderCode(token.text, before?.raw.trimEnd().endsWith(":") ? "" : (token.lang ?? ""))];
    case "list":
      return [renderList(token.items, token.ordered, width)];
    case "table":
      return [renderTable([token.header, ...token.rows], width)];
    default:
      return [wrapText(renderInline("tokens" in token ? token.tokens : undefined, token.raw.trim()), width, "")];
  }
}

/** Renders a code block. One that no text introduces gets a line that shows whether the example is bad or correct. */
function renderCode(text: string, language: string): string {
  const verdict = /\b(?:bad|good)\b/.exec(language)?.[0];
  const lines = text.split("\n").map((line) => (line === "" ? "" : CODE_INDENT + makeVisible(line)));
  return [...(verdict === undefined ? [] : [`${verdict === "bad" ? "Bad" : "Correct"}:`]), ...lines].join("\n");
}

function renderList(items: readonly Tokens.ListItem[], isOrdered: boolean | string, width: number): string {
  const lines = items.map((item, index) => {
    const mark = isOrdered ? `${index + 1}. ` : "- ";
    const words = item.tokens.map((each) => renderInline("tokens" in each ? each.tokens : undefined, each.raw));
    return wrapText(mark + words.join(" "), width, " ".repeat(mark.length));
  });
  return lines.join("\n");
}

/** Renders a table; one that is too wide as a list with a column name before each cell. */
function renderTable(rows: readonly (readonly Tokens.TableCell[])[], width: number): string {
  const cells = rows.map((row) => row.map(({ tokens }) => renderInline(tokens)));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => columnsOf(row[column] ?? ""))));
  if (widths.reduce((sum, each) => sum + each + 2, -2) > width) return renderTableAsList(cells, width);
  const pad = (cell: string, column: number) => cell + " ".repeat((widths[column] ?? 0) - columnsOf(cell));
  return cells.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

function renderTableAsList([header = [], ...rows]: readonly (readonly string[])[], width: number): string {
  const items = rows.map(([first = "", ...others]) => {
    const parts = others.map((cell, index) =>
      cell === "" ? "" : `  ${wrapText(`${header[index + 1]}: ${cell}`, width - 2, "    ")}`,
    );
    return [wrapText(`- ${first}`, width, "  "), ...parts.filter((part) => part !== "")].join("\n");
  });
  return items.join("\n");
}

/** @param raw the text of a token without inline tokens */
function renderInline(tokens: readonly Token[] | undefined, raw = ""): string {
  if (tokens === undefined) return makeVisible(raw.replace(/\s+/g, " "));
  return tokens.map(renderInlineToken).join("");
}

function renderInlineToken(token: Token): string {
  if (token.type === "codespan") return `\`${makeVisible(token.text)}\``;
  if (token.type !== "link") return renderInline("tokens" in token ? token.tokens : undefined, readText(token));
  const words = renderInline(token.tokens);
  // A relative link leads to a file of the source tree.
  return /^https?:/.test(token.href) && token.href !== words ? `${words} (${token.href})` : words;
}

function readText(token: Token): string {
  return "text" in token && typeof token.text === "string" ? token.text : token.raw;
}

/** Breaks text into lines between words. @param indent of the lines after the first */
function wrapText(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line.trim() !== "" && columnsOf(line) + 1 + columnsOf(word) > width) {
      lines.push(line);
      line = indent + word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}
