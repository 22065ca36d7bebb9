import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const proxiedPath = onlyVariant(wrongTargetPath, "proxied-path");

const check = (...lines: readonly string[]) =>
  findingsOf(
    [proxiedPath],
    wholeServer(
      ...["alias", "proxy", "proxy_http", "proxy_fcgi"].map((name) => `LoadModule ${name}_module mod_${name}.so`),
      "Listen 80",
      section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv", ...lines),
    ),
  ).map(({ severity, text, notes }) => [severity, text, notes?.[0]]);

describe("a ProxyPassMatch without a reference", () => {
  test.each([
    ["ProxyPassMatch ^/app/.*$ http://b.test/app/", "warning"],
    ["ProxyPassMatch ^/app/(.*)$ http://b.test/app", "warning"],
    ["ProxyPassMatch ^/a/b/ ws://b.test:81/a/b/", "warning"],
    ["ProxyPassMatch ^/x/.*\\.jsp$ http://b.test/", "info"],
  ])("%s", (line, severity) => {
    expect(check(line)).toMatchObject([[severity, line.split(" ")[2], expect.stringContaining(" leads to ")]]);
  });

  test.each([
    "ProxyPassMatch ^/app/(.*)$ http://b.test/app/$1",
    "ProxyPassMatch ^/.*\\.jsp$ http://b.test:8080",
    "ProxyPassMatch ^/app/.*$ http://b.test/v1",
    "ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/srv/www",
    "ProxyPassMatch ^/app/ !",
    "ProxyPass /app/ http://b.test/app/",
    // Another line takes the requests.
    "ProxyPass / http://b.test/\nProxyPassMatch ^/app/.*$ http://b.test/app/",
  ])("not %j", (lines) => {
    expect(check(lines)).toEqual([]);
  });
});

describe("an exception for a file with a slash at its end", () => {
  const all = "ProxyPass / http://b.test/";

  test.each(["/test.html/", "/sitemap.xml/", "/a/b.php/"])("%s", (path) => {
    const line = `ProxyPass ${path} !`;
    expect(check(line, all)).toEqual([["warning", line, expect.stringContaining("http://b.test/")]]);
    expect(check(line)).toEqual([]);
    expect(check(line.replace("/ !", " !"), all)).toEqual([]);
  });

  test.each(["/media/", "/v1.2/", "/.well-known/"])("not the directory %s", (path) => {
    expect(check(`ProxyPass ${path} !`, all)).toEqual([]);
  });
});
