import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, textOf } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { unknownDirective } from "../unknown-directive/unknown-directive.js";
import { syntaxError } from "./syntax-error.js";

const seen = (text: string, given?: Given) => findingsOf([syntaxError], text, given);
const said = (text: string, given?: Given) => seen(text, given).map((each) => `${each.at}: ${textOf(each)}`);
const start = "note: httpd will not start";
const inOrder = "close the sections in the order they were opened";
const reported = (server: string, help: string) => `${start} | note: httpd reports: ${server} | help: ${help}`;
const expected = (opened: string, closed: string) => reported(`Expected </${opened}> but saw </${closed}>`, inOrder);
const unmatched = (tag: string, help: string) => reported(`</${tag} without matching <${tag} section`, help);

test("a section that crosses another", () => {
  expect(seen("<Directory /a>\n  <Files x>\n  </Directory>\n</Files>\nListen 80\n")).toEqual([
    {
      rule: "syntax-error",
      severity: "error",
      at: "3:3-3:15",
      text: "</Directory>",
      message: "`</Directory>` comes before `</Files>`",
      notes: ["httpd will not start", "httpd reports: Expected </Files> but saw </Directory>"],
      help: [inOrder],
      related: ["httpd.conf:2:3: `<Files>` is opened here"],
    },
  ]);
});

const noEnd =
  "missing `>` directly after `</Files` | note: httpd will not start | note: httpd reports: </Files> directive missing closing '>' | help: use `</Files>`";
const unended =
  "note: httpd reports: macro 'm' (defined on line 1 of \"/etc/httpd/httpd.conf\")\\n\\tcontents error: expected token not found: </Macro> | help: add `</Macro>`";

describe("every kind", () => {
  test.each<readonly [string, string, readonly string[]]>([
    [
      "crossed by more than one",
      "<Files a>\n<If true>\n<Limit GET>\n</Files>\n</Limit>\n</If>\n",
      [`4:1-4:9: \`</Files>\` comes before \`</Limit>\`, \`</If>\` | ${expected("Limit", "Files")}`],
    ],
    [
      "a guard crossed",
      "<IfModule core.c>\n<Files x>\n</IfModule>\n</Files>\n",
      [`3:1-3:12: \`</IfModule>\` comes before \`</Files>\` | ${expected("Files", "IfModule")}`],
    ],
    [
      "never opened",
      "Listen 80\n</Files>\n",
      [
        `2:1-2:9: \`</Files>\` closes a section that is not open | ${unmatched("Files>", "delete it, or open the section in this file")}`,
      ],
    ],
    [
      "never opened, in another",
      "<Files x>\n</Location>\n</Files>\n",
      [`2:1-2:12: expected \`</Files>\`, found \`</Location>\` | ${expected("Files", "Location")}`],
    ],
    [
      "closed by the tag of another and not by its own",
      "<Files x>\n</Location>\nListen 80\n",
      [`2:1-2:12: expected \`</Files>\`, found \`</Location>\` | ${expected("Files", "Location")}`],
    ],
    [
      "closed by the tag of another, in one that is closed",
      "<VirtualHost *>\n<Files x>\n</Location>\n</VirtualHost>\n",
      [`3:1-3:12: expected \`</Files>\`, found \`</Location>\` | ${expected("Files", "Location")}`],
    ],
    [
      "closed by the tag of the section around it, which is closed, too",
      "<VirtualHost *>\n<Files x>\n</VirtualHost>\n</VirtualHost>\n</Location>\n",
      [
        `3:1-3:15: \`</VirtualHost>\` comes before \`</Files>\` | ${expected("Files", "VirtualHost")}`,
        `5:1-5:12: \`</Location>\` closes a section that is not open | ${unmatched("Location>", "delete it, or open the section in this file")}`,
      ],
    ],
    [
      "closed by the tag of another, in one that is never closed",
      "<VirtualHost *>\n<Files x>\n</Location>\n",
      [
        "1:1-1:16: section `<VirtualHost>` is not closed in this file | note: httpd will not start | note: httpd reports: /etc/httpd/httpd.conf:2: <Files> was not closed.\\n/etc/httpd/httpd.conf:1: <VirtualHost> was not closed. | help: add `</VirtualHost>`",
        `3:1-3:12: expected \`</Files>\`, found \`</Location>\` | ${expected("Files", "Location")}`,
      ],
    ],
    [
      "never closed",
      "  <Files x>\nListen 80\n",
      [
        "1:3-1:12: section `<Files>` is not closed in this file | note: httpd will not start | note: httpd reports: /etc/httpd/httpd.conf:1: <Files> was not closed. | help: add `</Files>`",
      ],
    ],
    [
      "never closed, in a guard that does not hold",
      "<IfDefine X>\n<Files x>\n",
      [
        "2:1-2:10: unclosed section `<Files>` | note: httpd will not start | note: httpd reports: Expected </Files> before end of configuration | help: add `</Files>`",
      ],
    ],
    [
      "a guard that does not hold, never closed",
      "<IfDefine X>\nListen 80\n",
      [
        "1:1-1:13: unclosed section `<IfDefine>` | note: httpd will not start | note: httpd reports: Expected </IfDefine> before end of configuration | help: add `</IfDefine>`",
      ],
    ],
    [
      "crossed in a guard that does not hold",
      "<IfDefine X>\n<Files x>\n</IfDefine>\n",
      [
        `3:1-3:12: expected \`</Files>\`, found \`</IfDefine>\` | ${expected("Files", "IfDefine").replace("note: httpd reports", "note: httpd checks this even in a conditional section whose condition is false | note: httpd reports")}`,
      ],
    ],
    ["no `>` in the closing tag", "<Files x>\n</Files\n", [`2:1-2:8: ${noEnd}`]],
    ...[";", "#x"].map(
      (behind) =>
        [
          `${behind} right behind the closing tag`,
          `<Files x>\n</Files>${behind}\n`,
          [
            `2:1-2:${9 + behind.length}: text after the closing tag \`</Files>\` | note: httpd will not start | note: httpd reports: </Files>${behind}> directive missing closing '>' | help: put the tag on its own line`,
          ],
        ] as const,
    ),
    [
      "text right behind the tag that closes a guard",
      "<IfModule core.c>\n</IfModule>;\n",
      [
        `2:1-2:13: text after the closing tag \`</IfModule>\` | ${unmatched("IfModule>;", "put the tag on its own line")}`,
      ],
    ],
    ["a space before the `>` of the closing tag", "<Files x>\n</Files >\n", [`2:1-2:10: ${noEnd}`]],
    [
      "a space before the `>` that closes a guard",
      "<IfModule core.c>\n</IfModule >\n",
      [`2:1-2:13: missing \`>\` directly after \`</IfModule\` | ${unmatched("IfModule", "use `</IfModule>`")}`],
    ],
    [
      "a space before the `>` that closes a guard that does not hold",
      "<IfDefine X>\n</IfDefine >\n",
      [
        "2:1-2:13: missing `>` directly after `</IfDefine` | note: httpd will not start | note: httpd reports: Expected </IfDefine> but saw </IfDefin> | help: use `</IfDefine>`",
      ],
    ],
    [
      "text behind the closing tag of a guard that holds",
      "<IfModule core.c>\n</IfModule> # core\n",
      [
        `2:1-2:19: text after the closing tag \`</IfModule>\` | ${unmatched("IfModule>", "put the tag on its own line")}`,
      ],
    ],
    [
      "a macro without end",
      "<Macro M>\n<Files x>\n</Files>\n",
      [`1:1-1:10: unclosed \`<Macro>\` | ${start} | ${unended}`],
    ],
    [
      "a macro with a line that is too long",
      `<Macro M>\nSetEnv a ${"x".repeat(8183)}\n</Macro>\n`,
      [
        `1:1-1:10: a line of this macro is longer than 8,191 bytes | ${start} | ${unended.replace("add `</Macro>`", "split the line")}`,
      ],
    ],
  ])("%s", (_, text, expected) => {
    expect(said(text)).toEqual(expected);
  });
});

describe("does not report", () => {
  test.each([
    ["closed in order, in any case", "<Directory /a>\n<FILES x>\n</files>\n</DIRECTORY>\n"],
    ["text behind the closing tag of a section", "<Files x>\n</Files> # x\n"],
    ["text behind the closing tag of a guard that does not hold", "<IfDefine X>\n</IfDefine> # X\n"],
    ["closing tags in comments", "# </Files>\n"],
    ["a macro that closes what it opens", "<Macro M>\n<Files x>\n</Files>\n</Macro>\nUse M\n"],
    [
      "a macro that opens for another to close",
      "<Macro A>\n<Files x>\n</Macro>\n<Macro B>\n</Files>\n</Macro>\nUse A\nUse B\n",
    ],
  ])("%s", (_, text) => {
    expect(said(text)).toEqual([]);
  });

  test("a section does not continue in another file", () => {
    const files = { "/etc/httpd/a.conf": "<Files x>\n", "/etc/httpd/b.conf": "</Files>\n" };
    expect(seen("Include a.conf\nInclude b.conf\n", { files }).map((each) => each.text)).toEqual([
      "<Files x>",
      "</Files>",
    ]);
    expect(seen("<Files x>\nInclude c.conf\n</Files>\n", { files: { "/etc/httpd/c.conf": "SetEnv a b\n" } })).toEqual(
      [],
    );
  });
});

describe("an expression", () => {
  test("that is not one", () => {
    const message = "bare word `example`: put it in quotes, or add `(` after a function";
    const text = '<If "%{HTTP_HOST} == example.org">\n</If>\n';
    expect(said(text)).toEqual([`1:22-1:29: invalid expression: ${message} | ${start}`]);
    expect(said(text, { kind: "htaccess" })).toEqual([
      `1:22-1:29: invalid expression: ${message} | note: requests below this directory return 500`,
    ]);
    expect(seen("<Location />\nRequire expr %{HTTP_HOST} == example\n</Location>\n").map((each) => each.at)).toEqual([
      "2:30-2:37",
    ]);
  });

  test("does not report quoted texts, or directives without expressions", () => {
    expect(said("<If \"%{HTTP_HOST} == 'example.org'\">\n</If>\n")).toEqual([]);
    expect(said("<Location />\nRequire host example.org\n</Location>\nHeader set X example\n")).toEqual([]);
  });
});

describe("a line that is too long", () => {
  const line = (bytes: number) => `SetEnv a ${"x".repeat(bytes - 10)}\n`;
  const message = "the line has 8,193 bytes, but the limit is 8,192";

  test("in a `.htaccess` file, and for 2.2", () => {
    expect(said(line(8193), { kind: "htaccess" })).toEqual([
      `1:1-1:7: ${message} | note: requests below this directory return 500 | note: httpd reports: Error reading /srv/.htaccess at line 1: Line too long | help: split the line`,
    ]);
    expect(said(line(8193), { release: "2.2" })).toEqual([
      `1:1-1:7: ${message} | note: httpd reads the rest as a separate line | help: split the line`,
    ]);
    expect(said(`${line(100).replace("\n", " \\\n")}${line(8100)}`, { kind: "htaccess" })).toHaveLength(1);
  });

  test("does not report one byte less, or a main file of 2.4", () => {
    expect(said(line(8192), { kind: "htaccess" })).toEqual([]);
    expect(said(line(8192), { release: "2.2" })).toEqual([]);
    expect(said(line(8193))).toEqual([]);
  });
});

test("sections nested too deep, and what follows", () => {
  const nested = (depth: number) => `${"<If true>\n".repeat(depth)}${"</If>\n".repeat(depth)}`;
  expect(said(nested(256))).toEqual([]);
  expect(said(`${nested(258)}</Files>\n`)).toEqual([
    "257:1-257:10: sections are nested more than 256 levels deep | note: httpd-lint does not check the directives inside | help: flatten the sections to have them checked",
    expect.stringMatching(/^517:1-517:9: `<\/Files>` closes/),
  ]);
});

describe("reports one mistake once", () => {
  const rules = [syntaxError, unknownDirective, refusedAtStart];
  const found = (text: string) => findingsOf(rules, text).map(({ rule, at }) => `${rule} ${at.split(":")[0]}`);

  test("a section's name, if the closing tag is correct", () => {
    expect(found("<Directry /a>\nOptions None\n</Directory>\n")).toEqual(["unknown-directive 1"]);
    expect(found("<Directory /a>\nOptions None\n</Directry>\n")).toEqual(["syntax-error 3"]);
    expect(found("<Dir /a>\nOptions None\n</Directory>\n")).toEqual(["unknown-directive 1"]);
    expect(found("< Directory /a>\nOptions None\n</Directory>\n")).toEqual(["unknown-directive 1"]);
    expect(found("Directory /a>\nOptions None\n</Directory>\n</Directory>\n")).toEqual([
      "unknown-directive 1",
      "syntax-error 4",
    ]);
    expect(found("LoadModule passenger_module x.so\n<Location /a>\n</Directory>\n</Location>\n")).toEqual([
      "syntax-error 3",
    ]);
    // If a module may define such a section, only the tags are wrong.
    expect(found("LoadModule x_module x.so\n<Directry /a>\n</Directory>\n")).toEqual(["syntax-error 3"]);
    expect(findingsOf([syntaxError], "<Directry /a>\n</Directory>\n")).toHaveLength(1);
  });

  test("several tags that are missing", () => {
    const [finding] = findingsOf(
      [syntaxError],
      "<VirtualHost *:80>\n<Proxy a>\n<If true>\n<If false>\n</VirtualHost>\n",
    );
    expect(finding?.message).toMatch(/^`<\/VirtualHost>` comes before 2 `<\/If>`, `<\/Proxy>`$/);
  });

  test("a rejected macro, and its uses", () => {
    expect(found("<Macro foo $a $a>\n</Macro>\nUse Foo 1 2\nUndefMacro foo\n")).toEqual(["refused-at-start 1"]);
    expect(found("<Macro foo $a\n</Macro>\nUse foo 1\nUse bar 1\n")).toEqual([
      "refused-at-start 1",
      "refused-at-start 4",
    ]);
  });

  test("RequireNone without anything to restrict, and `not` in it", () => {
    const none = ["<RequireNone>", "Require not ip 10", "Require not local", "</RequireNone>"];
    expect(findingsOf(rules, inDirectory(...none))).toMatchObject([
      { at: "2:1-2:14", related: [3, 4].map((n) => expect.stringContaining(`:${n}:9: delete this \`not\``)) },
    ]);
    const inAll = inDirectory("<RequireAll>", "Require all granted", ...none, "</RequireAll>");
    expect(found(inAll)).toEqual(["refused-at-start 5", "refused-at-start 6"]);
  });
});

describe("reports nesting beyond httpd-lint's limit, which httpd accepts, as a note", () => {
  const deep = (depth: number, open: string, close: string) => `${open.repeat(depth)}true${close.repeat(depth)}`;
  const found = (text: string) => findingsOf([syntaxError, refusedAtStart], text).map((each) => each.severity);
  const inAny = (depth: number) =>
    inDirectory("<RequireAny>\n".repeat(depth), "Require all granted", "</RequireAny>\n".repeat(depth));

  test.each([
    ["sections", `${"<If true>\n".repeat(257)}${"</If>\n".repeat(257)}`],
    ["parentheses", `<If "${deep(300, "(", ")")}">\n</If>\n`],
    ["negations", `<If "${deep(300, "! ", "")}">\n</If>\n`],
    ["containers, which are not empty for that", inAny(300)],
  ])("%s", (_, text) => {
    expect(found(text)).toEqual(["info"]);
  });

  test("does not report nesting within the limit, or empty and invalid files", () => {
    expect(found(inAny(200))).toEqual([]);
    expect(found(`<If "${deep(256, "(", ")")}">\n</If>\n`)).toEqual([]);
    expect(found(`<If "${deep(300, "(", "")}">\n</If>\n`)).toHaveLength(1);
    expect(found(`${inAny(300)}${inDirectory("<RequireAny>", "</RequireAny>")}`)).toEqual(["info", "error"]);
  });
});

test.each([
  "<Directory /a>\n<Files x>\n</Directory>\n</Files>\n",
  "</Files>\n",
  "<Files x>\n</Location>\n</Files>\n",
  "<Files x>\n</Files\n",
  "<IfModule core.c>\n</IfModule> # x\n",
  "<IfDefine X>\n<Files x>\n</IfDefine>\n",
])("reading goes on behind %j, where it would go on once that is mended", (text) => {
  const lines = text.split("\n").length;
  const findings = findingsOf([syntaxError, unknownDirective], `${text}Ordr x\n<Files y>\n`);
  expect(findings.filter((each) => each.rule === "unknown-directive").map((each) => each.at)).toEqual([
    `${lines}:1-${lines}:5`,
  ]);
  expect(findings.at(-1)).toMatchObject({ rule: "syntax-error", text: "<Files y>" });
});

test("each is reported once, even if its file is read several times", () => {
  const files = { "/etc/httpd/a.conf": "</Files>\n" };
  expect(said("Include a.conf\n<Directory /x>\nInclude a.conf\n</Directory>\n", { files }).length).toBeGreaterThan(0);
});

describe("`expr=` of Header is a condition after the value, and a value in its place", () => {
  test.each([
    'Header set X y "expr=true &&"',
    'Header always set X y "expr=true &&"',
    'Header note X y "expr=true &&"',
    'Header unset X "expr=true &&"',
    'Header edit X a b "expr=true &&"',
    'RequestHeader set X y "expr=true &&"',
  ])("%s is refused", (line) => {
    expect(findingsOf([syntaxError], `${line}\n`)).toHaveLength(1);
  });

  test.each([
    'Header set X "expr=%{REQUEST_URI}"',
    'Header set X "expr=true &&"',
    'Header edit X a "expr=true &&"',
    'RequestHeader set X "expr=true &&"',
    'Header set X y "expr=true"',
  ])("%s is accepted", (line) => {
    expect(findingsOf([syntaxError], `${line}\n`)).toEqual([]);
  });
});

test("a misspelled closing tag is one mistake, not two", () => {
  for (const text of ["<RequireAll>\nRequire ip 10\n</RequireAny>\n", "<Files x>\n</File>\n<Files y>\n</Files>\n"])
    expect(findingsOf([syntaxError], text)).toMatchObject([{ help: ["use the same name in both tags"] }]);
});

test("an unknown section is not also reported as unclosed", () => {
  const found = (text: string, given?: Given) =>
    findingsOf([syntaxError, unknownDirective], text, given).map(({ at, rule }) => `${at.split("-")[0]} ${rule}`);
  expect(found("<Foo a>\n")).toEqual(["1:1 unknown-directive"]);
  expect(found("<Foo a>\n", { modules: ["foo_module"] })).toEqual(["1:1 syntax-error"]);
  expect(findingsOf([unknownDirective], "<Files x>\n<\\Files>\n")[0]).toMatchObject({
    message: "closing tag `<\\Files>` has a backslash instead of a slash",
    notes: ["httpd will not start"],
    help: ["use `</Files>`"],
  });
});
