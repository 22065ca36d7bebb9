import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { defaultRules } from "../index.js";
import { unprotectedHandler } from "./unprotected-handler.js";

const seen = (text: string, given?: Given) => findingsOf([unprotectedHandler], text, given);
const handler = "SetHandler server-status";
const status = (...lines: readonly string[]) => section("Location /server-status", handler, ...lines);
const users = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];

test("a page that every client can read", () => {
  expect(seen(onServer(status()))).toEqual([
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

test("an open page on a server whose LoadModule lines are not complete", () => {
  const loaded = "LoadModule php5_module x.so\nIncludeOptional mods-enabled/*.load\n";
  expect(seen(`${loaded}${onServer(status())}`)).toHaveLength(1);
});

test("a page whose access rules another section overrides", () => {
  const inner = section("Location /", "Require all granted");
  const [finding, ...more] = seen(onServer(`${status("Require local")}${inner}`));
  expect(more).toEqual([]);
  expect(finding?.notes?.at(-1)).toBe("`Require all granted` overrides `Require local`");
  expect(finding?.help).toEqual(["delete `Require all granted`, or move this section to where it is merged last"]);
  expect(finding?.related).toEqual(["httpd.conf:7:1: overrides the access rules of this section"]);
});

test("a page that the rules of its own section open, beside inherited ones", () => {
  const root = section('Directory "/srv"', "Order allow,deny", "Allow from all");
  const [finding, ...more] = seen(onServer(`${root}${status("Require all granted")}`));
  expect(more).toEqual([]);
  expect(finding?.notes?.at(-1)).toBe("GET `/server-status` from 203.0.113.9 is allowed");
  expect(finding?.help).toEqual([
    "replace `Require all granted` with `Require local`, or with `Require ip` and the addresses that need the page",
  ]);
  expect(finding?.related).toEqual([]);
});

describe.each(["2.2", "2.4"] as const)("pages that %s allows", (release) => {
  const open = (text: string, given: Given = {}) =>
    seen(text, { release, ...given }).map(({ notes }) => /GET (.*) is allowed/.exec(notes?.[1] ?? "")?.[1]);

  test.each(["server-info", "balancer-manager", "ldap-status", "SERVER-STATUS", '"server-status"'])("%s", (name) => {
    expect(open(onServer(section("Location /a", `SetHandler ${name}`)))).toEqual(["`/a` from 203.0.113.9"]);
  });

  test.each([
    ["old rules that let all in", status("Order allow,deny", "Allow from all"), "`/server-status` from 203.0.113.9"],
    ["a Deny for some", status("Deny from 203.0.113.0/24"), "`/server-status` from 2001:db8::9"],
    ["a Deny for IPv4", status("Deny from 0.0.0.0/1 128.0.0.0/1"), "`/server-status` from 2001:db8::9"],
    [
      "what is limited elsewhere",
      section("Location /admin", ...users, "Require valid-user") + status(),
      "`/server-status` from 203.0.113.9",
    ],
    [
      "rules for another method",
      status("<Limit POST>", "Deny from all", "</Limit>"),
      "`/server-status` from 203.0.113.9",
    ],
    ["the last SetHandler", status("SetHandler server-info"), "`/server-status` from 203.0.113.9"],
    ["a pattern", section('LocationMatch "^/(status|info)$"', handler), "`/status` from 203.0.113.9"],
    ["a directory", section('Directory "/srv/status"', handler), "`/status/index.html` from 203.0.113.9"],
    ["files", section("Files status", handler), "`/status` from 203.0.113.9"],
    [
      "a Listen for others beside the loopback",
      `Listen 127.0.0.1:80\nListen 192.0.2.1:80\n${status()}`,
      "`/server-status` from 203.0.113.9",
    ],
    [
      "a virtual host",
      `Listen 80\n${section("VirtualHost 192.0.2.1:80", "ServerName a.test", status().trimEnd())}`,
      "`http://a.test/server-status` from 203.0.113.9",
    ],
    [
      "what is not handed on to a backend",
      `ProxyPass /app http://b.test/\n${status()}`,
      "`/server-status` from 203.0.113.9",
    ],
  ])("%s", (_, text, request) => {
    expect(open(onServer(text))).toEqual([request]);
  });

  test("a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All"));
    expect(open(main, { files: { "/srv/a/.htaccess": `${handler}\n` } })).toEqual(["`/a/index.html` from 203.0.113.9"]);
  });
});

describe.each(["2.2", "2.4"] as const)("does not report on %s", (release) => {
  test.each([
    ["an address", status("Order deny,allow", "Deny from all", "Allow from 127.0.0.1")],
    ["addresses as documentation has them", status("Order allow,deny", "Allow from 203.0.113.0/24 2001:db8::/32")],
    ["a name", status("Order allow,deny", "Allow from .example.com")],
    ["a variable", status("Order allow,deny", "Allow from env=inside")],
    ["a user", status(...users, "Require valid-user")],
    ["an outer section", section('Directory "/"', "Order deny,allow", "Deny from all") + status()],
    ["a section beside it", status() + section("Location /", "Deny from all")],
    ["another handler", section("Location /a", "SetHandler cgi-script")],
    ["a handler that is taken back", status() + section("LocationMatch ^/server-status$", "SetHandler None")],
    ["a page whose line another takes the place of", status("SetHandler cgi-script")],
    ["a backend that answers", `ProxyPass / http://b.test/\n${status()}`],
    ["a Redirect ahead of it", `Redirect /server-status http://b.test/\n${status()}`],
    ["a rule that forbids", `RewriteEngine on\nRewriteRule ^/server-status - [F]\n${status()}`],
    ["TLS where there is none", status("SSLRequireSSL")],
    ["a server at the loopback", `Listen 127.0.0.1:8080\nListen [::1]:8080\n${status()}`],
    [
      "a virtual host at the loopback",
      `Listen 80\nListen 127.0.0.1:81\n${section("VirtualHost *:81", status().trimEnd())}`,
    ],
    ["a virtual host by the loopback's name", `Listen 80\n${section("VirtualHost localhost:80", status().trimEnd())}`],
    ["a guard that does not hold", section("IfModule mod_nope.c", status().trimEnd())],
  ])("%s", (_, text) => {
    expect(seen(onServer(text), { release })).toEqual([]);
  });
});

describe("Require and other directives of 2.4", () => {
  test.each([
    ["Require all granted", status("Require all granted")],
    ["Require not", status("<RequireAll>", "Require all granted", "Require not ip 10", "</RequireAll>")],
    ["Satisfy any, which local rules do not stand against", status("Require local", "Satisfy any")],
    [
      "a condition that looks at something else",
      status("<If \"%{QUERY_STRING} == 'x'\">", "Require all denied", "</If>"),
    ],
    ["in If", section("If \"%{REQUEST_URI} == '/a'\"", handler)],
  ])("%s", (_, text) => {
    expect(seen(onServer(text))).toHaveLength(1);
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
    ["a handler for some in If", section("If \"-R '10.0.0.0/8'\"", handler)],
    ["AllowMethods", status("AllowMethods POST")],
    ["a handler that is worked out", section("Location /a", 'SetHandler "%{env:HANDLER}"')],
  ])("does not report %s", (_, text) => {
    expect(seen(onServer(text))).toEqual([]);
  });
});

describe("the module of the page", () => {
  const loaded = (...names: readonly string[]) =>
    ["mpm_event", "unixd", "authz_core", ...names].map((name) => `LoadModule ${name}_module mod_${name}.so\n`).join("");

  test.each([
    ["server-status", "status"],
    ["server-info", "info"],
    ["balancer-manager", "proxy_balancer"],
    ["ldap-status", "ldap"],
  ])("%s needs mod_%s", (name, module) => {
    const text = onServer(section("Location /a", `SetHandler ${name}`));
    expect(seen(`${loaded(module)}${text}`)).toHaveLength(1);
    expect(seen(`${loaded("env")}${text}`)).toEqual([]);
  });
});

test("a required client certificate denies other clients", () => {
  const host = (...lines: readonly string[]) =>
    onServer(section("VirtualHost *:443", "ServerName a.test", "SSLEngine on", ...lines, status().trimEnd()));
  expect(seen(host())).toHaveLength(1);
  expect(seen(host("SSLVerifyClient optional"))).toHaveLength(1);
  expect(seen(host("SSLVerifyClient require"))).toEqual([]);
});

test("rules about access control do not report sections without any", () => {
  const text = onServer(section('Directory "/srv"', "Require all granted"), status());
  expect(findingsOf(defaultRules, text).map(({ rule }) => rule)).toEqual(["unprotected-handler"]);
});

test("virtual hosts with equal lines", () => {
  const host = (n: number) => section(`VirtualHost *:80`, `ServerName host${n}.test`, status().trimEnd());
  const found = seen(onServer(...Array.from({ length: 9 }, (_, n) => host(n))));
  expect(found).toHaveLength(6);
  expect(found.at(-1)?.message).toContain("(same as line 5)");
});
