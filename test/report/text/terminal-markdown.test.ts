import { expect, test } from "vitest";
import { renderMarkdownText } from "../../../src/report/text/terminal-markdown.js";

const page = [
  "# a-rule",
  "",
  "One `Require all denied` and a [page](../x.md) in **one** paragraph",
  "of two lines.",
  "",
  "- first",
  "- second",
  "",
  "```apache bad from=2.2",
  "<Files x>",
  "  Require all granted",
  "```",
  "",
  "| name | value |",
  "|---|---|",
  "| a | `b` |",
  "",
].join("\n");

test("a page is rendered as text", () => {
  expect(renderMarkdownText(page, { width: 40 })).toBe(
    [
      "a-rule",
      "",
      "One `Require all denied` and a page in",
      "one paragraph of two lines.",
      "",
      "- first",
      "- second",
      "",
      "Bad:",
      "    <Files x>",
      "      Require all granted",
      "",
      "name  value",
      "a     `b`",
      "",
    ].join("\n"),
  );
});

test("headings are bold in color, and a wide table becomes a list", () => {
  const text = renderMarkdownText(page, { colour: true, width: 10 });
  expect(text.startsWith("\u001b[1ma-rule\u001b[22m\n")).toBe(true);
  expect(text).toContain("- a\n  value:\n    `b`\n");
});
