import { Marked, type Token } from "marked";
import { describe, expect, test } from "vitest";
import { sourceFile } from "../../../src/text/source.js";
import { at, finding, ignoredFinding, renderReport } from "../samples.js";

const file = sourceFile("/srv/conf/a|b (c).conf", "Order deny,allow\nDeny from all\n");
const sourceUrl = "https://github.com/owner/name/blob/abc";

describe("a comment", () => {
  test("counts findings, and lists the most severe first with links to their lines", () => {
    const findings = [
      finding(at(file, "Order"), { severity: "info", message: "`Order` is old" }),
      finding(at(file, "Deny"), { message: "see <script> and @bob" }),
    ];
    const unchecked = [
      { tag: "<IfDefine X>", path: "/srv/a", line: 1, lines: 7, isSkippedByServer: true, isCheckedForStart: false },
    ];
    const more = { sourceUrl, category: "front end", unchecked, ignored: [ignoredFinding(at(file, "Order"))] };
    expect(renderReport("comment", findings, more)).toMatchInlineSnapshot(`
      "<!-- httpd-lint front-end -->
      ### httpd-lint: 2 findings

      | errors | warnings | info |
      |---:|---:|---:|
      | 1 | 0 | 1 |

      | severity | line | finding | rule |
      |---|---|---|---|
      | error | [\`conf/a\\|b (c).conf:2\`](https://github.com/owner/name/blob/abc/conf/a%7Cb%20%28c%29.conf#L2) | see \`<script>\` and \`@bob\` | \`old-access-control\` |
      | info | [\`conf/a\\|b (c).conf:1\`](https://github.com/owner/name/blob/abc/conf/a%7Cb%20%28c%29.conf#L1) | \`Order\` is old | \`old-access-control\` |

      Checked: 1 file, 10 lines.
      Not checked: 7 lines in 1 conditional section.
      Suppressed: 1 finding.
      "
    `);
  });

  test("has at most 30 lines, however much is found", () => {
    const many = Array.from({ length: 1000 }, (_, n) =>
      finding(at(file, "Deny"), { message: `message ${n}\nwith a line feed`, severity: n < 990 ? "info" : "error" }),
    );
    const text = renderReport("comment", many, { untriedCount: 3, ignored: [ignoredFinding(at(file, "Order"))] });
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
    // Severe findings are shown, wherever they are.
    for (let n = 990; n < 1000; n++) expect(text).toContain(`message ${n}`);
    expect(text).toContain("and 988 more findings");
  });

  test("is short without findings, and has no links without an address", () => {
    expect(renderReport("comment", [])).toBe(
      "<!-- httpd-lint -->\n### httpd-lint: no findings\n\nChecked: 1 file, 10 lines.\n",
    );
    expect(renderReport("comment", [finding(at(file, "Deny"))])).not.toContain("](");
  });

  test("is a table whose cells no name or message ends", () => {
    const hostile = finding(at(file, "Deny"), { message: "a | b `c|d` </td> [x](http://evil.test) @all\n# big" });
    const tables: number[][] = [];
    const links: string[] = [];
    const walkTokens = (token: Token) => {
      if (token.type === "table") tables.push(token["rows"].map((row: readonly unknown[]) => row.length));
      if (token.type === "link") links.push(token["href"]);
    };
    new Marked({ gfm: true, walkTokens }).parse(renderReport("comment", [hostile], { sourceUrl }));
    expect(tables).toEqual([[3], [4]]);
    expect(links).toEqual([`${sourceUrl}/conf/a%7Cb%20%28c%29.conf#L2`]);
  });

  test("has links that no mark of the given address ends", () => {
    const links: string[] = [];
    const walkTokens = (token: Token) => {
      if (token.type === "link") links.push(token["href"]);
    };
    const given = { sourceUrl: "https://host.test/a) (b<c>`d\\/" };
    new Marked({ gfm: true, walkTokens }).parse(renderReport("comment", [finding(at(file, "Deny"))], given));
    expect(links).toEqual(["https://host.test/a%29%20%28b%3cc%3e%60d%5c/conf/a%7Cb%20%28c%29.conf#L2"]);
  });
});
