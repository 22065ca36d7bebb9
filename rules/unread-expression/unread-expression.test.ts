import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { unreadExpression } from "./unread-expression.js";

const seen = (text: string, given?: Given) => findingsOf([unreadExpression], text, given);
const condition = (text: string) => `<If "${text}">\n</If>\n`;

test("names the ignored lines and those that decide", () => {
  expect(seen(condition("true /x && false"))).toEqual([
    {
      rule: "unread-expression",
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

describe("in each directive with a condition", () => {
  test.each([
    [condition("-n 'm' m#"), "m#"],
    [condition("true m_ x"), "m_ x"],
    ["<If true>\n</If>\n<ElseIf 'true m#^/x'>\n</ElseIf>\n", "m#^/x"],
    ["<Location />\nRequire expr %{HTTPS} == 'on' /admin\n</Location>\n", "/admin"],
    ["SetEnvIfExpr 'true m|x' A=b\n", "m|x"],
    [`Header set A b "expr=true /x"\n`, "/x"],
    [`RequestHeader set A b "expr=true /x"\n`, "/x"],
  ])("%j", (text, underlined) => {
    expect(seen(text).map((each) => each.text)).toEqual([underlined]);
  });

  test("each time, with other literals too", () => {
    const texts = ["'a' == 'b' /x", "'a' == 'c' /x", "'a' == 'b' /x"];
    expect(seen(texts.map(condition).join(""))).toHaveLength(3);
  });
});

describe("does not report", () => {
  test.each([
    ["a pattern that is closed", "%{REQUEST_URI} =~ /x/ && false"],
    ["a slash in quotes", "'a' == '/x' && 'm#' == 'b'"],
    ["an address", "%{REMOTE_ADDR} -ipmatch '10.0.0.0/8'"],
    ["what is refused anyway", "true && /x"],
    ["an unclosed pattern behind an operator, which is refused", "%{REQUEST_URI} =~ m#^/x"],
  ])("%s", (_, text) => {
    expect(seen(condition(text))).toEqual([]);
  });

  test("texts that are not conditions, and 2.2, which has no conditions", () => {
    expect(seen("<Location />\nRequire host /x\n</Location>\nHeader set X '/x'\n")).toEqual([]);
    expect(seen(condition("true /x"), { release: "2.2" })).toEqual([]);
  });
});
