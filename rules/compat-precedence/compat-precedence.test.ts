import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, type Given, lintText, onServer, section } from "../../test/support/rules.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { compatPrecedence } from "./compat-precedence.js";

const check = (text: string, given?: Given) => findingsOf([compatPrecedence], text, given);
const closed = section('Directory "/srv"', "Order deny,allow", "Deny from all");
const open = section('Directory "/srv"', "Require all granted");
const status = (...lines: readonly string[]) =>
  section("Location /server-status", "SetHandler server-status", ...lines);

describe("reports a Require that inherited mod_access_compat directives override", () => {
  test("the upgrade guide's first example", () => {
    expect(check(onServer(closed, status("Require local")))).toEqual([
      {
        rule: "compat-precedence",
        severity: "warning",
        at: "8:1-8:14",
        text: "Require local",
        message: "`Require local` cannot override the inherited `Deny from all`",
        notes: [
          "mod_access_compat directives are checked before `Require`",
          "GET `/server-status` from 127.0.0.1 returns 403 (AH01797)",
        ],
        help: [
          "use `Require` in both sections",
          "to keep mod_access_compat, use `Order`, `Allow` and `Deny` in both sections",
        ],
        related: ["httpd.conf:4:1: inherited from here"],
      },
    ]);
  });

  test.each([
    ["an address", closed, status("Require ip 10")],
    ["one of several addresses", closed, status("Require ip 2001:db8::/32 10.1")],
    ["a host name", closed, status("Require host example.org")],
    ["a variable", closed, status("Require env ok")],
    ["every client", closed, section('Directory "/srv/a"', "Require all granted")],
    ["a container", closed, status("<RequireAny>", "Require ip 10", "</RequireAny>")],
    ["an inherited Order on its own", section('Directory "/srv"', "Order allow,deny"), status("Require local")],
    ["a section for files", closed, section('FilesMatch "\\.txt$"', "Require all granted")],
    [
      "a nested section for files",
      section('Directory "/srv"', "Deny from all", "<Files a>", "Require all granted", "</Files>"),
    ],
    [
      "a Location merged after a section for files",
      section("Files a", "Deny from all"),
      section("Location /a", "Require all granted"),
    ],
    ["a section for another method", closed, section("Location /a", "<Limit POST>", "Require ip 10", "</Limit>")],
    ["one denied address of several", section('Directory "/srv"', "Deny from 10"), status("Require ip 10.1 192.0.2")],
    [
      "a virtual host",
      closed,
      section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv/a", status("Require local").trimEnd()),
    ],
    [
      "directives of the same virtual host",
      section("VirtualHost *:80", "DocumentRoot /srv", closed, status("Require local").trimEnd()),
    ],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections)).map(({ text }) => text)).toEqual([expect.stringMatching(/^Require /)]);
  });

  test("in a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride AuthConfig", "Order deny,allow", "Deny from all"));
    const [finding, ...others] = check(main, { files: { "/srv/a/.htaccess": "Require ip 10\n" } });
    expect(others).toEqual([]);
    expect(finding?.notes).toContain("GET `/a/index.html` from 10.0.0.1 returns 403 (AH01797)");
  });
});

describe("reports mod_access_compat directives that cannot override an inherited Require", () => {
  test("the upgrade guide's second example", () => {
    const outer = section('Directory "/srv"', "Require all denied");
    const inner = section('Directory "/srv/a"', "Order deny,allow", "Deny from all", "Allow from 10");
    expect(check(onServer(outer, inner))).toMatchObject([
      {
        at: "8:1-8:14",
        message: "`Allow from 10` cannot override the inherited `Require all denied`",
        notes: [
          "`Require` is checked even if mod_access_compat allows the client",
          "GET `/a/index.html` from 10.0.0.1 returns 403 (AH01630)",
          "the fix deletes `Order deny,allow` and `Deny from all`",
        ],
        help: ["use `Require ip 10` instead of the mod_access_compat directives of this section"],
        related: ["httpd.conf:3:1: inherited from here"],
      },
    ]);
  });

  test.each([
    [["Order deny,allow", "Deny from all", "Allow from env=STAFF"], "Require env STAFF"],
    [["Allow from all"], "Require all granted"],
    [["    Deny from all", "    Allow from .example.net"], "    Require host .example.net"],
  ])("with the Require that %j means", (lines, form) => {
    const outer = section('Directory "/srv"', "Require all denied");
    const text = onServer(outer, section('Directory "/srv/a"', "Options None", ...lines));
    const [finding] = lintText([compatPrecedence], text);
    expect(finding?.help?.[0]).toContain(form.trim());
    expect(finding?.fix?.safety).toBe("unsafe");
    const fixed = finding?.fix && applyEdits(text, finding.fix.edits);
    expect(fixed).toBe(onServer(outer, section('Directory "/srv/a"', "Options None", form)));
  });

  test("in a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All", "Require ip 192.0.2"));
    expect(check(main, { files: { "/srv/a/.htaccess": "Allow from all\n" } })).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["the guide's second example in a stock configuration", open, section("Location /a", "Allow from 10")],
    [
      "mod_access_compat directives that allow the client",
      section('Directory "/srv"', "Order deny,allow"),
      status("Require local"),
    ],
    [
      "mod_access_compat directives in the same section",
      closed,
      status("Order deny,allow", "Allow from all", "Require local"),
    ],
    [
      "an inner section that repeats mod_access_compat directives",
      closed,
      section("Location /a", "Order deny,allow", "Deny from 10"),
    ],
    ["a required user, as in 2.2", closed, status("AuthType Basic", "AuthName x", "Require valid-user")],
    [
      "an inherited required user, as in 2.2",
      section('Directory "/srv"', "AuthType Basic", "AuthName x", "Require valid-user"),
      section("Location /a", "Order allow,deny", "Allow from 10"),
    ],
    [
      "mod_access_compat directives in a conditional section",
      section('Directory "/srv"', "<IfModule !mod_authz_core.c>", "Deny from all", "</IfModule>"),
      status("Require local"),
    ],
    ["directives of another directory", section('Directory "/other"', "Deny from all"), status("Require local")],
    ["another virtual host", section("VirtualHost 192.0.2.1:80", closed), status("Require local")],
    ["Satisfy Any", section('Directory "/srv"', "Deny from all", "Satisfy any"), status("Require local")],
    [
      "an Order that allows clients without an Allow",
      section('Directory "/srv"', "Require ip 10"),
      section("Location /a", "Order deny,allow", "Deny from 10"),
    ],
    [
      "a section for another method",
      section('Directory "/srv"', "<Limit PUT>", "Deny from all", "</Limit>"),
      status("Require local"),
    ],
    ["a condition with an unknown value", closed, section("If \"%{HTTP:X} == '1'\"", "Require local")],
    ["a Require that denies every client on its own", closed, status("Require all denied")],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections))).toEqual([]);
  });

  test("a file that `AllowOverride None` disables", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride None", "Deny from all"));
    expect(check(main, { files: { "/srv/a/.htaccess": "Require local\n" } })).toEqual([]);
  });

  test.each([
    ["an inner directory", section('Directory "/srv/a"', "Deny from 10")],
    ["a section for files", section("Files index.html", "Order allow,deny", "Deny from all")],
    ["a Location", section("Location /", "Order allow,deny", "Allow from all", "Deny from 192.0.2.99")],
    [
      "a Location merged after another Location",
      section("Location /a", "Require ip 10"),
      section("Location /", "Deny from 10.6"),
    ],
  ])("inner mod_access_compat directives: %s", (_, ...inner) => {
    expect(check(onServer(open, ...inner))).toEqual([]);
  });

  test("an inner Require", () => {
    const outer = section('Directory "/srv"', "Order allow,deny", "Allow from all");
    expect(check(onServer(outer, section("Files index.html", "Require all denied")))).toEqual([]);
  });

  test("inner mod_access_compat directives of a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All", "Require all granted"));
    const files = { "/srv/.htaccess": "Order allow,deny\nAllow from all\nDeny from 127.0.0.9\n" };
    expect(check(main, { files })).toEqual([]);
  });

  test("2.2, or a section that only narrows access", () => {
    expect(check(onServer(closed, status("Require local")), { release: "2.2" })).toEqual([]);
    expect(check("Require local\n<Files x>\nDeny from all\n</Files>\n", { kind: "htaccess" })).toEqual([]);
  });

  test("the same cause in other rules", () => {
    const outer = section('Directory "/srv"', "Require all denied");
    const text = onServer(outer, section('Directory "/srv/a"', "Allow from 10"));
    const rules = [compatPrecedence, mixedAccessControl, oldAccessControl];
    expect(findingsOf(rules, text).map(({ rule }) => rule)).toEqual(["compat-precedence"]);
  });
});
