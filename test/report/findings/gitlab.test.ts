import { expect, test } from "vitest";
import { sourceFile } from "../../../src/text/source.js";
import { at, finding, renderReport } from "../samples.js";

const file = sourceFile("/srv/conf/a.conf", "Order deny,allow\nDeny from all\nDeny from all\n");
const second = { ...at(file, "Deny"), start: 31, end: 35 };

test("each finding is an issue", () => {
  const findings = [
    finding(at(file, "Order"), { message: "`Order` is\nold", notes: ["not shown"] }),
    finding(at(file, "Deny"), { severity: "warning" }),
    finding(second, { severity: "info", isAboutServer: true }),
  ];
  const issues: readonly { readonly fingerprint: string }[] = JSON.parse(renderReport("gitlab", findings));
  const issue = (severity: string, line: number, description = "it is wrong") => ({
    description,
    check_name: "old-access-control",
    fingerprint: expect.stringMatching(/^[\da-f]{32}$/),
    severity,
    location: { path: "conf/a.conf", lines: { begin: line } },
  });
  expect(issues).toEqual([issue("critical", 1, "`Order` is\u240aold"), issue("major", 2), issue("info", 1)]);
  expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(3);
});

test("a fingerprint depends on the file and its lines, but not on wording and line numbers", () => {
  const fingerprintOf = (text: string, path = "/srv/a.conf", message = "x"): string => {
    const other = sourceFile(path, text);
    return JSON.parse(renderReport("gitlab", [finding(at(other, "Order"), { message })]))[0].fingerprint;
  };
  const known = fingerprintOf("Order deny,allow\n");
  expect(fingerprintOf("\n\nOrder deny,allow\n", "/srv/a.conf", "other words")).toBe(known);
  expect(fingerprintOf("Order allow,deny\n")).not.toBe(known);
  expect(fingerprintOf("Order deny,allow\n", "/srv/b.conf")).not.toBe(known);
});

test("a report without findings is an empty list", () => {
  expect(renderReport("gitlab", [])).toBe("[]\n");
});
