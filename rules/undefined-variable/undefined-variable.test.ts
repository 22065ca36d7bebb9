import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { undefinedVariable } from "./undefined-variable.js";

const check = (text: string, given?: Given) => findingsOf([undefinedVariable], text, given);
const reference = (name: string) => `$${`{${name}}`}`;

test("reports the first use of each variable without a value", () => {
  const text = `DocumentRoot "${reference("ROOT")}/htdocs"\nErrorLog ${reference("ROOT")}/${reference("LOGS")}\n`;
  expect(check(text)).toEqual([
    {
      rule: "undefined-variable",
      severity: "warning",
      at: "1:15-1:22",
      text: reference("ROOT"),
      message: `variable \`${reference("ROOT")}\` has no value`,
      notes: ["httpd uses the text as it is"],
      help: ["define it with `--define NAME=VALUE`, or pass the server's environment file with `--envvars`"],
      related: [],
    },
    expect.objectContaining({ at: "2:18-2:25", text: reference("LOGS") }),
  ]);
});

test.each<readonly [string, string, string]>([
  ["a variable that is defined only after its use", `ServerName ${reference("A")}\nDefine A x\n`, "1:12-1:16"],
  ["a variable that is no longer defined", `Define A x\nUnDefine A\nServerName ${reference("A")}\n`, "3:12-3:16"],
  ["a variable on a continued line", `ServerName \\\n  ${reference("A")}\n`, "2:3-2:7"],
  ["a variable in a condition", `<IfFile "${reference("A")}">\n</IfFile>\n`, "1:10-1:14"],
  ["a variable in a section tag", `<Directory "${reference("A")}">\n</Directory>\n`, "1:13-1:17"],
  ["a variable as the value of another one", `Define B ${reference("A")}\nServerName ${reference("B")}\n`, "1:10-1:14"],
])("reports %s", (_, text, at) => {
  expect(check(text)[0]?.at).toBe(at);
});

test("reports a `.htaccess` file below the document root", () => {
  const files = { "/srv/.htaccess": `SetEnv x ${reference("A")}\n` };
  expect(check('DocumentRoot "/srv"\n', { files }).map((each) => each.at)).toEqual(["1:10-1:14"]);
});

describe("does not report", () => {
  test.each<[string, string, Given?]>([
    ["a variable that is defined before its use", `Define A x\nServerName ${reference("A")}\n`],
    ["a variable that is defined in another case", `Define A x\nServerName ${reference("a")}\n`],
    [
      "a variable that is defined in an included file",
      `Include a.conf\nServerName ${reference("A")}\n`,
      { files: { "/etc/httpd/a.conf": "Define A x\n" } },
    ],
    ["a variable that the options define", `ServerName ${reference("A")}\n`, { defines: new Map([["A", "x"]]) }],
    ["a fragment, whose main file may define it", `ServerName ${reference("A")}\n`, { kind: "fragment" }],
    ["a `.htaccess` file on its own", `SetEnv x ${reference("A")}\n`, { kind: "htaccess" }],
    ["a map of mod_rewrite", `RewriteRule ^(.*)$ ${reference("lower:$1")}\n`],
    ["a comment", `# ${reference("A")}\n`],
    [
      "a conditional section that applies on no server",
      `<IfVersion < 1.3>\nServerName ${reference("A")}\n</IfVersion>\n`,
    ],
    ["other characters", "LogFormat %{A}i\nRewriteRule ^ %{A} $A $\n"],
  ])("%s", (_, text, given) => {
    expect(check(text, given)).toEqual([]);
  });
});
