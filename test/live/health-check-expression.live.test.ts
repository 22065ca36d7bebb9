import { describe, expect, test } from "vitest";
import { syntaxError } from "../../rules/syntax-error/syntax-error.js";
import { httpd, liveTitle, runHttpdOn } from "../support/httpd/httpd.js";
import { findingsOf } from "../support/rules.js";

describe.skipIf(!httpd)(liveTitle("expressions of ProxyHCExpr"), () => {
  test.each([
    ["ok2 {%{REQUEST_STATUS} =~ /^[234]/}", true],
    ["in {hc('body') !~ /Under maintenance/}", true],
    ['quoted "%{REQUEST_STATUS} == 200"', true],
    ["open {%{REQUEST_STATUS} == 200", true],
    ["word %{REQUEST_STATUS} == 200", false],
    ['brace { -z "}" }', false],
    ["empty {%{REQUEST_STATUS} ==}", false],
  ])("%s: accepted %s", (words, isAccepted) => {
    const text = `ProxyHCExpr ${words}\n`;
    const { stderr } = runHttpdOn(["mpm_event", "authz_core", "proxy", "proxy_hcheck"], text);
    expect(!stderr.includes("Could not parse expression")).toBe(isAccepted);
    expect(findingsOf([syntaxError], text).length === 0).toBe(isAccepted);
  });
});
