import { describe, expect, test } from "vitest";
import { misreadLine } from "../../rules/misread-line/misread-line.js";
import { syntaxError } from "../../rules/syntax-error/syntax-error.js";
import { httpd, liveTitle, runHttpdOn } from "../support/httpd/httpd.js";
import { findingsOf, onlyVariant } from "../support/rules.js";

const unreadExpression = onlyVariant(misreadLine, "unread-expression");

describe.skipIf(!httpd)(liveTitle("an unclosed pattern on the live server"), () => {
  test.each([
    ["true /x && false", "misread-line"],
    ["-n 'm' m#", "misread-line"],
    ["'a' == 'b' /c || true", "misread-line"],
    ["%{REQUEST_URI} =~ /x/ m|y", "misread-line"],
    ["true m,x", "misread-line"],
    ["true m_ x", "misread-line"],
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
