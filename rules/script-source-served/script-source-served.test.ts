import { expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { scriptSourceServed } from "./script-source-served.js";

const granted = section('Directory "/srv"', "Require all granted");
const php = section('FilesMatch "\\.php$"', 'SetHandler "proxy:fcgi://127.0.0.1:9000"');
const files = { "/srv/index.html": "<p>", "/srv/config.php": "<?php $password;", "/srv/lib/db.php": "<?php" };
const check = (text: string, given: Given = {}) => findingsOf([scriptSourceServed], text, { files, ...given });

test("reports PHP files without a handler", () => {
  expect(check(onServer(granted))).toEqual([
    {
      rule: "script-source-served",
      severity: "error",
      at: "1:1-1:20",
      text: 'DocumentRoot "/srv"',
      message: "`/config.php` is served as source code",
      notes: [
        "no handler runs this file",
        "1 more directories have such files",
        "GET `/config.php` from 203.0.113.9 returns 200, with the source",
      ],
      help: ['load the module of PHP, or add `<FilesMatch "\\.php$">` with `SetHandler "proxy:fcgi://…"`'],
      related: [],
    },
  ]);
});

test.each([
  ["a handler for the module of PHP 5", section("IfModule mod_php5.c", php.trimEnd()), {}],
  ["a handler that no module provides", "AddHandler php5-script .php\n", { modules: ["mod_authz_core", "mod_mime"] }],
  ["a type that no module runs", "AddType application/x-httpd-php .php\n", { modules: ["mod_authz_core", "mod_mime"] }],
])("reports %s", (_, lines, given) => {
  expect(check(onServer(granted, lines), { modules: ["mod_authz_core"], ...given })).toHaveLength(1);
});

test("reports a CGI program of a ScriptAlias below the document root", () => {
  const text = onServer(granted, 'ScriptAlias "/cgi-bin/" "/srv/scripts/"\n');
  const findings = check(text, { files: { "/srv/scripts/a.cgi": "#!/bin/sh\n" } });
  expect(findings.map(({ message, help }) => [message, help])).toEqual([
    [
      "`/scripts/a.cgi` is served as source code",
      ["move the file to a ScriptAlias directory that is not below a served one"],
    ],
  ]);
});

test.each([
  ["PHP files with a handler", php, {}],
  ["a type that a loaded module may run", "AddType application/x-httpd-php .php\n", {}],
  ["the module of PHP", "LoadModule php_module libphp.so\nAddHandler php-script .php\n", {}],
  ["a proxied path", 'ProxyPass "/" "http://127.0.0.1:8080/"\n', {}],
  ["denied access", section('FilesMatch "\\.php$"', "Require all denied"), {}],
  ["a file without PHP", "", { files: { "/srv/a.php": "<p>" } }],
  ["an example for readers", "", { files: { "/srv/a.phps": "<?php" } }],
  [
    "a program in the directory in which it runs",
    'ScriptAlias "/scripts/" "/srv/scripts/"\n',
    { files: { "/srv/scripts/a.cgi": "#!/bin/sh\n" } },
  ],
  ["a server on the loopback address", "Listen 127.0.0.1:80\n", {}],
  ["files that are not known", "", { files: {} }],
])("does not report %s", (_, lines, given) => {
  expect(check(onServer(granted, lines), given)).toEqual([]);
});
