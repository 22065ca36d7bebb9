import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText, onServer, section } from "../../test/support/rules.js";
import { openForwardProxy } from "./open-forward-proxy.js";

const modules = ["access_compat", "authz_core", "authz_host", "proxy", "proxy_http", "rewrite"].map(
  (name) => `mod_${name}`,
);
const check = (...lines: readonly string[]) =>
  findingsOf([openForwardProxy], onServer(`${lines.join("\n")}\n`), { modules });
const proxy = (...lines: readonly string[]) => section('Proxy "*"', ...lines);

test("reports a proxy that no section restricts", () => {
  expect(check("ProxyRequests On")).toEqual([
    {
      rule: "open-forward-proxy",
      severity: "error",
      at: "2:1-2:17",
      text: "ProxyRequests On",
      message: "`ProxyRequests On` makes the server an open proxy",
      notes: [
        "every client can send requests to any host",
        "GET `http://www.example.com/` from 203.0.113.9 returns 200 from that host",
      ],
      help: [
        "delete the line if the server is only a reverse proxy: ProxyPass does not need it",
        'for a forward proxy, add `<Proxy "*">` with `Require ip` and the addresses of its users',
      ],
      related: [],
    },
  ]);
});

test.each([
  ["a section that allows every client", proxy("Require all granted")],
  ["mod_access_compat directives that allow every client", proxy("Order deny,allow", "Allow from all")],
  ["a Location section, which does not apply", section('Location "/"', "Require ip 10")],
  ["a Directory section, which does not apply", section('Directory "/"', "Require all denied")],
  ["a rule that denies paths", "RewriteEngine On\nRewriteRule .* - [F]"],
  ["a rule with a condition", "RewriteEngine On\nRewriteCond %{HTTP:Upgrade} websocket\nRewriteRule .* - [F]"],
  ["a rule that does not see URLs of other servers", "RewriteEngine On\nRewriteRule ^proxy: - [F]"],
  ["a rule for other URLs", "RewriteEngine On\nRewriteOptions AllowAnyURI\nRewriteRule ^/old /new [R]"],
])("reports %s", (_, lines) => {
  expect(check("ProxyRequests On", lines)).toHaveLength(1);
});

test.each([
  ["an address", ["ProxyRequests On", proxy("Require ip 10")]],
  ["mod_access_compat", ["ProxyRequests On", proxy("Order deny,allow", "Deny from all", "Allow from 10")]],
  ["a pattern", ["ProxyRequests On", section('ProxyMatch "^"', "Require local")]],
  ["a condition", ["ProxyRequests On", section("If \"! -R '10.0.0.0/8'\"", "Require all denied")]],
  [
    "a rule that denies requests",
    ["ProxyRequests On", "RewriteEngine On", "RewriteOptions AllowAnyURI", "RewriteRule ^proxy: - [F]"],
  ],
  ["blocked hosts", ["ProxyRequests On", "ProxyBlock *"]],
  ["a reverse proxy", ["ProxyRequests Off", 'ProxyPass "/" "http://b.test/"']],
  ["a server on the loopback address", ["Listen 127.0.0.1:8080", "ProxyRequests On"]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});

describe("a part of a server", () => {
  const host = (...lines: readonly string[]) => section("VirtualHost *:443", "ServerName a.example.org", ...lines);
  const checkPart = (text: string) => findingsOf([openForwardProxy], text, { kind: "fragment" });

  test("is reported as a warning, with a note", () => {
    const [finding] = checkPart(host("ProxyRequests On", "ProxyPass / http://localhost:8080/"));
    expect(finding?.severity).toBe("warning");
    expect(finding?.notes).toContain("another file may limit its clients, but this file is checked on its own");
  });

  test.each([
    ["rules that pass requests on", ["RewriteEngine on", "RewriteRule .* ws://127.0.0.1:8080%{REQUEST_URI} [P]"]],
    ["rules that deny requests", ["RewriteEngine on", "RewriteRule ^/admin - [F]"]],
    ["lines of other modules", ["SSLEngine on", "ExpiresActive On", "Substitute s/a/b/"]],
  ])("is reported beside %s", (_, lines) => {
    expect(checkPart(host(...lines, "ProxyRequests On"))).toHaveLength(1);
    expect(checkPart(host(...lines, "ProxyRequests Off"))).toEqual([]);
    expect(checkPart(host(...lines, "ProxyRequests On", proxy("Require ip 10")))).toEqual([]);
  });
});

test("reports a virtual host only if it turns the proxy on", () => {
  const host = section("VirtualHost *:80", "ProxyRequests Off").trimEnd();
  expect(check("Listen 80", host)).toEqual([]);
  expect(check("Listen 80", section("VirtualHost *:80", "ProxyRequests On").trimEnd())).toHaveLength(1);
});

test("reports a server only with the module for HTTP", () => {
  const text = onServer("ProxyRequests On\n");
  expect(
    findingsOf([openForwardProxy], text, { modules: ["mod_authz_core", "mod_proxy", "mod_proxy_http"] }),
  ).toHaveLength(1);
  expect(findingsOf([openForwardProxy], text, { modules: ["mod_authz_core", "mod_proxy", "mod_proxy_fcgi"] })).toEqual(
    [],
  );
});

test.each([
  ["", `ProxyRequests On\n${proxy("    Require local")}`],
  ['ProxyPass "/a/" "http://a.test/"\n', ""],
])("fixes a server with %j", (more, after) => {
  const text = onServer("ProxyRequests On\n", more);
  const [finding] = lintText([openForwardProxy], text, { modules });
  expect(finding?.fix?.safety).toBe("unsafe");
  const fixed = applyEdits(text, finding?.fix?.edits ?? []);
  expect(fixed).toBe(onServer(after, more));
  expect(findingsOf([openForwardProxy], fixed, { modules })).toEqual([]);
});
