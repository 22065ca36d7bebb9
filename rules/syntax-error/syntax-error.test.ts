import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, textOf } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { unknownDirective } from "../unknown-directive/unknown-directive.js";
import { syntaxError } from "./syntax-error.js";

const check = (text: string, given?: Given) => findingsOf([syntaxError], text, given);
const describeFindings = (text: string, given?: Given) =>
  check(text, given).map((each) => `${each.at}: ${textOf(each)}`);
const start = "note: httpd will not start";
const inOrder = "close the sections in the order they were opened";
const notesAndHelp = (server: string, help: string) => `${start} | note: httpd reports: ${server} | help: ${help}`;
const expected = (opened: string, closed: string) =>
  notesAndHelp(`Expected </${opened}> but saw </${closed}>`, inOrder);
const unmatched = (tag: string, help: string) => notesAndHelp(`</${tag} without matching <${tag} section`, help);

test("reports a section that crosses another", () => {
  expect(check("<Directory /a>\n  <Files x>\n  </Directory>\n</Files>\nListen 80\n")).toEqual([
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

const missingEnd =
  "missing `>` directly after `</Files` | note: httpd will not start | note: httpd reports: </Files> directive missing closing '>' | help: use `</Files>`";
const unclosedMacro =
  "note: httpd reports: macro 'm' (defined on line 1 of \"/etc/httpd/httpd.conf\")\\n\\tcontents error: expected token not found: </Macro> | help: add `</Macro>`";

describe("reports", () => {
  test.each<readonly [string, string, readonly string[]]>([
    [
      "a section that crosses several others",
      "<Files a>\n<If true>\n<Limit GET>\n</Files>\n</Limit>\n</If>\n",
      [`4:1-4:9: \`</Files>\` comes before \`</Limit>\`, \`</If>\` | ${expected("Limit", "Files")}`],
    ],
    [
      "a conditional section that crosses another section",
      "<IfModule core.c>\n<Files x>\n</IfModule>\n</Files>\n",
      [`3:1-3:12: \`</IfModule>\` comes before \`</Files>\` | ${expected("Files", "IfModule")}`],
    ],
    [
      "a section that is never opened",
      "Listen 80\n</Files>\n",
      [
        `2:1-2:9: \`</Files>\` closes a section that is not open | ${unmatched("Files>", "delete it, or open the section in this file")}`,
      ],
    ],
    [
      "a section that is never opened, inside another one",
      "<Files x>\n</Location>\n</Files>\n",
      [`2:1-2:12: expected \`</Files>\`, found \`</Location>\` | ${expected("Files", "Location")}`],
    ],
    [
      "a mismatched closing tag",
      "<Files x>\n</Location>\nListen 80\n",
      [`2:1-2:12: expected \`</Files>\`, found \`</Location>\` | ${expected("Files", "Location")}`],
    ],
    [
      "a mismatched closing tag in a section that is closed",
      "<VirtualHost *>\n<Files x>\n</Location>\n</VirtualHost>\n",
      [`3:1-3:12: expected \`</Files>\`, found \`</Location>\` | ${expected("Files", "Location")}`],
    ],
    [
      "a closing tag of the outer section, which is closed again",
      "<VirtualHost *>\n<Files x>\n</VirtualHost>\n</VirtualHost>\n</Location>\n",
      [
        `3:1-3:15: \`</VirtualHost>\` comes before \`</Files>\` | ${expected("Files", "VirtualHost")}`,
        `5:1-5:12: \`</Location>\` closes a section that is not open | ${unmatched("Location>", "delete it, or open the section in this file")}`,
      ],
    ],
    [
      "a mismatched closing tag in a section that is never closed",
      "<VirtualHost *>\n<Files x>\n</Location>\n",
      [
        "1:1-1:16: section `<VirtualHost>` is not closed in this file | note: httpd will not start | note: httpd reports: /etc/httpd/httpd.conf:2: <Files> was not closed.\\n/etc/httpd/httpd.conf:1: <VirtualHost> was not closed. | help: add `</VirtualHost>`",
        `3:1-3:12: expected \`</Files>\`, found \`</Location>\` | ${expected("Files", "Location")}`,
      ],
    ],
    [
      "a section that is never closed",
      "  <Files x>\nListen 80\n",
      [
        "1:3-1:12: section `<Files>` is not closed in this file | note: httpd will not start | note: httpd reports: /etc/httpd/httpd.conf:1: <Files> was not closed. | help: add `</Files>`",
      ],
    ],
    [
      "a section that is never closed, in a conditional section that does not apply",
      "<IfDefine X>\n<Files x>\n",
      [
        "2:1-2:10: unclosed section `<Files>` | note: httpd will not start | note: httpd reports: Expected </Files> before end of configuration | help: add `</Files>`",
      ],
    ],
    [
      "a conditional section that does not apply and is never closed",
      "<IfDefine X>\nListen 80\n",
      [
        "1:1-1:13: unclosed section `<IfDefine>` | note: httpd will not start | note: httpd reports: Expected </IfDefine> before end of configuration | help: add `</IfDefine>`",
      ],
    ],
    [
      "a section that crosses a conditional section that does not apply",
      "<IfDefine X>\n<Files x>\n</IfDefine>\n",
      [
        `3:1-3:12: expected \`</Files>\`, found \`</IfDefine>\` | ${expected("Files", "IfDefine").replace("note: httpd reports", "note: httpd checks this even in a conditional section whose condition is false | note: httpd reports")}`,
      ],
    ],
    ["a closing tag without `>`", "<Files x>\n</Files\n", [`2:1-2:8: ${missingEnd}`]],
    ...[";", "#x"].map(
      (suffix) =>
        [
          `${suffix} directly after the closing tag`,
          `<Files x>\n</Files>${suffix}\n`,
          [
            `2:1-2:${9 + suffix.length}: text after the closing tag \`</Files>\` | note: httpd will not start | note: httpd reports: </Files>${suffix}> directive missing closing '>' | help: put the tag on its own line`,
          ],
        ] as const,
    ),
    [
      "text directly after the closing tag of a conditional section",
      "<IfModule core.c>\n</IfModule>;\n",
      [
        `2:1-2:13: text after the closing tag \`</IfModule>\` | ${unmatched("IfModule>;", "put the tag on its own line")}`,
      ],
    ],
    ...["Files", "files"].map(
      (name) =>
        [
          `a space before the name of the closing tag ${name}`,
          `<Files x>\n</ ${name}>\n`,
          [
            `2:1-2:${5 + name.length}: space between \`</\` and the name of the section | note: httpd will not start | note: httpd reports: </> directive missing closing '>' | help: use \`</${name}>\``,
          ],
        ] as const,
    ),
    [
      "a space before the name of a closing tag, and after it",
      "<Files x>\n</\tFiles >\nListen 80\n",
      [
        "2:1-2:11: space between `</` and the name of the section | note: httpd will not start | note: httpd reports: </> directive missing closing '>' | help: use `</Files>`",
      ],
    ],
    [
      "a space before the name of the closing tag of a conditional section",
      "<IfModule core.c>\n</ IfModule>\n",
      [`2:1-2:13: space between \`</\` and the name of the section | ${unmatched("", "use `</IfModule>`")}`],
    ],
    [
      "a space before the name of the closing tag of a conditional section that does not apply",
      "<IfDefine X>\n</ IfDefine>\nListen 80\n",
      [
        "2:1-2:13: space between `</` and the name of the section | note: httpd will not start | note: httpd reports: Expected </IfDefine> but saw <> | help: use `</IfDefine>`",
      ],
    ],
    ["a space before the `>` of the closing tag", "<Files x>\n</Files >\n", [`2:1-2:10: ${missingEnd}`]],
    [
      "a space before the `>` of the closing tag of a conditional section",
      "<IfModule core.c>\n</IfModule >\n",
      [`2:1-2:13: missing \`>\` directly after \`</IfModule\` | ${unmatched("IfModule", "use `</IfModule>`")}`],
    ],
    [
      "a space before the `>` of the closing tag of a conditional section that does not apply",
      "<IfDefine X>\n</IfDefine >\n",
      [
        "2:1-2:13: missing `>` directly after `</IfDefine` | note: httpd will not start | note: httpd reports: Expected </IfDefine> but saw </IfDefin> | help: use `</IfDefine>`",
      ],
    ],
    [
      "text after the closing tag of a conditional section that applies",
      "<IfModule core.c>\n</IfModule> # core\n",
      [
        `2:1-2:19: text after the closing tag \`</IfModule>\` | ${unmatched("IfModule>", "put the tag on its own line")}`,
      ],
    ],
    [
      "a macro without an end",
      "<Macro M>\n<Files x>\n</Files>\n",
      [`1:1-1:10: unclosed \`<Macro>\` | ${start} | ${unclosedMacro}`],
    ],
    [
      "a macro with a line that is too long",
      `<Macro M>\nSetEnv a ${"x".repeat(8183)}\n</Macro>\n`,
      [
        `1:1-1:10: a line of this macro is longer than 8,191 bytes | ${start} | ${unclosedMacro.replace("add `</Macro>`", "split the line")}`,
      ],
    ],
  ])("%s", (_, text, expected) => {
    expect(describeFindings(text)).toEqual(expected);
  });
});

describe("does not report", () => {
  test.each([
    ["sections that are closed in order, in any case", "<Directory /a>\n<FILES x>\n</files>\n</DIRECTORY>\n"],
    ["text after the closing tag of a section", "<Files x>\n</Files> # x\n"],
    ["text after the closing tag of a conditional section that does not apply", "<IfDefine X>\n</IfDefine> # X\n"],
    ["closing tags in comments", "# </Files>\n"],
    ["a macro that closes what it opens", "<Macro M>\n<Files x>\n</Files>\n</Macro>\nUse M\n"],
    [
      "a macro that opens a section for another macro to close",
      "<Macro A>\n<Files x>\n</Macro>\n<Macro B>\n</Files>\n</Macro>\nUse A\nUse B\n",
    ],
  ])("%s", (_, text) => {
    expect(describeFindings(text)).toEqual([]);
  });

  test("an Include in a section, but a section that continues in another file", () => {
    const files = { "/etc/httpd/a.conf": "<Files x>\n", "/etc/httpd/b.conf": "</Files>\n" };
    expect(check("Include a.conf\nInclude b.conf\n", { files }).map((each) => each.text)).toEqual([
      "<Files x>",
      "</Files>",
    ]);
    expect(check("<Files x>\nInclude c.conf\n</Files>\n", { files: { "/etc/httpd/c.conf": "SetEnv a b\n" } })).toEqual(
      [],
    );
  });
});

describe("an expression", () => {
  test("is reported if it is invalid", () => {
    const message = "bare word `example`; put it in quotes, or add `(` after a function";
    const text = '<If "%{HTTP_HOST} == example.org">\n</If>\n';
    expect(describeFindings(text)).toEqual([`1:22-1:29: invalid expression: ${message} | ${start}`]);
    expect(describeFindings(text, { kind: "htaccess" })).toEqual([
      `1:22-1:29: invalid expression: ${message} | note: requests below this directory return 500`,
    ]);
    expect(check("<Location />\nRequire expr %{HTTP_HOST} == example\n</Location>\n").map((each) => each.at)).toEqual([
      "2:30-2:37",
    ]);
  });

  test("is not reported with quoted strings, or in directives without expressions", () => {
    expect(describeFindings("<If \"%{HTTP_HOST} == 'example.org'\">\n</If>\n")).toEqual([]);
    expect(describeFindings("<Location />\nRequire host example.org\n</Location>\nHeader set X example\n")).toEqual([]);
  });
});

describe("a line that is too long", () => {
  const line = (bytes: number) => `SetEnv a ${"x".repeat(bytes - 10)}\n`;
  const message = "the line has 8,193 bytes, but the limit is 8,192";

  test("is reported in a `.htaccess` file, and for 2.2", () => {
    expect(describeFindings(line(8193), { kind: "htaccess" })).toEqual([
      `1:1-1:7: ${message} | note: requests below this directory return 500 | note: httpd reports: Error reading /srv/.htaccess at line 1: Line too long | help: split the line`,
    ]);
    expect(describeFindings(line(8193), { release: "2.2" })).toEqual([
      `1:1-1:7: ${message} | note: httpd reads the rest as a separate line | help: split the line`,
    ]);
    expect(describeFindings(`${line(100).replace("\n", " \\\n")}${line(8100)}`, { kind: "htaccess" })).toHaveLength(1);
  });

  test("is not reported with one byte less, or in a main file of 2.4", () => {
    expect(describeFindings(line(8192), { kind: "htaccess" })).toEqual([]);
    expect(describeFindings(line(8192), { release: "2.2" })).toEqual([]);
    expect(describeFindings(line(8193))).toEqual([]);
  });
});

test("reports sections that are nested too deeply, and the lines after them", () => {
  const nested = (depth: number) => `${"<If true>\n".repeat(depth)}${"</If>\n".repeat(depth)}`;
  expect(describeFindings(nested(256))).toEqual([]);
  expect(describeFindings(`${nested(258)}</Files>\n`)).toEqual([
    "257:1-257:10: sections are nested more than 256 levels deep | note: httpd-lint does not check the directives inside | help: flatten the sections to have them checked",
    expect.stringMatching(/^517:1-517:9: `<\/Files>` closes/),
  ]);
});

describe("reports one mistake once", () => {
  const rules = [syntaxError, unknownDirective, refusedAtStart];
  const listRules = (text: string) => findingsOf(rules, text).map(({ rule, at }) => `${rule} ${at.split(":")[0]}`);

  test("in the name of a section if the closing tag is correct", () => {
    expect(listRules("<Directry /a>\nOptions None\n</Directory>\n")).toEqual(["unknown-directive 1"]);
    expect(listRules("<Directory /a>\nOptions None\n</Directry>\n")).toEqual(["syntax-error 3"]);
    expect(listRules("<Dir /a>\nOptions None\n</Directory>\n")).toEqual(["unknown-directive 1"]);
    expect(listRules("< Directory /a>\nOptions None\n</Directory>\n")).toEqual(["unknown-directive 1"]);
    expect(listRules("Directory /a>\nOptions None\n</Directory>\n</Directory>\n")).toEqual([
      "unknown-directive 1",
      "syntax-error 4",
    ]);
    expect(listRules("LoadModule passenger_module x.so\n<Location /a>\n</Directory>\n</Location>\n")).toEqual([
      "syntax-error 3",
    ]);
    // A module may define such a section: then only the tags are wrong.
    expect(listRules("LoadModule x_module x.so\n<Directry /a>\n</Directory>\n")).toEqual([
      "unknown-directive 2",
      "syntax-error 3",
    ]);
    expect(findingsOf([syntaxError], "<Directry /a>\n</Directory>\n")).toHaveLength(1);
  });

  test("for several missing tags", () => {
    const [finding] = findingsOf(
      [syntaxError],
      "<VirtualHost *:80>\n<Proxy a>\n<If true>\n<If false>\n</VirtualHost>\n",
    );
    expect(finding?.message).toMatch(/^`<\/VirtualHost>` comes before 2 `<\/If>`, `<\/Proxy>`$/);
  });

  test("in a macro and not in its uses", () => {
    expect(listRules("<Macro foo $a $a>\n</Macro>\nUse Foo 1 2\nUndefMacro foo\n")).toEqual(["refused-at-start 1"]);
    expect(listRules("<Macro foo $a\n</Macro>\nUse foo 1\nUse bar 1\n")).toEqual([
      "refused-at-start 1",
      "refused-at-start 4",
    ]);
  });

  test("in a RequireNone that does not restrict anything, and not in its lines", () => {
    const requireNone = ["<RequireNone>", "Require not ip 10", "Require not local", "</RequireNone>"];
    expect(findingsOf(rules, inDirectory(...requireNone))).toMatchObject([
      { at: "2:1-2:14", related: [3, 4].map((n) => expect.stringContaining(`:${n}:9: delete this \`not\``)) },
    ]);
    const inAll = inDirectory("<RequireAll>", "Require all granted", ...requireNone, "</RequireAll>");
    expect(listRules(inAll)).toEqual(["refused-at-start 5", "refused-at-start 6"]);
  });
});

describe("nesting beyond the limit of httpd-lint, which httpd accepts", () => {
  const deep = (depth: number, open: string, close: string) => `${open.repeat(depth)}true${close.repeat(depth)}`;
  const listSeverities = (text: string) => findingsOf([syntaxError, refusedAtStart], text).map((each) => each.severity);
  const inAny = (depth: number) =>
    inDirectory("<RequireAny>\n".repeat(depth), "Require all granted", "</RequireAny>\n".repeat(depth));

  test.each([
    ["sections", `${"<If true>\n".repeat(257)}${"</If>\n".repeat(257)}`],
    ["parentheses", `<If "${deep(300, "(", ")")}">\n</If>\n`],
    ["negations", `<If "${deep(300, "! ", "")}">\n</If>\n`],
    ["containers, which are not reported as empty", inAny(300)],
  ])("is reported as an info: %s", (_, text) => {
    expect(listSeverities(text)).toEqual(["info"]);
  });

  test("is not reported within the limit, or in empty and invalid sections", () => {
    expect(listSeverities(inAny(200))).toEqual([]);
    expect(listSeverities(`<If "${deep(256, "(", ")")}">\n</If>\n`)).toEqual([]);
    expect(listSeverities(`<If "${deep(300, "(", "")}">\n</If>\n`)).toHaveLength(1);
    expect(listSeverities(`${inAny(300)}${inDirectory("<RequireAny>", "</RequireAny>")}`)).toEqual(["info", "error"]);
  });
});

test.each([
  "<Directory /a>\n<Files x>\n</Directory>\n</Files>\n",
  "</Files>\n",
  "<Files x>\n</Location>\n</Files>\n",
  "<Files x>\n</Files\n",
  "<IfModule core.c>\n</IfModule> # x\n",
  "<IfDefine X>\n<Files x>\n</IfDefine>\n",
])("continues after %j as if it were corrected", (text) => {
  const lines = text.split("\n").length;
  const findings = findingsOf([syntaxError, unknownDirective], `${text}Ordr x\n<Files y>\n`);
  expect(findings.filter((each) => each.rule === "unknown-directive").map((each) => each.at)).toEqual([
    `${lines}:1-${lines}:5`,
  ]);
  expect(findings.at(-1)).toMatchObject({ rule: "syntax-error", text: "<Files y>" });
});

test("reports a tag of a file that is read several times only once", () => {
  const files = { "/etc/httpd/a.conf": "</Files>\n" };
  expect(describeFindings("Include a.conf\n<Directory /x>\nInclude a.conf\n</Directory>\n", { files })).toEqual([
    expect.stringContaining("1:1-1:9: `</Files>` closes a section that is not open"),
  ]);
});

describe("`expr=` of Header, which is a condition after the value, or the value itself", () => {
  test.each([
    'Header set X y "expr=true &&"',
    'Header always set X y "expr=true &&"',
    'Header note X y "expr=true &&"',
    'Header unset X "expr=true &&"',
    'Header edit X a b "expr=true &&"',
    'RequestHeader set X y "expr=true &&"',
  ])("is rejected in %s", (line) => {
    expect(findingsOf([syntaxError], `${line}\n`)).toHaveLength(1);
  });

  test.each([
    'Header set X "expr=%{REQUEST_URI}"',
    'Header set X "expr=true &&"',
    'Header edit X a "expr=true &&"',
    'RequestHeader set X "expr=true &&"',
    'Header set X y "expr=true"',
  ])("is accepted in %s", (line) => {
    expect(findingsOf([syntaxError], `${line}\n`)).toEqual([]);
  });
});

test("reports a misspelled closing tag once", () => {
  for (const text of ["<RequireAll>\nRequire ip 10\n</RequireAny>\n", "<Files x>\n</File>\n<Files y>\n</Files>\n"])
    expect(findingsOf([syntaxError], text)).toMatchObject([{ help: ["use the same name in both tags"] }]);
});

test("does not also report an unknown section as unclosed", () => {
  const listRules = (text: string, given?: Given) =>
    findingsOf([syntaxError, unknownDirective], text, given).map(({ at, rule }) => `${at.split("-")[0]} ${rule}`);
  expect(listRules("<Foo a>\n")).toEqual(["1:1 unknown-directive"]);
  // A module may define it.
  expect(listRules("<Foo a>\n", { modules: ["foo_module"] })).toEqual(["1:1 unknown-directive", "1:1 syntax-error"]);
  expect(findingsOf([unknownDirective], "<Files x>\n<\\Files>\n")[0]).toMatchObject({
    message: "closing tag `<\\Files>` has a backslash instead of a slash",
    notes: ["httpd will not start"],
    help: ["use `</Files>`"],
  });
});

describe("strings with variables", () => {
  test.each([
    ['LogMessage "%{"', "invalid expression: `%{` is never closed"],
    ["ErrorDocument 404 /%{wrong}", "invalid expression: Variable 'wrong' does not exist"],
    ['AuthName "for %{HTTP_HOST"', "invalid expression: `%{` is never closed"],
    ["Redirect 301 http://o.test/%{wrong}", "invalid expression: Variable 'wrong' does not exist"],
    ['Header set X "expr=%{wrong}"', "invalid expression: Variable 'wrong' does not exist"],
    ["Require not user %{wrong}", "invalid expression: Variable 'wrong' does not exist"],
    ["RewriteCond expr \"%{wrong} == 'x'\"", "invalid expression: Variable 'wrong' does not exist"],
  ])("reports `%s`", (line, message) => {
    expect(check(inDirectory(line)).map((each) => each.message)).toEqual([message]);
  });

  test.each([
    ...[
      'LogMessage "100% {x}"',
      "ErrorDocument 404 /%{REQUEST_URI}",
      "Redirect 301 /x http://o.test/%{",
      "SetEnv A %{",
    ],
    ...['Header set X "%{wrong}e"', "Require user ${NAME}%{", "RewriteCond %{wrong} x", "AuthBasicFake off %{"],
  ])("accepts `%s`", (line) => {
    expect(check(inDirectory(line))).toEqual([]);
  });
});
