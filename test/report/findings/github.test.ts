import { describe, expect, it } from "vitest";
import { sourceFile } from "../../../src/text/source.js";
import { at, finding, renderReport } from "../samples.js";

const file = sourceFile("/srv/conf/a,b:100%.conf", "Order deny,allow\nAlias /x \\\n  /y\n");

describe("github", () => {
  it("writes an escaped command for each finding", () => {
    const findings = [
      finding(at(file, "deny,allow"), {
        message: "100% wrong:\r\nthis, and `%0A`",
        related: [{ message: "here too", span: at(file, "/x") }],
      }),
      finding(at(file, "Alias /x \\\n  /y"), { severity: "warning" }),
      finding(at(file, "/y"), { severity: "info", message: "\x1b[1m::error::not a command" }),
    ];
    expect(renderReport("github", findings)).toMatchInlineSnapshot(`
      "::error file=conf/a%2Cb%3A100%25.conf,line=1,endLine=1,col=7,endColumn=17,title=100%25 wrong%3A␍␊this%2C and \`%250A\`::conf/a,b:100%25.conf:2:7: here too%0Arule: old-access-control
      ::warning file=conf/a%2Cb%3A100%25.conf,line=2,endLine=2,col=1,endColumn=11,title=it is wrong::rule: old-access-control
      ::notice file=conf/a%2Cb%3A100%25.conf,line=3,endLine=3,col=3,endColumn=5,title=␛[1m%3A%3Aerror%3A%3Anot a command::rule: old-access-control
      "
    `);
  });

  it("writes the header as title, and the other parts below it", () => {
    const plain = sourceFile("/srv/a.conf", "Order deny,allow\n");
    const findings = [
      finding(at(plain, "Order"), {
        ...{ label: "set here", notes: ["httpd will not start"], help: ["delete it"] },
        fix: { title: "Delete this line", safety: "safe", edits: [{ span: at(plain, "Order"), text: "" }] },
      }),
      finding(at(plain, "Order"), { isAboutServer: true, label: "not shown" }),
    ];
    const helpUri = (id: string) => `https://lint.example/${id}`;
    const rule = "rule: old-access-control (https://lint.example/old-access-control)";
    const body = ["set here", "note: httpd will not start", "help: delete it", "fix: Delete this line (safe)", rule];
    expect(renderReport("github", findings, { helpUri })).toBe(
      `::error file=a.conf,line=1,endLine=1,col=1,endColumn=6,title=it is wrong::${body.join("%0A")}\n::error file=a.conf,title=it is wrong::${rule}\n`,
    );
  });

  it("writes nothing without findings", () => {
    expect(renderReport("github", [])).toBe("");
  });
});
