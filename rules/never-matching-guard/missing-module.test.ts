import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { neverMatchingGuard } from "./never-matching-guard.js";

const load = (name: string) => `LoadModule ${name}_module mod_${name}.so`;
const check = (lines: readonly string[], ...inFile: readonly string[]) =>
  findingsOf(
    [neverMatchingGuard],
    wholeServer("Listen 80", 'DocumentRoot "/srv"', section("Directory /srv", "AllowOverride All"), ...lines),
    { files: { "/srv/.htaccess": `${inFile.join("\n")}\n`, "/srv/index.php": "" } },
  ).map(({ message }) => message);
const guarded = (argument: string, ...lines: readonly string[]) => section(`IfModule ${argument}`, ...lines);
const front = ["RewriteEngine On", "RewriteCond %{REQUEST_FILENAME} !-f", "RewriteRule . /index.php [L]"];

describe("a section for a module that is not loaded is reported around", () => {
  test.each<readonly [string, readonly string[], string]>([
    ["a front controller", [guarded("mod_rewrite.c", ...front)], "RewriteRule"],
    ["one by identifier", [guarded("rewrite_module", ...front)], "RewriteRule"],
    ["one with a query", [guarded("mod_rewrite.c", "RewriteRule ^(.*)$ index.php?q=$1 [L,QSA]")], "RewriteRule"],
    ["one below a directory", [guarded("mod_rewrite.c", "RewriteRule ^(.*)$ public/index.php/$1 [L]")], "RewriteRule"],
  ])("%s", (_, inFile, name) => {
    expect(check([], ...inFile)).toEqual([`httpd skips \`${name}\`: \`rewrite_module\` is not loaded`]);
  });

  test.each([
    ["dir", "FallbackResource /index.php", "FallbackResource"],
    ["proxy", "ProxyPass / http://127.0.0.1:3000/", "ProxyPass"],
    ["proxy_http", "ProxyPassMatch ^/(.*)$ http://127.0.0.1:3000/$1", "ProxyPassMatch"],
  ])("a line of mod_%s", (module, line, name) => {
    const lines = [section("VirtualHost *:80", guarded(`mod_${module}.c`, line).trim())];
    expect(check(lines)).toEqual([`httpd skips \`${name}\`: \`${module}_module\` is not loaded`]);
  });
});

describe("is not reported", () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    ["with the module", [load("rewrite")], [guarded("mod_rewrite.c", ...front)]],
    [
      "beside a section for servers without it",
      [],
      [guarded("mod_rewrite.c", ...front), guarded("!mod_rewrite.c", "ErrorDocument 404 /index.php")],
    ],
    ["around a redirect", [], [guarded("mod_rewrite.c", "RewriteRule ^ https://a.test%{REQUEST_URI} [R]")]],
    ["around a redirect to a page", [], [guarded("mod_rewrite.c", "RewriteRule ^a$ /index.php [R=301,L]")]],
    ["around a denial", [], [guarded("mod_rewrite.c", "RewriteRule ^\\.git - [F]")]],
    ["around settings that pages do not need", [], [guarded("mod_expires.c", "ExpiresActive On")]],
    ["without a fallback", [], [guarded("mod_dir.c", "FallbackResource disabled")]],
    ["around an exception", [], [guarded("mod_proxy.c", "ProxyPass /a !")]],
  ])("%s", (_, lines, inFile) => {
    expect(check(lines, ...inFile)).toEqual([]);
  });

  test("in a part of a server", () => {
    const given = { kind: "htaccess", withoutModules: ["rewrite"] } as const;
    expect(findingsOf([neverMatchingGuard], guarded("mod_rewrite.c", ...front), given)).toEqual([]);
  });
});
