import { expect, test } from "vitest";
import { findingsOf, onlyVariant } from "../../test/support/rules.js";
import { constantCondition } from "./constant-condition.js";

const expiredCondition = onlyVariant(constantCondition, "expired-condition");

const now = new Date("2026-03-01T12:00:00Z");
const check = (...lines: readonly string[]) => findingsOf([expiredCondition], `${lines.join("\n")}\n`, { now });
const expr = (test: string) => `Require expr "${test}"`;

test("reports access until a date that has passed", () => {
  expect(check("<Location />", expr("%{TIME} -lt 20250101000000"), "</Location>")).toEqual([
    {
      rule: "constant-condition",
      severity: "info",
      at: "2:1-2:42",
      text: expr("%{TIME} -lt 20250101000000"),
      message: "`%{TIME} -lt 20250101000000` is always false: the date has passed",
      help: ["delete the lines that depend on it, or set a later date"],
      related: [],
    },
  ]);
});

test.each([
  [expr("%{TIME} -gt 20250101000000"), true],
  [expr("%{TIME} >= '20260228115959'"), true],
  [expr("%{TIME} lt 20250101000000"), false],
  [expr("%{TIME_YEAR} -eq 2025"), false],
  [expr("%{TIME_YEAR} != '2025'"), true],
  [expr("%{TIME_YEAR} -ge 2026"), true],
  [expr("-n %{QUERY_STRING} && %{TIME} <= '20250101000000'"), false],
  ['SetEnvIfExpr "%{TIME} -gt 20250101000000" open', true],
  ['RewriteCond "%{TIME}" ">20250101000000"', true],
  ['RewriteCond "%{TIME}" "!>20250101000000"', false],
  ['RewriteCond "%{TIME_YEAR}" "-lt2026"', false],
  ['RewriteCond "%{TIME_YEAR}" "=2024"', false],
  ['RewriteCond expr "%{TIME} -lt 20250101000000"', false],
  ['<If "%{TIME} -lt 20250101000000">\n</If>', false],
])("reports that %s is always %s", (line, holds) => {
  expect(check(line).map(({ message }) => /always (\w+)/.exec(message)?.[1])).toEqual([String(holds)]);
});

test.each([
  ["a later date", expr("%{TIME} -lt 20270101000000")],
  ["the last day, whose end depends on the time zone", expr("%{TIME} -lt 20260301000000")],
  ["this year", expr("%{TIME_YEAR} -eq 2026")],
  ["this year as the last", expr("%{TIME_YEAR} -le 2026")],
  ["a time of the day", expr("%{TIME_HOUR} -lt 12")],
  ["another variable", expr("%{REQUEST_URI} == '20250101000000'")],
  ["a number of 14 digits, which mod_rewrite does not read", 'RewriteCond "%{TIME}" "-lt20250101000000"'],
  ["a shorter number", 'RewriteCond "%{TIME}" ">20250101"'],
  ["a date in a string", 'RewriteCond "%{QUERY_STRING}" ">20250101000000"'],
])("does not report %s", (_, line) => {
  expect(check(line)).toEqual([]);
});
