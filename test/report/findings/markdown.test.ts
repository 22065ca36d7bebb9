import fc from "fast-check";
import { Marked, type Token } from "marked";
import { expect, test } from "vitest";
import { escapeMarkdown, formatMarkdownCode } from "../../../src/report/text/markdown.js";
import { sourceFile } from "../../../src/text/source.js";
import { runCount } from "../../support/depth.js";
import { at, finding, renderReport } from "../samples.js";

/** Returns the token types of GitHub's Markdown in a text. */
function kindsIn(text: string): Set<string> {
  const kinds = new Set<string>();
  new Marked({ gfm: true, walkTokens: (token: Token) => void kinds.add(token.type) }).parse(text);
  return kinds;
}

test("a report has a summary, and the findings folded by file", () => {
  const a = sourceFile("/srv/a.conf", "Order deny,allow\nDeny from all\n");
  const b = sourceFile("/srv/b.conf", "Allow from all\n");
  const findings = [
    finding(at(a, "Order"), {
      message: "`Order` is *old*, says @bob in #12",
      ...{ label: "set here", notes: ["a `note`"], help: ["some *help*"] },
    }),
    finding(at(b, "Allow"), { severity: "info", related: [{ message: "see `Deny`", span: at(a, "Deny from all") }] }),
  ];
  expect(renderReport("markdown", findings)).toMatchInlineSnapshot(`
    "**httpd-lint: 1 error, 1 info** in 1 file, 10 lines

    <details><summary><code>a.conf</code>: 1 error</summary>

    - **error**, line 1: \`Order\` is \`*old*\`, says \`@bob\` in \`#12\` (\`old-access-control\`)
      \`\`\`text
      Order deny,allow
      \`\`\`
      - set here
      - note: a \`note\`
      - help: some \`*help*\`

    </details>

    <details><summary><code>b.conf</code>: 1 info</summary>

    - **info**, line 1: it is wrong (\`old-access-control\`)
      \`\`\`text
      Allow from all
      \`\`\`
      - \`a.conf:2\` see \`Deny\`

    </details>
    "
  `);
});

test("a report that exceeds a comment has the most severe findings, and the number of omitted ones", () => {
  const file = sourceFile("/srv/a.conf", `${"x".repeat(100)}\n`.repeat(2000));
  const findings = Array.from({ length: 2000 }, (_, line) => {
    const span = { file, start: line * 101, end: line * 101 + 5 };
    return finding(span, line === 1999 ? {} : { severity: "info" });
  });
  const text = renderReport("markdown", findings);
  expect(text.length).toBeLessThanOrEqual(65_536);
  expect(text.length).toBeGreaterThan(60_000);
  expect(text).toContain("**error**, line 2000");
  const shown = text.match(/^- \*\*/gm)?.length ?? 0;
  expect(text).toContain(`${(2000 - shown).toLocaleString("en")} findings of 2,000 are not shown`);
});

test.each([
  "@bob",
  "bob@example.com",
  "![x](http://e.example/x.png)",
  "[x](javascript:run)",
  "https://e.example",
  "www.e.example",
  "#12",
  "GH-12",
  "org/repo#1",
  "0123456789abcdef0123456789abcdef01234567",
  "<img src=x>",
  "</details>",
  "**x**",
  ":smile:",
  "&lt;b&gt;",
])("%s is shown literally", (text) => {
  expect(escapeMarkdown(`see ${text} there`)).toBe(`see ${text.split(" ").map(formatMarkdownCode).join(" ")} there`);
});

test.each([
  ["all with --verbose).", "all with `--verbose`)."],
  ["d-68d04089:", "`d-68d04089`:"],
  ["10.0.0.0/8, /a;", "`10.0.0.0/8`, `/a`;"],
  ["2001:db8:: /a/.. /. f(/x) a//:", "`2001:db8::` `/a/..` `/.` `f(/x)` `a//:`"],
])("the punctuation of a sentence is not code: %s", (text, shown) => {
  expect(escapeMarkdown(text)).toBe(shown);
});

test("markup in messages is escaped", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
      const kinds = kindsIn(`- ${escapeMarkdown(text)}`);
      for (const kind of ["link", "image", "html", "strong", "em", "del", "heading", "hr"])
        expect(kinds.has(kind), `${kind} in ${escapeMarkdown(text)}`).toBe(false);
    }),
    { numRuns: runCount(400, 2000) },
  );
});
