import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderLineDiff } from "../../../src/report/html/diff.js";
import { escapeJsonForHtml } from "../../../src/report/html/document.js";
import { renderExcerpt, renderMessage } from "../../../src/report/html/excerpts.js";
import { emptyHtml, html } from "../../../src/report/html/html.js";
import { renderRulePage } from "../../../src/report/html/rule-page.js";
import { opennessOf } from "../../../src/report/html/scope-tree.js";
import { PlaceResolver } from "../../../src/report/text/source-places.js";
import { sourceFile } from "../../../src/text/source.js";
import { at } from "../samples.js";

const places = new PlaceResolver(undefined);

describe("templates", () => {
  test("escape inserted text, and keep fragments", () => {
    const piece = html`<b title="${`"'`}">${"<i>&"}</b>`;
    expect(`${html`<p>${piece}${[1, "<"]}${undefined}${emptyHtml}</p>`}`).toBe(
      `<p><b title="&quot;&#39;">&lt;i&gt;&amp;</b>1&lt;</p>`,
    );
  });

  test("escape all markup in any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(`${html`${text}`}`).not.toMatch(/[<>"']/);
      }),
    );
  });
});

test("JSON in a page does not end its element, and keeps its value", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constant("</script><!--\u2028\u2029]]>&")), (text) => {
      expect(escapeJsonForHtml([text])).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(escapeJsonForHtml([text]))).toEqual([text]);
    }),
  );
});

test("a message marks quotations, and shows control characters of terminals", () => {
  expect(`${renderMessage("`<b>` is \u001b[31m no")}`).toBe("<code>&lt;b&gt;</code> is ␛[31m no");
});

describe("frames", () => {
  const file = sourceFile(
    "/srv/a.conf",
    "Listen 80\r\n\tOrder <deny>\nAuthLDAPBindPassword hunter2 x\n\nDeny from all",
  );

  test("show the surrounding lines with the position marked, and without secrets", () => {
    expect(`${renderExcerpt(places.place(at(file, "<deny>")), 1)}`).toBe(
      '<pre class="frame"><span class="row"><span class="number">1</span><code><span class="hl-name">Listen</span> 80</code></span>' +
        '<span class="row here"><span class="number">2</span><code>\t<span class="hl-name">Order</span> <mark>&lt;deny&gt;</mark></code></span>' +
        '<span class="row"><span class="number">3</span><code><span class="hl-name">AuthLDAPBindPassword</span> ********</code></span></pre>',
    );
  });

  test("mark a whole secret if the position is in it", () => {
    expect(`${renderExcerpt(places.place(at(file, "unter")), 0)}`).toContain(
      '<span class="hl-name">AuthLDAPBindPassword</span> <mark>********</mark></code>',
    );
  });

  test("color a line that continues a comment or an open quote as its start", () => {
    const long = sourceFile("/srv/b.conf", '# a \\\r\nDeny from all\nAuthName "x \\\n  Require y" z\nListen 80\n');
    const coloredLine = (text: string) => `${renderExcerpt(places.place(at(long, text)), 0)}`.replaceAll("<mark>", "");
    expect(coloredLine("Deny")).toContain('<span class="hl-comment">Deny</span>');
    expect(coloredLine("  Require")).toContain('<span class="hl-string">  Require</span>');
    expect(coloredLine("Listen")).toContain('<span class="hl-name">Listen</span>');
  });

  test("mark an empty position visibly", () => {
    expect(`${renderExcerpt(places.place({ file, start: file.text.length, end: file.text.length }), 0)}`).toContain(
      "<mark> </mark>",
    );
  });

  test("end at the end of the file", () => {
    const rows = `${renderExcerpt(places.place(at(file, "Deny")), 9)}`.match(/class="row/g);
    expect(rows).toHaveLength(5);
  });
});

test("a diff contains the lines around a change", () => {
  const before = "1\n2\n3\n4\n<a>\n6\n7\n8\n9\n";
  const diff = `${renderLineDiff(before, before.replace("<a>", "b"))}`.replace(
    /<span class="hl-[^>]*>([^<]*)<.span>/g,
    "$1",
  );
  const text = diff.replace(/<[^>]*>/g, "|").replace(/\|+/g, "|");
  expect(text).toBe("|…| |3| |4|-|&lt;a&gt;|+|b| |6| |7|…|");
});

test("a line of a diff is highlighted in the context of its own text", () => {
  const diff = `${renderLineDiff("Options None\nIndexes\n", "Options None \\\nIndexes\n")}`;
  // In the new text, the second line continues the first.
  expect(diff).toContain('<span class="hl-name">Options</span> <span class="hl-keyword">None</span></code>');
  expect(diff).toContain('<span class="hl-keyword">None</span> <span class="hl-continuation">\\</span></code>');
  expect(diff).toContain("<code>Indexes</code>");
});

test.each([
  [{ allowed: [{ clients: [], users: [], conditions: [] }], others: [] }, "open"],
  [{ allowed: [], others: ["403"] }, "closed"],
  [{ allowed: [{ clients: [], users: ["any user"], conditions: [] }], others: ["401"] }, "password"],
  [{ allowed: [{ clients: ["10.0.0.0/8"], users: [], conditions: [] }], others: ["403"] }, "limited"],
] as const)("the openness of %j is %s", (access, openness) => {
  expect(opennessOf(access)).toBe(openness);
});

test("a rule's page links only to other rules on the page, and contains no raw HTML", () => {
  const page =
    "# Title\n\n## Why\n\n[a](../a/a.md), [b](../b/b.md), [c](javascript:run) <script>run</script>\n\n```apache bad\n<If>\n```\n";
  const text = `${renderRulePage(page, (id) => (id === "a" ? "rule-a" : undefined))}`;
  expect(text).toBe(
    '<h4>Why</h4>\n<p><a href="#rule-a">a</a>, b, c &lt;script&gt;run&lt;/script&gt;</p>\n<pre><code>&lt;If&gt;</code></pre>\n',
  );
});
