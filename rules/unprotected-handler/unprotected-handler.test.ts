import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { defaultRules } from "../index.js";
import { unprotectedHandler } from "./unprotected-handler.js";

const check = (text: string, given?: Given) => findingsOf([unprotectedHandler], text, given);
const handler = "SetHandler server-status";
const status = (...lines: readonly string[]) => section("Location /server-status", handler, ...lines);
const users = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];

test("reports a page that every client can read", () => {
  expect(check(onServer(status()))).toEqual([
    {
      rule: "unprotected-handler",
      severity: "warning",
      at: "3:1-3:25",
      text: handler,
      message: "the page of `SetHandler server-status` is open to every client",
      notes: ["the page shows which clients request what", "GET `/server-status` from 203.0.113.9 is allowed"],
      help: ["add `Require local`, or `Require ip` with the addresses that need the page"],
      related: [],
    },
  ]);
});

test("reports an open page on a server whose LoadModule lines are incomplete", () => {
  const loadModules = "LoadModule php5_module x.so\nIncludeOptional mods-enabled/*.load\n";
  expect(check(`${loadModules}${onServer(status())}`)).toHaveLength(1);
});

test("reports a page whose access rules another section overrides", () => {
  const inner = section("Location /", "Require all granted");
  const [finding, ...more] = check(onServer(`${status("Require local")}${inner}`));
  expect(more).toEqual([]);
  expect(finding?.notes?.at(-1)).toBe("`Require all granted` overrides `Require local`");
  expect(finding?.help).toEqual(["delete `Require all granted`, or move this section to where it is merged last"]);
  expect(finding?.related).toEqual(["httpd.conf:7:1: overrides the access rules of this section"]);
});

test("reports a page that its own section opens, beside inherited access rules", () => {
  const root = section('Directory "/srv"', "Order allow,deny", "Allow from all");
  const [finding, ...more] = check(onServer(`${root}${status("Require all granted")}`));
  expect(more).toEqual([]);
  expect(finding?.notes?.at(-1)).toBe("GET `/server-status` from 203.0.113.9 is allowed");
  expect(finding?.help).toEqual([
    "replace `Require all granted` with `Require local`, or with `Require ip` and the addresses that need the page",
  ]);
  expect(finding?.related).toEqual([]);
});

describe("advises to change the lines that open the page", () => {
  const helpOf = (text: string) => check(onServer(text))[0]?.help;
  const root = (...lines: readonly string[]) => section('Directory "/srv"', ...lines);
  const byCompat = "`Order deny,allow`, `Deny from all` and `Allow from` with the addresses that need the page";
  const added = "add `Require local`, or `Require ip` with the addresses that need the page";
  const byRequire = "with `Require local`, or with `Require ip` and the addresses that need the page";
  test.each([
    [
      "its own mod_access_compat directives, beside an inherited Require",
      root("Require all granted") + status("Order deny,allow", "Allow from all"),
      `replace \`Order deny,allow\` and \`Allow from all\` ${byRequire}`,
    ],
    ["its own Order", status("Order deny,allow"), `replace \`Order deny,allow\` ${byRequire}`],
    [
      "its own mod_access_compat directives, which override inherited ones",
      root("Order deny,allow", "Deny from all") + status("Allow from all"),
      `replace \`Allow from all\` with ${byCompat}`,
    ],
    ["nothing but an inherited Require", root("Require all granted") + status(), added],
    [
      "each of several Require lines",
      status("Require all granted", "Require ip 10", "Require method GET"),
      `replace \`Require all granted\` and \`Require method GET\` ${byRequire}`,
    ],
    [
      "a Require that is merged later",
      status() + section("LocationMatch ^/s", "Require all granted"),
      `${added}, in a section that is merged after the one of \`Require all granted\``,
    ],
    ["an inherited Satisfy any", root("Allow from all", "Satisfy any") + status(), `add ${byCompat}`],
    [
      "a list beside the default order, which overrides inherited lines",
      root("Order allow,deny", "Allow from all") + status("Allow from 10.7"),
      `replace \`Allow from 10.7\` with ${byCompat}`,
    ],
    [
      "a Satisfy any that is merged later",
      status("Require ip 10") + section("LocationMatch ^/s", "Allow from all", "Satisfy any"),
      `add ${byCompat}, in a section that is merged after the one of \`Allow from all\``,
    ],
    [
      "an Allow that is merged later, of two that only one denial opposes",
      status("Require ip 10") + section("LocationMatch ^/s", "Order allow,deny", "Allow from all", "Satisfy any"),
      "delete `Allow from all`",
    ],
    [
      "an inherited Satisfy any, beside its own Require",
      root("Allow from all", "Satisfy any") + status("Require ip 10"),
      "add `Satisfy all` to this section",
    ],
    [
      "its own AuthMerging",
      root("Require all granted") + status("AuthMerging Or", "Require ip 10"),
      "delete `AuthMerging Or` from this section",
    ],
    [
      "a later section of another kind",
      section('Directory "/srv/s"', handler, "Require ip 10") + section("Location /s", "Require all granted"),
      "delete `Require all granted`",
    ],
  ])("%s", (_, text, help) => {
    expect(helpOf(text)).toEqual([help]);
  });
});

test("advises to replace the lines that open the page on 2.2", () => {
  const text = onServer(status("Order allow,deny", "Allow from all"));
  expect(check(text, { release: "2.2" })[0]?.help).toEqual([
    "replace `Order allow,deny` and `Allow from all` with `Order deny,allow`, `Deny from all` and `Allow from` with the addresses that need the page",
  ]);
});

describe.each(["2.2", "2.4"] as const)("reports pages that %s allows", (release) => {
  const findRequests = (text: string, given: Given = {}) =>
    check(text, { release, ...given }).map(({ notes }) => /GET (.*) is allowed/.exec(notes?.[1] ?? "")?.[1]);

  test.each(["server-info", "balancer-manager", "ldap-status", "SERVER-STATUS", '"server-status"'])("%s", (name) => {
    expect(findRequests(onServer(section("Location /a", `SetHandler ${name}`)))).toEqual(["`/a` from 203.0.113.9"]);
  });

  test.each([
    [
      "mod_access_compat directives that allow every client",
      status("Order allow,deny", "Allow from all"),
      "`/server-status` from 203.0.113.9",
    ],
    ["a Deny for some clients", status("Deny from 203.0.113.0/24"), "`/server-status` from 2001:db8::9"],
    ["a Deny for IPv4", status("Deny from 0.0.0.0/1 128.0.0.0/1"), "`/server-status` from 2001:db8::9"],
    [
      "a page beside a restricted path",
      section("Location /admin", ...users, "Require valid-user") + status(),
      "`/server-status` from 203.0.113.9",
    ],
    [
      "access rules for another method",
      status("<Limit POST>", "Deny from all", "</Limit>"),
      "`/server-status` from 203.0.113.9",
    ],
    ["the last SetHandler", status("SetHandler server-info"), "`/server-status` from 203.0.113.9"],
    ["a pattern", section('LocationMatch "^/(status|info)$"', handler), "`/status` from 203.0.113.9"],
    ["a directory", section('Directory "/srv/status"', handler), "`/status/index.html` from 203.0.113.9"],
    ["files", section("Files status", handler), "`/status` from 203.0.113.9"],
    [
      "a Listen for another address beside the loopback address",
      `Listen 127.0.0.1:80\nListen 192.0.2.1:80\n${status()}`,
      "`/server-status` from 203.0.113.9",
    ],
    [
      "a virtual host",
      `Listen 80\n${section("VirtualHost 192.0.2.1:80", "ServerName a.test", status().trimEnd())}`,
      "`http://a.test/server-status` from 203.0.113.9",
    ],
    ["a path that is not proxied", `ProxyPass /app http://b.test/\n${status()}`, "`/server-status` from 203.0.113.9"],
  ])("%s", (_, text, request) => {
    expect(findRequests(onServer(text))).toEqual([request]);
  });

  test("a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All"));
    expect(findRequests(main, { files: { "/srv/a/.htaccess": `${handler}\n` } })).toEqual([
      "`/a/index.html` from 203.0.113.9",
    ]);
  });
});

describe.each(["2.2", "2.4"] as const)("does not report for %s", (release) => {
  test.each([
    ["an address", status("Order deny,allow", "Deny from all", "Allow from 127.0.0.1")],
    ["addresses reserved for documentation", status("Order allow,deny", "Allow from 203.0.113.0/24 2001:db8::/32")],
    ["a host name", status("Order allow,deny", "Allow from .example.com")],
    ["a variable", status("Order allow,deny", "Allow from env=inside")],
    ["a user", status(...users, "Require valid-user")],
    ["an outer section", section('Directory "/"', "Order deny,allow", "Deny from all") + status()],
    ["another section that denies every client", status() + section("Location /", "Deny from all")],
    ["another handler", section("Location /a", "SetHandler cgi-script")],
    ["a handler that is reset", status() + section("LocationMatch ^/server-status$", "SetHandler None")],
    ["a handler that a later line replaces", status("SetHandler cgi-script")],
    ["a proxied page", `ProxyPass / http://b.test/\n${status()}`],
    ["a page that is redirected", `Redirect /server-status http://b.test/\n${status()}`],
    ["a rule that denies requests", `RewriteEngine on\nRewriteRule ^/server-status - [F]\n${status()}`],
    ["required TLS on a server without TLS", status("SSLRequireSSL")],
    ["a server on the loopback address", `Listen 127.0.0.1:8080\nListen [::1]:8080\n${status()}`],
    [
      "a virtual host on the loopback address",
      `Listen 80\nListen 127.0.0.1:81\n${section("VirtualHost *:81", status().trimEnd())}`,
    ],
    ["a virtual host on localhost", `Listen 80\n${section("VirtualHost localhost:80", status().trimEnd())}`],
    ["a conditional section that applies on no server", section("IfVersion < 1.3", status().trimEnd())],
  ])("%s", (_, text) => {
    expect(check(onServer(text), { release })).toEqual([]);
  });
});

describe("Require and other directives of 2.4", () => {
  test.each([
    ["Require all granted", status("Require all granted")],
    ["Require not", status("<RequireAll>", "Require all granted", "Require not ip 10", "</RequireAll>")],
    ["Satisfy any, which overrides Require local", status("Require local", "Satisfy any")],
    ["a condition on something else", status("<If \"%{QUERY_STRING} == 'x'\">", "Require all denied", "</If>")],
    ["a handler in If", section("If \"%{REQUEST_URI} == '/a'\"", handler)],
  ])("are reported: %s", (_, text) => {
    expect(check(onServer(text))).toHaveLength(1);
  });

  test.each([
    ["Require local", status("Require local")],
    ["Require ip", status("Require ip 10.1 192.0.2.0/24")],
    ["Require host", status("Require host example.com")],
    ["Require forward-dns", status("Require forward-dns office.example.com")],
    ["Require expr", status("Require expr \"%{HTTP:X-Key} == 'x'\"")],
    ["a stock configuration's root", section('Directory "/"', "Require all denied") + status()],
    ["If", status("<If \"! -R '10.0.0.0/8'\">", "Require all denied", "</If>")],
    ["If with a user", status("<If \"! -R '10.0.0.0/8'\">", ...users, "Require valid-user", "</If>")],
    ["a handler for some clients in If", section("If \"-R '10.0.0.0/8'\"", handler)],
    ["AllowMethods", status("AllowMethods POST")],
    ["a handler from an expression", section("Location /a", 'SetHandler "%{env:HANDLER}"')],
  ])("are not reported: %s", (_, text) => {
    expect(check(onServer(text))).toEqual([]);
  });
});

describe("the module of the page", () => {
  const loadModules = (...names: readonly string[]) =>
    ["mpm_event", "unixd", "authz_core", ...names].map((name) => `LoadModule ${name}_module mod_${name}.so\n`).join("");

  test.each([
    ["server-status", "status"],
    ["server-info", "info"],
    ["balancer-manager", "proxy_balancer"],
    ["ldap-status", "ldap"],
  ])("is required: %s needs mod_%s", (name, module) => {
    const text = onServer(section("Location /a", `SetHandler ${name}`));
    expect(check(`${loadModules(module)}${text}`)).toHaveLength(1);
    expect(check(`${loadModules("env")}${text}`)).toEqual([]);
  });
});

test("does not report a page that requires a client certificate", () => {
  const host = (...lines: readonly string[]) =>
    onServer(section("VirtualHost *:443", "ServerName a.test", "SSLEngine on", ...lines, status().trimEnd()));
  expect(check(host())).toHaveLength(1);
  expect(check(host("SSLVerifyClient optional"))).toHaveLength(1);
  expect(check(host("SSLVerifyClient require"))).toEqual([]);
});

test("is the only rule that reports a section without access control", () => {
  const text = onServer(section('Directory "/srv"', "Require all granted"), status());
  expect(findingsOf(defaultRules, text).map(({ rule }) => rule)).toEqual(["unprotected-handler"]);
});

test("reports virtual hosts with equal lines", () => {
  const host = (n: number) => section(`VirtualHost *:80`, `ServerName host${n}.test`, status().trimEnd());
  const findings = check(onServer(...Array.from({ length: 9 }, (_, n) => host(n))));
  expect(findings).toHaveLength(6);
  expect(findings.at(-1)?.message).toContain("(same as line 5)");
});
