import { expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { scriptSourceServed } from "./script-source-served.js";

const granted = section('Directory "/srv"', "Require all granted");
const php = section('FilesMatch "\\.php$"', 'SetHandler "proxy:fcgi://127.0.0.1:9000"');
const files = { "/srv/index.html": "<p>", "/srv/config.php": "<?php $password;", "/srv/lib/db.php": "<?php" };
const seen = (text: string, given: Given = {}) => findingsOf([scriptSourceServed], text, { files, ...given });

test("PHP files without a handler", () => {
  expect(seen(onServer(granted))).toEqual([
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
])("%s", (_, lines, given) => {
  expect(seen(onServer(granted, lines), { modules: ["mod_authz_core"], ...given })).toHaveLength(1);
});

test("a CGI program of a ScriptAlias below the document root", () => {
  const text = onServer(granted, 'ScriptAlias "/cgi-bin/" "/srv/scripts/"\n');
  const found = seen(text, { files: { "/srv/scripts/a.cgi": "#!/bin/sh\n" } });
  expect(found.map(({ message, help }) => [message, help])).toEqual([
    [
      "`/scripts/a.cgi` is served as source code",
      ["move the file to a ScriptAlias directory that is not below a served one"],
    ],
  ]);
});

test.each([
  ["a handler", php, {}],
  ["a type that a loaded module may run", "AddType application/x-httpd-php .php\n", {}],
  ["the module of PHP", "LoadModule php_module libphp.so\nAddHandler php-script .php\n", {}],
  ["a backend", 'ProxyPass "/" "http://127.0.0.1:8080/"\n', {}],
  ["denied access", section('FilesMatch "\\.php$"', "Require all denied"), {}],
  ["no PHP in the file", "", { files: { "/srv/a.php": "<p>" } }],
  ["an example to read", "", { files: { "/srv/a.phps": "<?php" } }],
  [
    "a program where it runs",
    'ScriptAlias "/scripts/" "/srv/scripts/"\n',
    { files: { "/srv/scripts/a.cgi": "#!/bin/sh\n" } },
  ],
  ["a server on the loopback address", "Listen 127.0.0.1:80\n", {}],
  ["unknown files", "", { files: {} }],
])("twin: %s", (_, lines, given) => {
  expect(seen(onServer(granted, lines), given)).toEqual([]);
});
