import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { fcgiTakesAnyFile } from "./fcgi-takes-any-file.js";

const check = (...lines: readonly string[]) => findingsOf([fcgiTakesAnyFile], onServer(`${lines.join("\n")}\n`));

test("reports a ProxyPassMatch for PHP", () => {
  expect(check('ProxyPassMatch "^/(.*\\.php(/.*)?)$" "fcgi://127.0.0.1:9000/srv/$1"')).toEqual([
    {
      rule: "fcgi-takes-any-file",
      severity: "warning",
      at: "2:1-2:67",
      text: 'ProxyPassMatch "^/(.*\\.php(/.*)?)$" "fcgi://127.0.0.1:9000/srv/$1"',
      message: '`ProxyPassMatch "^/(.*\\.php(/.*)?)$" "fcgi://127…` passes on unchecked paths',
      notes: [
        "GET `/photo.jpg/x.php` from 203.0.113.9 returns 200 from the FastCGI program, which may run `/photo.jpg`",
      ],
      help: [
        'use `<FilesMatch "\\.php$">` with `SetHandler "proxy:fcgi://…"`: httpd then checks that the file exists',
        "check that `security.limit_extensions` of PHP-FPM is `.php`",
      ],
      related: [],
    },
  ]);
});

test.each([
  ["a socket", 'ProxyPassMatch "^/app/(.*\\.php)$" "unix:/run/php.sock|fcgi://localhost/srv"', "/app/photo.jpg/x.php"],
  ["a rule", 'RewriteEngine On\nRewriteRule "^/(.*\\.php)$" "fcgi://127.0.0.1:9000/srv/$1" [P]', "/photo.jpg/x.php"],
])("reports %s", (_, line, path) => {
  const modules = ["mod_authz_core", "mod_proxy", "mod_proxy_fcgi", "mod_rewrite"];
  const findings = findingsOf([fcgiTakesAnyFile], onServer(`${line}\n`), { modules });
  expect(findings.map(({ notes }) => notes?.[0]?.includes(`GET \`${path}\``))).toEqual([true]);
});

test.each([
  ["one file", ['ProxyPassMatch "^/index\\.php$" "fcgi://127.0.0.1:9000/srv/index.php"']],
  ["names without slashes and dots", ['ProxyPassMatch "^/([^/.]+\\.php)$" "fcgi://127.0.0.1:9000/srv/$1"']],
  ["a handler", [section('FilesMatch "\\.php$"', 'SetHandler "proxy:fcgi://127.0.0.1:9000"').trimEnd()]],
  ["another backend", ['ProxyPassMatch "^/(.*\\.php)$" "http://127.0.0.1:9000/$1"']],
  [
    "a rule that rejects such paths",
    ['RewriteEngine On\nRewriteRule "\\.jpg/" - [F]', 'ProxyPassMatch "^/(.*\\.php)$" "fcgi://127.0.0.1:9000/srv/$1"'],
  ],
  [
    "denied access",
    [
      'ProxyPassMatch "^/(.*\\.php)$" "fcgi://127.0.0.1:9000/srv/$1"',
      section("Location /", "Require all denied").trimEnd(),
    ],
  ],
  [
    "a server on the loopback address",
    ["Listen 127.0.0.1:80", 'ProxyPassMatch "^/(.*\\.php)$" "fcgi://127.0.0.1:9000/srv/$1"'],
  ],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});
