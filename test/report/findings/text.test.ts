import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { statisticsWriters } from "../../../src/report/index.js";
import { fromBytes } from "../../../src/text/bytes.js";
import { sourceFile } from "../../../src/text/source.js";
import { at, finding, ignoredFinding, renderReport } from "../samples.js";

const main = sourceFile(
  "/srv/conf/httpd.conf",
  [
    'ServerRoot "/srv"',
    '<Directory "/srv/www">',
    "\tOrder deny,allow\tand more",
    "    Require all granted",
    "</Directory>",
    "ServerName 日本語.example 👩‍💻 name",
    "",
  ].join("\n"),
);
const site = sourceFile(
  "/srv/conf/extra/site.conf",
  `${"\n".repeat(998)}<Location />\r\n  Require ip 10\r\n</Location>\r\n`,
);

describe("text", () => {
  it("shows the place, the underlined source line, related places and the fix", () => {
    const order = at(main, "Order deny,allow");
    const findings = [
      finding(order, {
        message: "`Order` and `Require` decide together here; keep one of them",
        related: [
          { message: "in the same line", span: at(main, "more") },
          { message: "the rule that it meets", span: at(main, "Require all granted") },
          { message: "and the rule that it inherits", span: at(site, "Require ip 10") },
        ],
        fix: {
          title: "put `Require all denied` in its place",
          safety: "unsafe",
          edits: [{ span: order, text: "Require all denied" }],
        },
      }),
    ];
    expect(renderReport("text", findings, { files: 2, lines: 1007 })).toMatchInlineSnapshot(`
      "error[old-access-control]: \`Order\` and \`Require\` decide together here; keep one of them
          --> conf/httpd.conf:3:2
           |
         3 |     Order deny,allow    and more
           |     ^^^^^^^^^^^^^^^^
           |                             ---- in the same line
         4 |     Require all granted
           |     ------------------- the rule that it meets
           |
          ::: conf/extra/site.conf:1000:3
           |
      1000 |   Require ip 10
           |   ------------- and the rule that it inherits
           |
           = fix: put \`Require all denied\` in its place (unsafe)
           = page: \`httpd-lint rules old-access-control\`

      1 error in 2 files, 1,007 lines; 1 fixable with --fix=unsafe
      "
    `);
  });

  it("aligns the underline after tabs and wide characters", () => {
    const findings = [
      finding(at(main, "and more")),
      finding(at(main, "本語")),
      finding(at(main, "👩‍💻")),
      finding(at(main, "name\n")),
    ];
    expect(renderReport("text", findings)).toMatchInlineSnapshot(`
      "error[old-access-control]: it is wrong
       --> conf/httpd.conf:3:19
        |
      3 |     Order deny,allow    and more
        |                         ^^^^^^^^
        |
        = page: \`httpd-lint rules old-access-control\`

      error[old-access-control]: it is wrong
       --> conf/httpd.conf:6:13
        |
      6 | ServerName 日本語.example 👩‍💻 name
        |              ^^^^

      error[old-access-control]: it is wrong
       --> conf/httpd.conf:6:24
        |
      6 | ServerName 日本語.example 👩‍💻 name
        |                           ^^

      error[old-access-control]: it is wrong
       --> conf/httpd.conf:6:30
        |
      6 | ServerName 日本語.example 👩‍💻 name
        |                              ^^^^

      4 errors in 1 file, 10 lines
      "
    `);
  });

  it("underlines only the first line of a longer span", () => {
    const file = sourceFile("/srv/a.conf", "Alias /x \\\r\n  /y\r\nOrder\r\n");
    const findings = [
      finding(at(file, "Alias /x \\\r\n  /y")),
      finding(at(file, "/y")),
      finding({ file, start: file.text.length, end: file.text.length }, { message: "after the last line" }),
    ];
    expect(renderReport("text", findings)).toMatchInlineSnapshot(`
      "error[old-access-control]: it is wrong
       --> a.conf:1:1
        |
      1 | Alias /x \\
        | ^^^^^^^^^^
        |
        = page: \`httpd-lint rules old-access-control\`

      error[old-access-control]: it is wrong
       --> a.conf:2:3
        |
      2 |   /y
        |   ^^

      error[old-access-control]: after the last line
       --> a.conf:3:6
        |
      3 | Order
        |      ^

      3 errors in 1 file, 10 lines
      "
    `);
  });

  it("makes control and invisible characters visible", () => {
    const file = sourceFile("/srv/a\x1b[2J.conf", 'Header set X "\x1b[31mred\x07\u202e\u200b" mark\n');
    const findings = [finding(at(file, "mark"), { message: "not `\x1b[0m`\nand not \u2066this" })];
    expect(renderReport("text", findings)).toMatchInlineSnapshot(`
      "error[old-access-control]: not \`␛[0m\`␊and not \\u{2066}this
       --> a␛[2J.conf:1:28
        |
      1 | Header set X "␛[31mred␇\\u{202e}\\u{200b}" mark
        |                                          ^^^^
        |
        = page: \`httpd-lint rules old-access-control\`

      1 error in 1 file, 10 lines
      "
    `);
  });

  it("replaces each byte that is not UTF-8", () => {
    const text = fromBytes(Buffer.from([0x41, 0x20, 0xff, 0xfe, 0x20, 0xe6, 0x97, 0x20, 0x42, 0x0a]));
    const file = { path: "/srv/a.conf", realPath: "/srv/a.conf", text };
    expect(renderReport("text", [finding({ file, start: 8, end: 9 })])).toMatchInlineSnapshot(`
      "error[old-access-control]: it is wrong
       --> a.conf:1:8
        |
      1 | A �� � B
        |        ^
        |
        = page: \`httpd-lint rules old-access-control\`

      1 error in 1 file, 10 lines
      "
    `);
  });

  it("clips a long line around the span", () => {
    const file = sourceFile("/srv/a.conf", `RewriteRule ${"abc/".repeat(50)}MARK/${"日本".repeat(100)} [L]\n`);
    const findings = [
      finding(at(file, "RewriteRule")),
      finding(at(file, "MARK")),
      finding(at(file, "[L]")),
      finding(at(file, `MARK/${"日本".repeat(90)}`)),
    ];
    expect(renderReport("text", findings, { width: 60 })).toMatchInlineSnapshot(`
      "error[old-access-control]: it is wrong
       --> a.conf:1:1
        |
      1 | RewriteRule abc/abc/abc/abc/abc/abc/abc/abc/abc/abc/abc…
        | ^^^^^^^^^^^
        |
        = page: \`httpd-lint rules old-access-control\`

      error[old-access-control]: it is wrong
       --> a.conf:1:213
        |
      1 | …/abc/abc/abc/MARK/日本日本日本日本日本日本日本日本日本…
        |               ^^^^

      error[old-access-control]: it is wrong
       --> a.conf:1:419
        |
      1 | …本日本日本日本日本日本日本日本日本日本日本日本日本 [L]
        |                                                     ^^^

      error[old-access-control]: it is wrong
       --> a.conf:1:213
        |
      1 | …/abc/abc/abc/MARK/日本日本日本日本日本日本日本日本日本…
        |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

      4 errors in 1 file, 10 lines
      "
    `);
  });

  it("does not clip a line that fits exactly", () => {
    const file = sourceFile("/srv/a.conf", `${"x".repeat(52)} END\n`);
    expect(renderReport("text", [finding(at(file, "END"))], { width: 60 })).toContain(`${"x".repeat(52)} END\n`);
    expect(renderReport("text", [finding(at(file, "END"))], { width: 59 })).toContain("…");
  });

  it("wraps messages between words at the width of the terminal", () => {
    const findings = [
      finding(at(main, "ServerRoot"), {
        message: "`ServerRoot` is wrong in a way that takes a good many words to tell, so the server does not start",
        related: [{ message: "this is where it all began, a good many lines ago", span: at(main, "Order") }],
        fix: {
          title: "write it out in full, whatever that may be, in the end",
          safety: "safe",
          edits: [{ span: at(main, "Order"), text: "" }],
        },
        notes: ["a note that is longer than the line of a terminal with sixty columns"],
      }),
    ];
    const lines = renderReport("text", findings, { width: 60 }).split("\n");
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    expect(lines.slice(0, 10)).toEqual([
      "error[old-access-control]: `ServerRoot` is wrong in a way",
      "    that takes a good many words to tell, so the server does",
      "    not start",
      " --> conf/httpd.conf:1:1",
      "  |",
      '1 | ServerRoot "/srv"',
      "  | ^^^^^^^^^^",
      "...",
      "3 |     Order deny,allow    and more",
      "  |     -----",
    ]);
    expect(lines.slice(10, 16)).toEqual([
      "  |     this is where it all began, a good many lines ago",
      "  |",
      "  = note: a note that is longer than the line of a terminal",
      "          with sixty columns",
      "  = fix: write it out in full, whatever that may be, in the",
      "         end (safe)",
    ]);
    const whole = renderReport("text", findings);
    expect(whole).toContain("to tell, so the server does not start\n");
    const words = (text: string) => text.replace(/^ +\|/gm, " ").replace(/\s+/g, " ");
    expect(words(lines.join("\n"))).toBe(words(whole));
  });

  it("shows the places of a file in one frame, in line order", () => {
    const other = sourceFile("/srv/other.conf", "Listen 80\nListen 81\n");
    const findings = [
      finding(at(main, "Require all granted"), {
        message: "`Require` cannot override `Order`",
        label: "has no effect",
        related: [
          { message: "the section", span: at(main, "<Directory") },
          { message: "elsewhere, too", span: at(other, "Listen 81") },
          { message: "overrides it", span: at(main, "Order deny,allow") },
          { message: "closed here", span: at(main, "</Directory>") },
          { message: "and before it", span: at(other, "Listen 80") },
          { message: "the name", span: at(main, "ServerRoot") },
        ],
        notes: ["requests return 403"],
        help: ["delete `Order`", "or delete `Require`"],
      }),
    ];
    expect(renderReport("text", findings)).toMatchInlineSnapshot(`
      "error[old-access-control]: \`Require\` cannot override \`Order\`
       --> conf/httpd.conf:4:5
        |
      1 | ServerRoot "/srv"
        | ---------- the name
      2 | <Directory "/srv/www">
        | ---------- the section
      3 |     Order deny,allow    and more
        |     ---------------- overrides it
      4 |     Require all granted
        |     ^^^^^^^^^^^^^^^^^^^ has no effect
      5 | </Directory>
        | ------------ closed here
        |
       ::: other.conf:1:1
        |
      1 | Listen 80
        | --------- and before it
      2 | Listen 81
        | --------- elsewhere, too
        |
        = note: requests return 403
        = help: delete \`Order\`
        = help: or delete \`Require\`
        = page: \`httpd-lint rules old-access-control\`

      1 error in 1 file, 10 lines
      "
    `);
  });

  it("shows the same words about the same span once", () => {
    const related = (message: string, text: string) => ({ message, span: at(main, text) });
    const shown = renderReport("text", [
      finding(at(main, "Order deny,allow"), {
        label: "has no effect",
        related: [
          ...["decides", "decides", "comes first", "decides"].map((each) => related(each, "Require all granted")),
          related("decides", "ServerRoot"),
          related("has no effect", "Order deny,allow"),
        ],
      }),
    ]);
    expect(shown.match(/[-^]+ (?:decides|comes first|has no effect)$/gm)).toEqual([
      "---------- decides",
      "^^^^^^^^^^^^^^^^ has no effect",
      "------------------- decides",
      "------------------- comes first",
    ]);
  });

  it("shows two places of one line below it", () => {
    const findings = [
      finding(at(main, "deny,allow"), { label: "first", related: [{ message: "second", span: at(main, "and more") }] }),
    ];
    expect(renderReport("text", findings)).toMatchInlineSnapshot(`
      "error[old-access-control]: it is wrong
       --> conf/httpd.conf:3:8
        |
      3 |     Order deny,allow    and more
        |           ^^^^^^^^^^ first
        |                         -------- second
        |
        = page: \`httpd-lint rules old-access-control\`

      1 error in 1 file, 10 lines
      "
    `);
  });

  it("shows a finding about the whole server without a line", () => {
    const about = { isAboutServer: true, message: "default of `TimeOut` changed", notes: ["it was 300"] };
    const findings = [
      finding(at(main, "ServerRoot"), about),
      finding(at(main, "ServerRoot"), { ...about, related: [{ message: "set here", span: at(main, "Order") }] }),
    ];
    expect(renderReport("text", findings)).toMatchInlineSnapshot(`
      "error[old-access-control]: default of \`TimeOut\` changed
       --> conf/httpd.conf
        = note: it was 300
        = page: \`httpd-lint rules old-access-control\`

      error[old-access-control]: default of \`TimeOut\` changed
       --> conf/httpd.conf
        |
      3 |     Order deny,allow    and more
        |     ----- set here
        |
        = note: it was 300

      2 errors in 1 file, 10 lines
      "
    `);
  });

  it("links locations to their files if the terminal supports it", () => {
    const findings = [finding(at(site, "Require ip 10"), { related: [{ message: "here", span: at(main, "Order") }] })];
    const linked = renderReport("text", findings, { hyperlinks: true });
    const link = (uri: string, words: string) => `\x1b]8;;${uri}\x1b\\${words}\x1b]8;;\x1b\\`;
    expect(linked).toContain(`--> ${link("file:///srv/conf/extra/site.conf", "conf/extra/site.conf:1000:3")}\n`);
    expect(linked).toContain(`::: ${link("file:///srv/conf/httpd.conf", "conf/httpd.conf:3:2")}\n`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a hyperlink starts with an escape
    expect(linked.replace(/\x1b\]8;;[^\x1b]*\x1b\\/g, "")).toBe(renderReport("text", findings));
    const odd = sourceFile("/srv/a b\x1b;.conf", "Order\n");
    expect(renderReport("text", [finding(at(odd, "Order"))], { hyperlinks: true })).toContain(
      "file:///srv/a%20b%1B%3B.conf\x1b",
    );
  });

  it("links the rule to its web page if the address is known", () => {
    const found = [finding(at(main, "Order"))];
    const helpUri = (rule: string) => `https://example.org/rules/${rule}.md`;
    const head = "error[old-access-control]";
    const linked = `\x1b]8;;https://example.org/rules/old-access-control.md\x1b\\${head}\x1b]8;;\x1b\\: `;
    expect(renderReport("text", found, { hyperlinks: true, helpUri }).startsWith(linked)).toBe(true);
    expect(renderReport("text", found, { hyperlinks: true }).startsWith(`${head}: `)).toBe(true);
    expect(renderReport("text", found, { helpUri }).startsWith(`${head}: `)).toBe(true);
  });

  it("has colors on request", () => {
    const findings = [finding(at(main, "Order"), { message: "not `Order`", severity: "warning" })];
    const coloured = renderReport("text", findings, { colour: true });
    expect(coloured.replaceAll("\x1b", "␛")).toMatchInlineSnapshot(`
      "␛[1m␛[33mwarning[old-access-control]␛[39m␛[22m: not ␛[1m\`Order\`␛[22m
       ␛[2m-->␛[22m ␛[1mconf/httpd.conf:3:2␛[22m
      ␛[2m  |␛[22m
      ␛[2m3 |␛[22m     Order deny,allow    and more
      ␛[2m  |␛[22m     ␛[1m␛[33m^^^^^␛[39m␛[22m
      ␛[2m  |␛[22m
      ␛[2m  = ␛[22m␛[1mpage:␛[22m ␛[1m\`httpd-lint rules old-access-control\`␛[22m

      ␛[1m␛[33m1 warning␛[39m␛[22m in 1 file, 10 lines
      "
    `);
    expect(stripVTControlCharacters(coloured)).toBe(renderReport("text", findings));
  });

  it("ends with a summary", () => {
    const last = (count: { files: number; lines: number }, ...findings: Parameters<typeof renderReport>[1]) =>
      renderReport("text", findings, { ...count, ignored: findings.slice(1).map(({ span }) => ignoredFinding(span)) })
        .trimEnd()
        .split("\n")
        .at(-1);
    const order = at(main, "Order");
    const fix = (safety: "safe" | "unsafe") => ({ title: "x", safety, edits: [{ span: order, text: "" }] });
    const fixable = (...kinds: readonly ("safe" | "unsafe")[]) =>
      last({ files: 1, lines: 1 }, ...kinds.map((kind) => finding(order, { fix: fix(kind) })))?.split("; ")[1];
    expect(fixable("safe", "unsafe", "unsafe")).toBe("1 fixable with --fix, 2 more with --fix=unsafe");
    expect(fixable("safe")).toBe("1 fixable with --fix");
    expect(fixable("unsafe")).toBe("1 fixable with --fix=unsafe");
    expect(last({ files: 1, lines: 1 })).toBe("no findings in 1 file, 1 line");
    expect(last({ files: 1234, lines: 1234567 }, finding(order))).toBe("1 error in 1,234 files, 1,234,567 lines");
    expect(
      last(
        { files: 2, lines: 999 },
        ...(["info", "warning", "error", "error"] as const).map((severity) => finding(order, { severity })),
      ),
    ).toBe("2 errors, 1 warning, 1 info in 2 files, 999 lines; 3 ignored by comments");
  });

  it("shows full paths of files outside the base", () => {
    const file = sourceFile("/srvx/a.conf", "Order\n");
    expect(renderReport("text", [finding(at(file, "Order"))])).toContain("\n --> /srvx/a.conf:1:1\n");
    expect(renderReport("text", [finding(at(file, "Order"))], { base: "/" })).toContain("\n --> srvx/a.conf:1:1\n");
  });
});

describe("concise", () => {
  it("writes a line for each finding, and nothing else", () => {
    const findings = [
      finding(at(main, "Require all granted"), {
        ...{ message: "two\nlines", label: "a label", notes: ["a note"], help: ["help"] },
        related: [{ message: "related", span: at(main, "Order") }],
      }),
      finding(at(main, "ServerRoot"), { isAboutServer: true, severity: "info", rule: "changed-default" }),
      finding(at(site, "Require ip 10"), { severity: "warning" }),
    ];
    expect(renderReport("concise", findings)).toBe(
      [
        "conf/httpd.conf:4:5: error[old-access-control] two␊lines",
        "conf/httpd.conf:1:1: info[changed-default] it is wrong",
        "conf/extra/site.conf:1000:3: warning[old-access-control] it is wrong",
        "",
      ].join("\n"),
    );
    expect(renderReport("concise", [])).toBe("");
  });
});

describe("statistics", () => {
  it("count findings by rule, the most frequent first", () => {
    const order = at(main, "Order");
    const findings = [...["b", "a", "c"], ...Array<string>(11).fill("d")].map((rule) => finding(order, { rule }));
    expect(statisticsWriters.text({ findings })).toBe("11  d\n 1  a\n 1  b\n 1  c\n");
    expect(statisticsWriters.text({ findings: [] })).toBe("");
  });

  it("are JSON that conforms to its schema on request", () => {
    const isValid = new Ajv2020().compile(JSON.parse(readFileSync("src/report/schema/statistics.schema.json", "utf8")));
    for (const findings of [[], [finding(at(main, "Order")), finding(at(main, "ServerRoot"))]]) {
      const counted = JSON.parse(
        statisticsWriters.json({ findings, ignored: [], files: 1, lines: 10, rules: [], version: "1.2.3" }),
      );
      expect(counted.statistics).toEqual(findings.length === 0 ? [] : [{ rule: "old-access-control", count: 2 }]);
      expect(isValid(counted)).toBe(true);
    }
  });
});
