import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { undefinedVariable } from "./undefined-variable.js";

const seen = (text: string, given?: Given) => findingsOf([undefinedVariable], text, given);
const use = (name: string) => `$${`{${name}}`}`;

test("the first use of each variable without a value", () => {
  const text = `DocumentRoot "${use("ROOT")}/htdocs"\nErrorLog ${use("ROOT")}/${use("LOGS")}\n`;
  expect(seen(text)).toEqual([
    {
      rule: "undefined-variable",
      severity: "warning",
      at: "1:15-1:22",
      text: use("ROOT"),
      message: `variable \`${use("ROOT")}\` has no value`,
      notes: ["httpd uses the text as it is"],
      help: ["define it, or pass the server's environment file with `--envvars`"],
      related: [],
    },
    expect.objectContaining({ at: "2:18-2:25", text: use("LOGS") }),
  ]);
});

test.each<readonly [string, string, string]>([
  ["defined only behind its use", `ServerName ${use("A")}\nDefine A x\n`, "1:12-1:16"],
  ["no longer defined", `Define A x\nUnDefine A\nServerName ${use("A")}\n`, "3:12-3:16"],
  ["on a continued line", `ServerName \\\n  ${use("A")}\n`, "2:3-2:7"],
  ["in a guard", `<IfFile "${use("A")}">\n</IfFile>\n`, "1:10-1:14"],
  ["in a section", `<Directory "${use("A")}">\n</Directory>\n`, "1:13-1:17"],
  ["as the value of another", `Define B ${use("A")}\nServerName ${use("B")}\n`, "1:10-1:14"],
])("%s", (_, text, at) => {
  expect(seen(text)[0]?.at).toBe(at);
});

test("in a `.htaccess` file below the document root", () => {
  const files = { "/srv/.htaccess": `SetEnv x ${use("A")}\n` };
  expect(seen('DocumentRoot "/srv"\n', { files }).map((each) => each.at)).toEqual(["1:10-1:14"]);
});

describe("does not report", () => {
  test.each<[string, string, Given?]>([
    ["defined above", `Define A x\nServerName ${use("A")}\n`],
    ["defined in another case", `Define A x\nServerName ${use("a")}\n`],
    [
      "defined in an included file",
      `Include a.conf\nServerName ${use("A")}\n`,
      { files: { "/etc/httpd/a.conf": "Define A x\n" } },
    ],
    ["defined from outside", `ServerName ${use("A")}\n`, { defines: new Map([["A", "x"]]) }],
    ["a fragment, whose main file may define it", `ServerName ${use("A")}\n`, { kind: "fragment" }],
    ["a `.htaccess` file on its own", `SetEnv x ${use("A")}\n`, { kind: "htaccess" }],
    ["a map of mod_rewrite", `RewriteRule ^(.*)$ ${use("lower:$1")}\n`],
    ["a comment", `# ${use("A")}\n`],
    ["a guard that does not hold", `<IfDefine X>\nServerName ${use("A")}\n</IfDefine>\n`],
    ["other signs", "LogFormat %{A}i\nRewriteRule ^ %{A} $A $\n"],
  ])("%s", (_, text, given) => {
    expect(seen(text, given)).toEqual([]);
  });
});
