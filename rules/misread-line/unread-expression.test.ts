import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onlyVariant } from "../../test/support/rules.js";
import { misreadLine } from "./misread-line.js";

const unreadExpression = onlyVariant(misreadLine, "unread-expression");

const check = (text: string, given?: Given) => findingsOf([unreadExpression], text, given);
const condition = (text: string) => `<If "${text}">\n</If>\n`;

test("reports the ignored text and the part that decides", () => {
  expect(check(condition("true /x && false"))).toEqual([
    {
      rule: "misread-line",
      severity: "warning",
      at: "1:11-1:22",
      text: "/x && false",
      message: "unclosed pattern `/x && false`",
      notes: ["httpd silently ignores it", "only `true` decides"],
      help: ["close the pattern and put it after an operator such as `=~`, or delete it"],
      related: [],
    },
  ]);
});

describe("reports a condition", () => {
  test.each([
    [condition("-n 'm' m#"), "m#"],
    [condition("true m_ x"), "m_ x"],
    ["<If true>\n</If>\n<ElseIf 'true m#^/x'>\n</ElseIf>\n", "m#^/x"],
    ["<Location />\nRequire expr %{HTTPS} == 'on' /admin\n</Location>\n", "/admin"],
    ["SetEnvIfExpr 'true m|x' A=b\n", "m|x"],
    [`Header set A b "expr=true /x"\n`, "/x"],
    [`RequestHeader set A b "expr=true /x"\n`, "/x"],
  ])("in %j", (text, underlined) => {
    expect(check(text).map((each) => each.text)).toEqual([underlined]);
  });

  test("each time, also with other literals", () => {
    const texts = ["'a' == 'b' /x", "'a' == 'c' /x", "'a' == 'b' /x"];
    expect(check(texts.map(condition).join(""))).toHaveLength(3);
  });
});

describe("does not report", () => {
  test.each([
    ["a pattern that is closed", "%{REQUEST_URI} =~ /x/ && false"],
    ["a slash in quotes", "'a' == '/x' && 'm#' == 'b'"],
    ["an address", "%{REMOTE_ADDR} -ipmatch '10.0.0.0/8'"],
    ["a condition that httpd rejects", "true && /x"],
    ["an unclosed pattern after an operator, which httpd rejects", "%{REQUEST_URI} =~ m#^/x"],
  ])("%s", (_, text) => {
    expect(check(condition(text))).toEqual([]);
  });

  test("strings that are not conditions, or 2.2, which does not have conditions", () => {
    expect(check("<Location />\nRequire host /x\n</Location>\nHeader set X '/x'\n")).toEqual([]);
    expect(check(condition("true /x"), { release: "2.2" })).toEqual([]);
  });
});
