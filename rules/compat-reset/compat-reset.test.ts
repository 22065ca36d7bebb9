import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { compatReset } from "./compat-reset.js";

const seen = (text: string, given?: Given) => findingsOf([compatReset], text, given);
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

test("a Satisfy that widens access", () => {
  expect(seen(onServer(closed, section('Directory "/srv/a"', "Satisfy all")))).toEqual([
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

describe("a single line that allows clients that inherited lines deny", () => {
  test.each([
    ["Satisfy Any with a Require", closed, section("Location /a", ...users, "Require valid-user", "Satisfy any")],
    ["an Allow", closed, section("Location /a", "Allow from 10")],
    ["an Allow of a variable", closed, section("Location /a", "Allow from env=ok")],
    ["a Deny", office, section("Location /a", "Deny from 10.66")],
    ["an Order", office, section("Location /a", "Order deny,allow")],
    ["for files", office, section('Files "*.txt"', "Deny from 10.66")],
    ["for a method", office, section("Location /a", "<Limit GET>", "Allow from 192.0.2", "</Limit>")],
    ["in a virtual host", office, section("VirtualHost *:80", section("Location /a", "Allow from 192.0.2"))],
  ])("%s", (_, ...sections) => {
    expect(seen(onServer(...sections)).map(({ severity }) => severity)).toEqual(["error"]);
  });

  test("in a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All", "Deny from all"));
    expect(seen(main, { files: { "/srv/a/.htaccess": "Satisfy all\n" } })).toHaveLength(1);
  });
});

test("mixed-access-control does not report the same line", () => {
  const main = onServer(closed, section('Directory "/srv/a"', "Satisfy all", "Require all granted"));
  expect(findingsOf([compatReset, mixedAccessControl], main).map(({ rule }) => rule)).toEqual(["compat-reset"]);
});

test("a Satisfy Any without a Require widens access", () => {
  const parts = {
    severity: "error",
    message: "`Satisfy any` discards the inherited `Deny from all`",
    notes: expect.arrayContaining(["GET `/a/index.html` from 203.0.113.9 is allowed"]),
    help: ["delete `Satisfy any`"],
  };
  const inner = section('Directory "/srv/a"', "Satisfy any");
  expect(seen(onServer(closed, inner))).toMatchObject([{ at: "7:1-7:12", ...parts }]);
  const granted = section("Directory /", "Require all granted");
  expect(seen(onServer(granted, closed, inner))).toMatchObject([parts]);
});

describe("lines for some methods", () => {
  test.each([
    ["what they open for GET comes before what they close", "<Limit POST PUT>", "Deny from all", "</Limit>", "GET"],
    ["what they open for others", "<Limit GET>", "Deny from all", "</Limit>", "POST"],
    ["for all but some", "<LimitExcept GET HEAD>", "Deny from all", "</LimitExcept>", "GET"],
  ])("%s", (_, ...lines) => {
    const method = lines.pop();
    const found = seen(onServer(office, section('Directory "/srv/a"', ...lines)));
    expect(found).toMatchObject([{ severity: "error" }]);
    expect(found[0]?.notes).toContain(`${method} \`/a/index.html\` from 203.0.113.9 is allowed`);
  });
});

describe("directories by a pattern", () => {
  const files = { "/srv/pub7/x.html": "", "/srv/a/x/y.html": "" };
  test.each([
    ["by a regular expression", 'DirectoryMatch "/pub[0-9]/?"', "/pub7/index.html"],
    ["by wildcards", 'Directory "/srv/*/x"', "/a/x/index.html"],
  ])("%s: an existing one is requested", (_, tag, path) => {
    const [finding] = seen(onServer(office, section(tag, "Satisfy all")), { files });
    expect(finding?.notes).toContain(`GET \`${path}\` from 203.0.113.9 is allowed`);
  });

  test.each([
    ["by a regular expression", 'DirectoryMatch "^/srv/lab/"'],
    ["by wildcards", 'Directory "/srv/*/z"'],
  ])("%s: not reported without one", (_, tag) => {
    expect(seen(onServer(office, section(tag, "Satisfy all")), { files })).toEqual([]);
    // If the contents are unknown, any file may exist.
    expect(seen(onServer(office, section(tag, "Satisfy all")))).toHaveLength(1);
  });
});

describe("a line that denies clients that inherited lines allow", () => {
  test.each([
    [
      "an Order",
      section('Directory "/srv"', "Order allow,deny", "Allow from 10"),
      section("Location /a", "Order allow,deny"),
    ],
    [
      "host rules that drop Satisfy Any",
      either,
      section("Location /a", "Order deny,allow", "Deny from all", "Allow from 10"),
    ],
    ["an Allow from all that drops Satisfy Any", either, section("Location /a", "Allow from all")],
  ])("%s", (_, ...sections) => {
    expect(seen(onServer(...sections)).map(({ severity }) => severity)).toEqual(["warning"]);
  });
});

describe("does not report", () => {
  test.each([
    ["complete rules of its own", closed, section("Location /a", "Order allow,deny", "Allow from 10")],
    [
      "complete rules with Satisfy",
      either,
      section("Location /a", "Order deny,allow", "Deny from 10.66", "Satisfy all"),
    ],
    [
      "Allow from all, which needs no more",
      section('Directory "/srv"', "Order allow,deny", "Deny from all"),
      section("Location /a", "Allow from all"),
    ],
    [
      "Deny from all, which needs no more",
      section('Directory "/srv"', "Order deny,allow", "Allow from all"),
      section('FilesMatch "^\\.ht"', "Deny from all"),
    ],
    [
      "files that nobody is to have, whatever Satisfy Any comes in",
      either,
      section('Files "*.inc"', "Order allow,deny", "Deny from all"),
    ],
    [
      "Satisfy Any where nobody was kept out",
      section('Directory "/srv"', ...users, "Require valid-user", "Order deny,allow"),
      section("Location /a", "Satisfy any"),
    ],
    ["the same again", office, section("Location /a", "Order deny,allow", "Deny from all", "Allow from 10")],
    ["nothing inherited", section('Directory "/other"', "Deny from all"), section("Location /a", "Satisfy all")],
    [
      "the inherited ones let everybody in",
      section('Directory "/srv"', "Order deny,allow"),
      section("Location /a", "Satisfy all"),
    ],
    ["a Require that decides alike", closed, section("Location /a", "Satisfy all", "Require all denied")],
    [
      "a guard that does not hold",
      closed,
      section("Location /a", "<IfModule !mod_authz_core.c>", "Satisfy all", "</IfModule>"),
    ],
    ["new rules only", closed, section("Location /a", "Require ip 10")],
    ["the outer section itself", closed],
  ])("%s", (_, ...sections) => {
    expect(seen(onServer(...sections))).toEqual([]);
  });

  test("2.2, where Satisfy merges separately, and a section that only narrows access", () => {
    const text = onServer(closed, section("Location /a", "Satisfy all"));
    expect(seen(text, { release: "2.2" })).toEqual([]);
    expect(seen("Satisfy all\n<Files x>\nDeny from all\n</Files>\n", { kind: "htaccess" })).toEqual([]);
  });

  test("old-access-control does not report the line", () => {
    const text = onServer(closed, section("Location /a", "Satisfy all"));
    const rules = findingsOf([compatReset, oldAccessControl], text).map(({ rule, at }) => [rule, at]);
    expect(rules).toEqual([
      ["old-access-control", "3:1-3:17"],
      ["compat-reset", "7:1-7:12"],
    ]);
  });
});
