import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { unexpectedVirtualHost } from "./unexpected-virtual-host.js";

const rule = onlyVariant(unexpectedVirtualHost, "missing-alias");
const head = [
  ...["alias", "rewrite", "ssl"].map((name) => `LoadModule ${name}_module mod_${name}.so`),
  ...["Listen 80", "Listen 443", section("Directory /srv", "Require all granted")],
];
const tls = ["SSLEngine on", "SSLCertificateFile /a.pem"];
const toHttps = ["RewriteEngine On", "RewriteRule ^ https://%{SERVER_NAME}%{REQUEST_URI} [R=301,L]"];
const plain = (...lines: readonly string[]) =>
  section("VirtualHost *:80", "ServerName shop.test", "DocumentRoot /srv/shop", ...lines);
const secure = (name: string, ...lines: readonly string[]) =>
  section("VirtualHost *:443", `ServerName ${name}`, `DocumentRoot /srv/${name}`, ...tls, ...lines);
const withAlias = plain("ServerAlias www.shop.test", ...toHttps);
const withoutRoot = (host: string) => host.replace(/DocumentRoot.*\n/, "");
const check = (...hosts: readonly string[]) => findingsOf([rule], wholeServer(...head, ...hosts));

test("reports a name that only the virtual host without TLS has", () => {
  expect(check(withAlias, secure("first.test"), secure("shop.test"))).toEqual([
    {
      rule: "unexpected-virtual-host",
      severity: "warning",
      at: expect.any(String),
      text: "ServerName shop.test",
      message: "requests for `https://www.shop.test` go to the virtual host `first.test`",
      notes: [
        "GET `http://www.shop.test/page` from 203.0.113.9 returns 301 with `Location: https://www.shop.test/page`",
        "the virtual host with TLS does not have this name, so the first one of its address answers",
      ],
      help: ["add `ServerAlias www.shop.test` to the virtual host with TLS"],
      related: [expect.stringContaining("redirects this name to https"), expect.stringContaining("answers first")],
    },
  ]);
});

describe("reports", () => {
  const byHost = ["RewriteEngine On", "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R,L]"];
  test.each([
    ["%{HTTP_HOST}", [plain("ServerAlias www.shop.test", ...byHost), secure("first.test"), secure("shop.test")]],
    [
      "Redirect",
      [
        plain("ServerAlias www.shop.test", "Redirect / https://www.shop.test/"),
        secure("first.test"),
        secure("shop.test"),
      ],
    ],
    [
      "the second of two names",
      [
        plain("ServerAlias a.test www.shop.test", ...toHttps),
        secure("first.test"),
        secure("shop.test", "ServerAlias a.test"),
      ],
    ],
    ["hosts in another order", [secure("first.test"), secure("shop.test"), withAlias]],
    [
      "a document root of the main server that only one of them has",
      ["DocumentRoot /srv/all\n", withAlias, withoutRoot(secure("first.test")), secure("shop.test")],
    ],
    [
      "a port in the name",
      [withAlias, secure("first.test"), secure("shop.test:443").replace("/srv/shop.test:443", "/srv/x")],
    ],
    [
      "a condition for https",
      [
        plain("ServerAlias www.shop.test", "RewriteEngine On", "RewriteCond %{HTTPS} off", ...toHttps.slice(1)),
        secure("first.test"),
        secure("shop.test"),
      ],
    ],
  ])("%s", (_, hosts) => {
    expect(check(...hosts)).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["the name in both", [withAlias, secure("first.test"), secure("shop.test", "ServerAlias www.shop.test")]],
    ["a wildcard", [withAlias, secure("first.test"), secure("shop.test", "ServerAlias *.shop.test")]],
    ["the first virtual host", [withAlias, secure("shop.test"), secure("first.test")]],
    [
      "a redirect to the other name",
      [plain("ServerAlias www.shop.test", "Redirect / https://shop.test/"), secure("first.test"), secure("shop.test")],
    ],
    ["no redirect", [plain("ServerAlias www.shop.test"), secure("first.test"), secure("shop.test")]],
    [
      "another virtual host with the name",
      [withAlias, secure("first.test"), secure("shop.test"), secure("www.shop.test")],
    ],
    [
      "a first virtual host that redirects",
      [withAlias, secure("first.test", "Redirect / https://shop.test/"), secure("shop.test")],
    ],
    [
      "a wildcard in the alias",
      [plain("ServerAlias *.shop.test", ...toHttps), secure("first.test"), secure("shop.test")],
    ],
    [
      "the same document root",
      [withAlias, secure("first.test").replace("/srv/first.test", "/srv/shop.test/"), secure("shop.test")],
    ],
    [
      "the document root of the main server in both",
      ["DocumentRoot /srv/all\n", withAlias, ...["first.test", "shop.test"].map((name) => withoutRoot(secure(name)))],
    ],
    ["no virtual host with TLS and the name", [withAlias, secure("first.test")]],
  ])("%s", (_, hosts) => {
    expect(check(...hosts)).toEqual([]);
  });
});
