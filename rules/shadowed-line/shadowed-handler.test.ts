import { describe, expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { defaultRules } from "../index.js";
import { shadowedLine } from "./shadowed-line.js";

const granted = section('Directory "/srv"', "AllowOverride All", "Require all granted");
const status = (...lines: readonly string[]) =>
  section("Location /server-status", "SetHandler server-status", ...lines);
const toIndex = "RewriteRule ^ index.php [L]";
const frontController = ["RewriteEngine On", "RewriteCond %{REQUEST_FILENAME} !-f", toIndex, ""].join("\n");

/** @param htaccess `/srv/.htaccess` */
const check = (main: string, htaccess = frontController, files: Readonly<Record<string, string>> = {}) =>
  findingsOf([shadowedLine], onServer(granted, main), {
    files: { "/srv/index.php": "", "/srv/.htaccess": htaccess, ...files },
  });

test("reports a page whose requests a front controller takes", () => {
  expect(check(status("Require local"))).toEqual([
    {
      rule: "shadowed-line",
      severity: "warning",
      at: "7:1-7:25",
      text: "SetHandler server-status",
      message: "`SetHandler server-status` never responds: a `RewriteRule` takes its requests",
      notes: ["GET `/server-status` from 127.0.0.1 is sent to `/index.php`"],
      help: [`add \`RewriteCond %{REQUEST_URI} !=/server-status\` before \`${toIndex}\``],
      related: [".htaccess:3:1: takes the requests for this page"],
    },
  ]);
});

test("advises to restrict an open page before its requests reach it", () => {
  const [finding] = check(status());
  expect(finding?.help?.[1]).toBe("first restrict the page with `Require local`: its section allows every client");
});

test("does not call a page open that a front controller answers", () => {
  const rules = findingsOf(defaultRules, onServer(granted, status()), {
    files: { "/srv/index.php": "", "/srv/.htaccess": frontController },
  }).map(({ rule }) => rule);
  expect(rules).toContain("shadowed-line");
  expect(rules).not.toContain("unprotected-handler");
});

describe("reports", () => {
  test.each([
    ["a page for some addresses", status("Require ip 10.0.0.0/8"), frontController],
    [
      "a page for users",
      status("AuthType Basic", "AuthName x", "AuthUserFile /u", "Require valid-user"),
      frontController,
    ],
    ["a page of another module", section("Location /info", "SetHandler server-info"), frontController],
    ["mod_access_compat rules", status("Order deny,allow", "Deny from all", "Allow from 192.0.2.7"), frontController],
    ["a rule without conditions", status(), `RewriteEngine On\nRewriteRule ^(?!index\\.php) /index.php [L]\n`],
  ])("%s", (_, main, htaccess) => {
    expect(check(main, htaccess)).toHaveLength(1);
  });

  test("a rule that proxies", () => {
    const modules = ["mpm_event", "unixd", "authz_core", "alias", "dir", "rewrite", "status", "proxy", "proxy_http"];
    const loaded = modules.map((name) => `LoadModule ${name}_module mod_${name}.so\n`).join("");
    const toBackend = "RewriteEngine On\nRewriteRule ^(.*)$ http://127.0.0.1:3000/$1 [P]\n";
    const [finding] = check(`${loaded}${status()}`, toBackend);
    expect(finding?.notes).toEqual([
      "GET `/server-status` from 203.0.113.9 is sent to `http://127.0.0.1:3000/server-status`",
    ]);
  });

  test("rules in a Directory section, on a server whose files are unknown", () => {
    const rules = section('Directory "/srv"', "Options FollowSymLinks", ...frontController.trimEnd().split("\n"));
    expect(findingsOf([shadowedLine], onServer(rules, status()))).toHaveLength(1);
  });
});

describe("does not report", () => {
  const excluded = frontController.replace(toIndex, `RewriteCond %{REQUEST_URI} !=/server-status\n${toIndex}`);
  test.each([
    ["a page that the rules exclude", status(), excluded],
    ["a page that no client is allowed to open", status("Require all denied"), frontController],
    ["rules that are off", status(), frontController.replace("On", "Off")],
    ["rules for other paths", status(), "RewriteEngine On\nRewriteRule ^shop/ index.php [L]\n"],
    ["a redirect to HTTPS", status(), "RewriteEngine On\nRewriteRule ^ https://www.test/ [R,L]\n"],
    ["FallbackResource, which leaves requests with a handler", status(), "FallbackResource /index.php\n"],
    ["a handler for files", section('FilesMatch "\\.php$"', "SetHandler application/x-php"), frontController],
  ])("%s", (_, main, htaccess) => {
    expect(check(main, htaccess)).toEqual([]);
  });

  test("a page at the path of a file, which the rules leave", () => {
    expect(check(status(), frontController, { "/srv/server-status": "" })).toEqual([]);
  });
});

describe("a page whose requests ProxyPass takes", () => {
  const host = (...lines: readonly string[]) => section("VirtualHost *:80", "ServerName a.example", ...lines);
  const page = ["<Location /server-status>", "SetHandler server-status", "Require local", "</Location>"];
  const toBackend = "ProxyPass / http://127.0.0.1:8080/";
  const found = (text: string) => findingsOf([shadowedLine], onServer(granted, text));

  test("is reported with the exception to add", () => {
    expect(found(host(toBackend, ...page))).toMatchObject([
      {
        text: "SetHandler server-status",
        message: "`SetHandler server-status` never responds: a `ProxyPass` takes its requests",
        notes: ["GET `http://a.example/server-status` from 127.0.0.1 is sent to `http://127.0.0.1:8080/server-status`"],
        help: [`add \`ProxyPass /server-status !\` before \`${toBackend}\``],
        related: ["httpd.conf:8:1: takes the requests for this page"],
      },
    ]);
  });

  test.each([
    ["ProxyPassMatch", host("ProxyPassMatch ^/(.*)$ http://127.0.0.1:8080/$1", ...page)],
    ["ProxyPass in a Location", host("<Location />", "ProxyPass http://127.0.0.1:8080/", "</Location>", ...page)],
    ["a rule of the host", host("RewriteEngine On", "RewriteRule ^/(.*)$ http://127.0.0.1:8080/$1 [P]", ...page)],
    ["the only host, with a page of the main server", `${page.join("\n")}\n${host(toBackend)}`],
  ])("is reported with %s", (_, text) => {
    expect(found(text)).toHaveLength(1);
  });

  test.each([
    ["an exception before it", host("ProxyPass /server-status !", toBackend, ...page)],
    ["a longer path", host("ProxyPass /app/ http://127.0.0.1:8080/", ...page)],
    ["a host without a backend", `${page.join("\n")}\n${host(toBackend)}${host().replace("a.example", "b.example")}`],
    [
      "a rewrite of the host, which does not change the URL path",
      host("RewriteEngine On", "RewriteRule ^ /index.php", ...page),
    ],
  ])("is not reported with %s", (_, text) => {
    expect(found(text)).toEqual([]);
  });
});
