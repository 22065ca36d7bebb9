import { expect, test } from "vitest";
import { sourceFile } from "../../../src/text/source.js";
import { at, finding, ignoredFinding, renderReport } from "../samples.js";

const file = sourceFile('/srv/a "<b>&.conf', "Order deny,allow\nDeny from all\n");

test("each finding is a failed test case of its file, with the lines", () => {
  const findings = [
    finding(at(file, "Order"), {
      message: "`<Files>` & \x1b[1mmore\n",
      related: [{ message: "see here", span: at(file, "Deny") }],
    }),
    finding(at(file, "Deny"), { severity: "info", label: "a label", notes: ["a note"], help: ["some help"] }),
  ];
  expect(renderReport("junit", findings)).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="2" failures="2" errors="0">
    <testsuite name="httpd-lint" tests="2" failures="2" errors="0" skipped="0">
    <testcase classname="a &quot;&lt;b&gt;&amp;.conf" name="old-access-control in line 1, column 1" file="a &quot;&lt;b&gt;&amp;.conf" line="1">
    <failure type="error" message="\`&lt;Files&gt;\` &amp; ␛[1mmore&#10;"> --&gt; a &quot;&lt;b&gt;&amp;.conf:1:1&#10;  |&#10;1 | Order deny,allow&#10;  | ^^^^^&#10;2 | Deny from all&#10;  | ---- see here&#10;</failure>
    </testcase>
    <testcase classname="a &quot;&lt;b&gt;&amp;.conf" name="old-access-control in line 2, column 1" file="a &quot;&lt;b&gt;&amp;.conf" line="2">
    <failure type="info" message="it is wrong"> --&gt; a &quot;&lt;b&gt;&amp;.conf:2:1&#10;  |&#10;2 | Deny from all&#10;  | ^^^^ a label&#10;  |&#10;  = note: a note&#10;  = help: some help&#10;</failure>
    </testcase>
    </testsuite>
    </testsuites>
    "
  `);
});

test("suppressed findings are skipped test cases on request", () => {
  const ignored = [ignoredFinding(at(file, "Order"), "it is right")];
  expect(renderReport("junit", [], { ignored })).not.toContain("skipped message");
  expect(renderReport("junit", [finding(at(file, "Deny"))], { ignored, reportIgnored: true })).toMatch(
    /tests="2" failures="1" errors="0" skipped="1">[\s\S]*<skipped message="is ignored by the comment in line 1: it is right"\/>/,
  );
});

test("a report without findings has one passed test case", () => {
  expect(renderReport("junit", [])).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="1" failures="0" errors="0">
    <testsuite name="httpd-lint" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="httpd-lint" name="no findings"/>
    </testsuite>
    </testsuites>
    "
  `);
});
