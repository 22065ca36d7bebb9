import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { compatReset } from "./compat-reset.js";

const check = (text: string, given?: Given) => findingsOf([compatReset], text, given);
const users = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];
const closed = section('Directory "/srv"', "Order deny,allow", "Deny from all");
const office = section('Directory "/srv"', "Order deny,allow", "Deny from all", "Allow from 10");
const either = section(
  'Directory "/srv"',
  ...users,
  "Require valid-user",
  "Order deny,allow",
  "Deny from all",
  "Allow from 10",
  "Satisfy any",
);

test("reports a Satisfy that widens access", () => {
  expect(check(onServer(closed, section('Directory "/srv/a"', "Satisfy all")))).toEqual([
    {
      rule: "compat-reset",
      severity: "error",
      at: "7:1-7:12",
      text: "Satisfy all",
      message: "`Satisfy all` discards the inherited `Deny from all`",
      notes: [
        "a section with any of Order, Allow, Deny and Satisfy inherits none of them",
        "GET `/a/index.html` from 203.0.113.9 is allowed",
      ],
      help: ["repeat the inherited lines in this section", "to inherit them, delete `Satisfy all`"],
      related: ["httpd.conf:3:1: discarded", "httpd.conf:4:1: discarded"],
    },
  ]);
});

describe("reports a line that allows clients that inherited lines deny", () => {
  test.each([
    ["Satisfy Any with a Require", closed, section("Location /a", ...users, "Require valid-user", "Satisfy any")],
    ["an Allow", closed, section("Location /a", "Allow from 10")],
    ["an Allow for a variable", closed, section("Location /a", "Allow from env=ok")],
    ["a Deny", office, section("Location /a", "Deny from 10.66")],
    ["an Order", office, section("Location /a", "Order deny,allow")],
    ["a line for files", office, section('Files "*.txt"', "Deny from 10.66")],
    ["a line for a method", office, section("Location /a", "<Limit GET>", "Allow from 192.0.2", "</Limit>")],
    ["a line in a virtual host", office, section("VirtualHost *:80", section("Location /a", "Allow from 192.0.2"))],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections)).map(({ severity }) => severity)).toEqual(["error"]);
  });

  test("in a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All", "Deny from all"));
    expect(check(main, { files: { "/srv/a/.htaccess": "Satisfy all\n" } })).toHaveLength(1);
  });
});

test("mixed-access-control does not report the same line", () => {
  const main = onServer(closed, section('Directory "/srv/a"', "Satisfy all", "Require all granted"));
  expect(findingsOf([compatReset, mixedAccessControl], main).map(({ rule }) => rule)).toEqual(["compat-reset"]);
});

test("reports a Satisfy Any that widens access without a Require", () => {
  const parts = {
    severity: "error",
    message: "`Satisfy any` discards the inherited `Deny from all`",
    notes: expect.arrayContaining(["GET `/a/index.html` from 203.0.113.9 is allowed"]),
    help: ["repeat the inherited lines in this section, or delete `Satisfy any`"],
  };
  const inner = section('Directory "/srv/a"', "Satisfy any");
  expect(check(onServer(closed, inner))).toMatchObject([{ at: "7:1-7:12", ...parts }]);
  const granted = section("Directory /", "Require all granted");
  expect(check(onServer(granted, closed, inner))).toMatchObject([parts]);
});

describe("reports lines for some methods", () => {
  test.each([
    ["that allow GET and deny other methods", "<Limit POST PUT>", "Deny from all", "</Limit>", "GET"],
    ["that allow other methods", "<Limit GET>", "Deny from all", "</Limit>", "POST"],
    ["in a LimitExcept section", "<LimitExcept GET HEAD>", "Deny from all", "</LimitExcept>", "GET"],
  ])("%s", (_, ...lines) => {
    const method = lines.pop();
    const findings = check(onServer(office, section('Directory "/srv/a"', ...lines)));
    expect(findings).toMatchObject([{ severity: "error" }]);
    expect(findings[0]?.notes).toContain(`${method} \`/a/index.html\` from 203.0.113.9 is allowed`);
  });
});

describe("a directory pattern", () => {
  const files = { "/srv/pub7/x.html": "", "/srv/a/x/y.html": "" };
  test.each([
    ["a regular expression", 'DirectoryMatch "/pub[0-9]/?"', "/pub7/index.html"],
    ["wildcards", 'Directory "/srv/*/x"', "/a/x/index.html"],
  ])("is reported with a request for an existing directory: %s", (_, tag, path) => {
    const [finding] = check(onServer(office, section(tag, "Satisfy all")), { files });
    expect(finding?.notes).toContain(`GET \`${path}\` from 203.0.113.9 is allowed`);
  });

  test.each([
    ["a regular expression", 'DirectoryMatch "^/srv/lab/"'],
    ["wildcards", 'Directory "/srv/*/z"'],
  ])("is not reported without an existing directory: %s", (_, tag) => {
    expect(check(onServer(office, section(tag, "Satisfy all")), { files })).toEqual([]);
    // If the contents are unknown, any file may exist.
    expect(check(onServer(office, section(tag, "Satisfy all")))).toHaveLength(1);
  });
});

describe("reports a line that denies clients that inherited lines allow", () => {
  test.each([
    [
      "an Order",
      section('Directory "/srv"', "Order allow,deny", "Allow from 10"),
      section("Location /a", "Order allow,deny"),
    ],
    [
      "host directives that discard Satisfy Any",
      either,
      section("Location /a", "Order deny,allow", "Deny from all", "Allow from 10"),
    ],
    ["an Allow from all that discards Satisfy Any", either, section("Location /a", "Allow from all")],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections)).map(({ severity }) => severity)).toEqual(["warning"]);
  });
});

describe("does not report", () => {
  test.each([
    ["a complete set of directives", closed, section("Location /a", "Order allow,deny", "Allow from 10")],
    [
      "a complete set of directives with Satisfy",
      either,
      section("Location /a", "Order deny,allow", "Deny from 10.66", "Satisfy all"),
    ],
    [
      "Allow from all, which is complete on its own",
      section('Directory "/srv"', "Order allow,deny", "Deny from all"),
      section("Location /a", "Allow from all"),
    ],
    [
      "Deny from all, which is complete on its own",
      section('Directory "/srv"', "Order deny,allow", "Allow from all"),
      section('FilesMatch "^\\.ht"', "Deny from all"),
    ],
    [
      "files denied to every client, with an inherited Satisfy Any",
      either,
      section('Files "*.inc"', "Order allow,deny", "Deny from all"),
    ],
    [
      "Satisfy Any if no client was denied",
      section('Directory "/srv"', ...users, "Require valid-user", "Order deny,allow"),
      section("Location /a", "Satisfy any"),
    ],
    ["repeated inherited lines", office, section("Location /a", "Order deny,allow", "Deny from all", "Allow from 10")],
    [
      "lines without inherited ones",
      section('Directory "/other"', "Deny from all"),
      section("Location /a", "Satisfy all"),
    ],
    [
      "inherited lines that allow every client",
      section('Directory "/srv"', "Order deny,allow"),
      section("Location /a", "Satisfy all"),
    ],
    ["a Require with the same decision", closed, section("Location /a", "Satisfy all", "Require all denied")],
    [
      "a conditional section that does not apply",
      closed,
      section("Location /a", "<IfModule !mod_authz_core.c>", "Satisfy all", "</IfModule>"),
    ],
    ["only Require directives", closed, section("Location /a", "Require ip 10")],
    ["the outer section itself", closed],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections))).toEqual([]);
  });

  test("2.2, where Satisfy merges separately, or a section that only narrows access", () => {
    const text = onServer(closed, section("Location /a", "Satisfy all"));
    expect(check(text, { release: "2.2" })).toEqual([]);
    expect(check("Satisfy all\n<Files x>\nDeny from all\n</Files>\n", { kind: "htaccess" })).toEqual([]);
  });

  test("the same line in old-access-control", () => {
    const text = onServer(closed, section("Location /a", "Satisfy all"));
    const rules = findingsOf([compatReset, oldAccessControl], text).map(({ rule, at }) => [rule, at]);
    expect(rules).toEqual([
      ["old-access-control", "3:1-3:17"],
      ["compat-reset", "7:1-7:12"],
    ]);
  });
});
