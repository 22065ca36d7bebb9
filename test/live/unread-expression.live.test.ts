import { describe, expect, test } from "vitest";
import { syntaxError } from "../../rules/syntax-error/syntax-error.js";
import { unreadExpression } from "../../rules/unread-expression/unread-expression.js";
import { httpd, liveTitle, runHttpdOn } from "../support/httpd/httpd.js";
import { findingsOf } from "../support/rules.js";

describe.skipIf(!httpd)(liveTitle("an unclosed pattern on the live server"), () => {
  test.each([
    ["true /x && false", "unread-expression"],
    ["-n 'm' m#", "unread-expression"],
    ["'a' == 'b' /c || true", "unread-expression"],
    ["%{REQUEST_URI} =~ /x/ m|y", "unread-expression"],
    ["true m,x", "unread-expression"],
    ["true m_ x", "unread-expression"],
    ["true && /x", "syntax-error"],
    ["%{REQUEST_URI} =~ /x", "syntax-error"],
    ["true /x/", "syntax-error"],
    ["true mx", "syntax-error"],
    ["true m_x", "syntax-error"],
  ])("%j: %s", (condition, rule) => {
    const text = `<If "${condition}">\n</If>\n`;
    const { stderr } = runHttpdOn(["mpm_event", "authz_core"], `ErrorLog /dev/stderr\n${text}`);
    expect(stderr.includes("Cannot parse condition clause")).toBe(rule === "syntax-error");
    expect(findingsOf([syntaxError, unreadExpression], text).map((each) => each.rule)).toEqual([rule]);
  });
});
