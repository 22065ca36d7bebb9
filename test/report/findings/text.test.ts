import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { statisticsWriters } from "../../../src/report/index.js";
import { fromBytes } from "../../../src/text/bytes.js";
import { sourceFile } from "../../../src/text/source.js";
import { at, finding, ignoredFinding, written } from "../samples.js";

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
  it("shows a place, the source line underlined, related places and the fix", () => {
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
    expect(written("text", findings, { files: 2, lines: 1007 })).toMatchInlineSnapshot(`
      "conf/httpd.conf:3:2: error: \`Order\` and \`Require\` decide together here; keep one of them [old-access-control]
           |
         3 |     Order deny,allow    and more
           |     ^^^^^^^^^^^^^^^^
           = conf/httpd.conf:3:23: in the same line
           = conf/httpd.conf:4:5: the rule that it meets
         4 |     Require all granted
           |     -------------------
           = conf/extra/site.conf:1000:3: and the rule that it inherits
      1000 |   Require ip 10
           |   -------------
           = fix: put \`Require all denied\` in its place (unsafe)

      1 error in 2 files, 1,007 lines
      "
    `);
  });

  it("aligns the underline behind tabs and wide characters", () => {
    const findings = [
      finding(at(main, "and more")),
      finding(at(main, "本語")),
      finding(at(main, "👩‍💻")),
      finding(at(main, "name\n")),
    ];
    expect(written("text", findings)).toMatchInlineSnapshot(`
      "conf/httpd.conf:3:19: error: it is wrong [old-access-control]
        |
      3 |     Order deny,allow    and more
        |                         ^^^^^^^^

      conf/httpd.conf:6:13: error: it is wrong [old-access-control]
        |
      6 | ServerName 日本語.example 👩‍💻 name
        |              ^^^^

      conf/httpd.conf:6:24: error: it is wrong [old-access-control]
        |
      6 | ServerName 日本語.example 👩‍💻 name
        |                           ^^

      conf/httpd.conf:6:30: error: it is wrong [old-access-control]
        |
      6 | ServerName 日本語.example 👩‍💻 name
        |                              ^^^^

      4 errors in 1 file, 10 lines
      "
    `);
  });

  it("underlines the first line of what goes on", () => {
    const file = sourceFile("/srv/a.conf", "Alias /x \\\r\n  /y\r\nOrder\r\n");
    const findings = [
      finding(at(file, "Alias /x \\\r\n  /y")),
      finding(at(file, "/y")),
      finding({ file, start: file.text.length, end: file.text.length }, { message: "behind the last line" }),
    ];
    expect(written("text", findings)).toMatchInlineSnapshot(`
      "a.conf:1:1: error: it is wrong [old-access-control]
        |
      1 | Alias /x \\
        | ^^^^^^^^^^

      a.conf:2:3: error: it is wrong [old-access-control]
        |
      2 |   /y
        |   ^^

      a.conf:3:6: error: behind the last line [old-access-control]
        |
      3 | Order
        |      ^

      3 errors in 1 file, 10 lines
      "
    `);
  });

  it("shows what a terminal would obey or hide", () => {
    const file = sourceFile("/srv/a\x1b[2J.conf", 'Header set X "\x1b[31mred\x07\u202e\u200b" mark\n');
    const findings = [finding(at(file, "mark"), { message: "not `\x1b[0m`\nand not \u2066this" })];
    expect(written("text", findings)).toMatchInlineSnapshot(`
      "a␛[2J.conf:1:28: error: not \`␛[0m\`␊and not \\u{2066}this [old-access-control]
        |
      1 | Header set X "␛[31mred␇\\u{202e}\\u{200b}" mark
        |                                          ^^^^

      1 error in 1 file, 10 lines
      "
    `);
  });

  it("shows bytes that are no UTF-8 as one replacement each", () => {
    const text = fromBytes(Buffer.from([0x41, 0x20, 0xff, 0xfe, 0x20, 0xe6, 0x97, 0x20, 0x42, 0x0a]));
    const file = { path: "/srv/a.conf", realPath: "/srv/a.conf", text };
    expect(written("text", [finding({ file, start: 8, end: 9 })])).toMatchInlineSnapshot(`
      "a.conf:1:8: error: it is wrong [old-access-control]
        |
      1 | A �� � B
        |        ^

      1 error in 1 file, 10 lines
      "
    `);
  });

  it("clips a long line around the mark", () => {
    const file = sourceFile("/srv/a.conf", `RewriteRule ${"abc/".repeat(50)}MARK/${"日本".repeat(100)} [L]\n`);
    const findings = [
      finding(at(file, "RewriteRule")),
      finding(at(file, "MARK")),
      finding(at(file, "[L]")),
      finding(at(file, `MARK/${"日本".repeat(90)}`)),
    ];
    expect(written("text", findings, { width: 60 })).toMatchInlineSnapshot(`
      "a.conf:1:1: error: it is wrong [old-access-control]
        |
      1 | RewriteRule abc/abc/abc/abc/abc/abc/abc/abc/abc/abc/abc…
        | ^^^^^^^^^^^

      a.conf:1:213: error: it is wrong [old-access-control]
        |
      1 | …/abc/abc/abc/MARK/日本日本日本日本日本日本日本日本日本…
        |               ^^^^

      a.conf:1:419: error: it is wrong [old-access-control]
        |
      1 | …本日本日本日本日本日本日本日本日本日本日本日本日本 [L]
        |                                                     ^^^

      a.conf:1:213: error: it is wrong [old-access-control]
        |
      1 | …/abc/abc/abc/MARK/日本日本日本日本日本日本日本日本日本…
        |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

      4 errors in 1 file, 10 lines
      "
    `);
  });

  it("does not clip a line that just fits", () => {
    const file = sourceFile("/srv/a.conf", `${"x".repeat(52)} END\n`);
    expect(written("text", [finding(at(file, "END"))], { width: 60 })).toContain(`${"x".repeat(52)} END\n`);
    expect(written("text", [finding(at(file, "END"))], { width: 59 })).toContain("…");
  });

  it("breaks messages between words where the terminal ends, and only there", () => {
    const findings = [
      finding(at(main, "ServerRoot"), {
        message: "`ServerRoot` is wrong in a way that takes a good many words to tell, so the server does not start",
        related: [{ message: "this is where it all began, a good many lines ago", span: at(main, "Order") }],
        fix: {
          title: "write it out in full, whatever that may be",
          safety: "safe",
          edits: [{ span: at(main, "Order"), text: "" }],
        },
      }),
    ];
    const lines = written("text", findings, { width: 60 }).split("\n");
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    expect(lines.slice(0, 3)).toEqual([
      "conf/httpd.conf:1:1: error: `ServerRoot` is wrong in a way",
      "    that takes a good many words to tell, so the server does",
      "    not start [old-access-control]",
    ]);
    const whole = written("text", findings);
    expect(whole).toContain("to tell, so the server does not start [old-access-control]\n");
    expect(
      lines
        .map((line) => line.trim())
        .join(" ")
        .replace(/\s+/g, " "),
    ).toBe(whole.replace(/\s+/g, " "));
  });

  it("is coloured where asked", () => {
    const findings = [finding(at(main, "Order"), { message: "not `Order`", severity: "warning" })];
    const coloured = written("text", findings, { colour: true });
    expect(coloured.replaceAll("\x1b", "␛")).toMatchInlineSnapshot(`
      "␛[1mconf/httpd.conf:3:2:␛[22m ␛[1m␛[33mwarning␛[39m␛[22m: not ␛[1m\`Order\`␛[22m ␛[2m[old-access-control]␛[22m
      ␛[2m  |␛[22m
      ␛[2m3 |␛[22m     Order deny,allow    and more
      ␛[2m  |␛[22m     ␛[1m␛[33m^^^^^␛[39m␛[22m

      ␛[1m␛[33m1 warning␛[39m␛[22m in 1 file, 10 lines
      "
    `);
    expect(stripVTControlCharacters(coloured)).toBe(written("text", findings));
  });

  it("sums up", () => {
    const last = (count: { files: number; lines: number }, ...findings: Parameters<typeof written>[1]) =>
      written("text", findings, { ...count, ignored: findings.slice(1).map(({ span }) => ignoredFinding(span)) })
        .trimEnd()
        .split("\n")
        .at(-1);
    const order = at(main, "Order");
    expect(last({ files: 1, lines: 1 })).toBe("no findings in 1 file, 1 line");
    expect(last({ files: 1234, lines: 1234567 }, finding(order))).toBe("1 error in 1,234 files, 1,234,567 lines");
    expect(
      last(
        { files: 2, lines: 999 },
        ...(["info", "warning", "error", "error"] as const).map((severity) => finding(order, { severity })),
      ),
    ).toBe("2 errors, 1 warning, 1 info in 2 files, 999 lines; 3 ignored by comments");
  });

  it("names files outside the base in full", () => {
    const file = sourceFile("/srvx/a.conf", "Order\n");
    expect(written("text", [finding(at(file, "Order"))])).toMatch(/^\/srvx\/a\.conf:1:1: error: /);
    expect(written("text", [finding(at(file, "Order"))], { base: "/" })).toMatch(/^srvx\/a\.conf:1:1: error: /);
  });
});

describe("statistics", () => {
  it("counts by rule, the most frequent first", () => {
    const order = at(main, "Order");
    const findings = [...["b", "a", "c"], ...Array<string>(11).fill("d")].map((rule) => finding(order, { rule }));
    expect(statisticsWriters.text({ findings })).toBe("11  d\n 1  a\n 1  b\n 1  c\n");
    expect(statisticsWriters.text({ findings: [] })).toBe("");
  });

  it("are JSON by their schema where asked", () => {
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
