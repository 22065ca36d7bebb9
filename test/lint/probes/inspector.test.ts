import { describe, expect, test } from "vitest";
import { compatPrecedence } from "../../../rules/compat-precedence/compat-precedence.js";
import { overrideMissing } from "../../../rules/override-missing/override-missing.js";
import { satisfyAny } from "../../../rules/satisfy-any/satisfy-any.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { lintWithoutProofs } from "../../../src/lint/runner/lint.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { findingsOf, lintText, onlyVariant, onServer, section } from "../../support/rules.js";

const satisfyAnyInherited = onlyVariant(satisfyAny, "satisfy-any-inherited");

const closed = section('Directory "/"', "AllowOverride None", "Deny from all");

describe("a copy of a configuration, read with --server-root", () => {
  const lines = ['ServerRoot "/etc/httpd"', "DocumentRoot htdocs"];
  const rulesIn = (text: string, files: Readonly<Record<string, string>> = {}) => {
    const access = memoryAccess({ ...files, "/copy/httpd.conf": text });
    const loaded = loadProject("/copy/httpd.conf", { access, kind: "server", serverRoot: "/copy" });
    if (!loaded.ok) throw new Error(loaded.error);
    return lintWithoutProofs(loaded.value, { rules: [compatPrecedence, overrideMissing] }).findings.map(
      ({ rule }) => rule,
    );
  };

  test("has the findings of its server", () => {
    const open = section('Directory "/etc/httpd/htdocs"', "Allow from all");
    const status = section("Location /server-status", "Require local");
    expect(rulesIn(`${lines.join("\n")}\n${closed}${open}${status}`)).toEqual([]);
    expect(rulesIn(`${lines.join("\n")}\n${closed}${status}`)).toEqual(["compat-precedence"]);
  });

  test("has the findings in its `.htaccess` files", () => {
    const main = (allowed: string) =>
      `${lines.join("\n")}\n${closed}${section('Directory "/etc/httpd/htdocs"', allowed)}`;
    const files = { "/copy/htdocs/a/.htaccess": "Deny from all\n" };
    expect(rulesIn(main("AllowOverride AuthConfig"), files)).toEqual(["override-missing"]);
    expect(rulesIn(main("AllowOverride Limit"), files)).toEqual([]);
  });
});

describe("skips sections that the server rejects", () => {
  const status = (line: string) => section("Location /server-status", line);
  test.each([
    ["an error in the section", onServer(closed, status("Require ip 10.1 # office"))],
    [
      "an error in an inherited section",
      onServer(section('Directory "/srv"', "Deny from all", "Order no"), status("Require local")),
    ],
    ["misplaced access control of the server", onServer("Deny from all\n", status("Require local"))],
    [
      "misplaced access control of a virtual host",
      onServer(section("VirtualHost *:80", "Deny from all", status("Require local").trimEnd())),
    ],
  ])("%s", (_, text) => {
    expect(findingsOf([compatPrecedence], text)).toEqual([]);
  });
});

test("a client is not a witness if a condition applies other rules to it", () => {
  const any = section('Directory "/srv"', "Order deny,allow", "Deny from all", "Allow from 127.0.0.1", "Satisfy any");
  const other = section("If \"%{REMOTE_ADDR} == '127.0.0.1'\"", "Order deny,allow");
  const inner = section("Location /a", "Require all denied");
  expect(findingsOf([satisfyAnyInherited], onServer(any, inner))).toHaveLength(1);
  expect(findingsOf([satisfyAnyInherited], onServer(any, inner, other))).toEqual([]);
});

test("the steps of a witness end with the deciding line", () => {
  const [finding] = lintText([compatPrecedence], onServer(closed, section("Location /a", "Require ip 10")));
  expect(finding?.witness?.request).toEqual({ method: "GET", path: "/a", clientIp: "10.0.0.1" });
  expect(finding?.witness?.steps.at(-1)?.message).toBe("`Deny from all` decides: 403 AH01797");
});
