import { describe, expect, it } from "vitest";
import { sourceFile } from "../../../src/text/source.js";
import { at, finding, written } from "../samples.js";

const file = sourceFile("/srv/conf/a,b:100%.conf", "Order deny,allow\nAlias /x \\\n  /y\n");

describe("github", () => {
  it("writes a command a finding, escaped", () => {
    const findings = [
      finding(at(file, "deny,allow"), {
        message: "100% wrong:\r\nthis, and `%0A`",
        related: [{ message: "here too", span: at(file, "/x") }],
      }),
      finding(at(file, "Alias /x \\\n  /y"), { severity: "warning" }),
      finding(at(file, "/y"), { severity: "info", message: "\x1b[1m::error::not a command" }),
    ];
    expect(written("github", findings)).toMatchInlineSnapshot(`
      "::error file=conf/a%2Cb%3A100%25.conf,line=1,endLine=1,col=7,endColumn=17,title=old-access-control::100%25 wrong:␍␊this, and \`%250A\`%0Aconf/a,b:100%25.conf:2:7: here too
      ::warning file=conf/a%2Cb%3A100%25.conf,line=2,endLine=2,col=1,endColumn=11,title=old-access-control::it is wrong
      ::notice file=conf/a%2Cb%3A100%25.conf,line=3,endLine=3,col=3,endColumn=5,title=old-access-control::␛[1m::error::not a command
      "
    `);
  });

  it("writes nothing for a clean run", () => {
    expect(written("github", [])).toBe("");
  });
});
