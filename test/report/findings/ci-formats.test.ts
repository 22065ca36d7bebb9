import { describe, expect, test } from "vitest";
import { sourceFile } from "../../../src/text/source.js";
import { at, finding, renderReport } from "../samples.js";

const file = sourceFile('/srv/conf/a;"b]<c>&100%.conf', "Order deny,allow\nDeny from all\n");
const other = sourceFile("/srv/other.conf", "Order deny,allow\n");

const findings = [
  finding(at(file, "Order"), {
    message: "`<Files>` & 100%;\n##vso[task.complete]",
    notes: ["a note"],
    help: ["some help"],
  }),
  finding(at(file, "Deny"), { severity: "warning" }),
  finding(at(other, "Order"), { severity: "info", isAboutServer: true }),
];

describe("checkstyle", () => {
  test("a file has its findings, and the message has notes and help as further lines", () => {
    expect(renderReport("checkstyle", findings)).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <checkstyle version="4.3">
      <file name="conf/a;&quot;b]&lt;c&gt;&amp;100%.conf">
      <error line="1" column="1" severity="error" message="\`&lt;Files&gt;\` &amp; 100%;&#10;#♯vso[task.complete]&#10;note: a note&#10;help: some help" source="httpd-lint.old-access-control"/>
      <error line="2" column="1" severity="warning" message="it is wrong" source="httpd-lint.old-access-control"/>
      </file>
      <file name="other.conf">
      <error line="1" column="1" severity="info" message="it is wrong" source="httpd-lint.old-access-control"/>
      </file>
      </checkstyle>
      "
    `);
  });

  test("a report without findings is a whole document", () => {
    expect(renderReport("checkstyle", [])).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <checkstyle version="4.3">
      </checkstyle>
      "
    `);
  });
});

describe("azure", () => {
  test("writes an escaped command for each finding", () => {
    expect(renderReport("azure", findings)).toMatchInlineSnapshot(`
      "##vso[task.logissue type=error;sourcepath=conf/a%3B"b%5D<c>&100%AZP25.conf;linenumber=1;columnnumber=1;code=old-access-control;]\`<Files>\` & 100%AZP25;␊#♯vso[task.complete]%0Anote: a note%0Ahelp: some help
      ##vso[task.logissue type=warning;sourcepath=conf/a%3B"b%5D<c>&100%AZP25.conf;linenumber=2;columnnumber=1;code=old-access-control;]it is wrong
      ##vso[task.logissue type=warning;sourcepath=other.conf;code=old-access-control;]it is wrong
      "
    `);
    expect(renderReport("azure", [])).toBe("");
  });
});

describe("json-lines", () => {
  test("has the findings of the JSON format, one in each line", () => {
    const lines = renderReport("json-lines", findings).split("\n");
    expect(lines.pop()).toBe("");
    const whole: unknown = JSON.parse(renderReport("json", findings));
    expect(whole).toMatchObject({ findings: lines.map((line): unknown => JSON.parse(line)) });
    expect(lines).toHaveLength(3);
    expect(renderReport("json-lines", [])).toBe("");
  });
});
