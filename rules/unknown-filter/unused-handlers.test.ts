import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { unknownFilter } from "./unknown-filter.js";

const check = (names: string, lines: readonly string[], files: Readonly<Record<string, string>> = {}) => {
  const modules = ["authz_core", "mime", "dir", ...names.split(" ").filter(Boolean)].map(
    (name) => `LoadModule ${name}_module mod_${name}.so`,
  );
  const text = wholeServer(...modules, "Listen 80", "DocumentRoot /srv/www", ...lines);
  return findingsOf([unknownFilter], text, { files }).map(({ message, help }) => [message, help?.[0]]);
};
const inSite = (...lines: readonly string[]) =>
  section('Directory "/srv/www"', "Require all granted", ...lines)
    .split("\n")
    .filter(Boolean);
const missing = (handler: string) =>
  `no loaded module has the handler \`${handler}\`: httpd sends the source of the files`;
const php = 'load the module of PHP, or use `<FilesMatch "\\.php$">` with `SetHandler "proxy:fcgi://…"`';
const otherPhp = "use `application/x-httpd-php`, which the loaded module of PHP has, or delete the line";

describe("a handler that no loaded module has", () => {
  test.each([
    ["", "AddHandler cgi-script .py", "cgi-script", "load `cgid_module`"],
    ["mpm_prefork", "AddHandler cgi-script .cgi .pl", "cgi-script", "load `cgi_module`"],
    ["", "SetHandler cgi-script", "cgi-script", "load `cgid_module`"],
    ["", "AddType application/x-httpd-cgi .pl", "application/x-httpd-cgi", "load `cgid_module`"],
    ["", "AddHandler application/x-httpd-php .php", "application/x-httpd-php", php],
    ["", "<Files api>\nForceType application/x-httpd-php\n</Files>", "application/x-httpd-php", php],
    ["", "AddType application/x-httpd-php .php .html", "application/x-httpd-php", php],
    ["php", "AddHandler application/x-httpd-ea-php70 .php", "application/x-httpd-ea-php70", otherPhp],
    ["php", "AddHandler php5-script .php", "php5-script", otherPhp],
    ["php7 security2", "AddType application/x-httpd-php5 .php", "application/x-httpd-php5", otherPhp],
    ["", "AddHandler fcgid-script .fcgi", "fcgid-script", "load the module that has this handler, or correct the name"],
    [
      "wsgi",
      "AddHandler fcgid-script .fcgi",
      "fcgid-script",
      "load the module that has this handler, or correct the name",
    ],
  ])("with %j: %s", (modules, line, handler, help) => {
    expect(check(modules, inSite(line))).toEqual([[missing(handler), help]]);
  });

  test.each([
    ["ScriptAlias /cgi-bin/ /srv/cgi/", "cgi-script", "cgid_module"],
    ["ScriptAliasMatch ^/cgi-bin/(.*) /srv/cgi/$1", "cgi-script", "cgid_module"],
    ["SetHandler send-as-is", "send-as-is", "asis_module"],
    ["AddHandler send-as-is .asis", "send-as-is", "asis_module"],
    ["AddHandler lua-script .lua", "lua-script", "lua_module"],
  ])("%s in a virtual host", (line, handler, module) => {
    const programs = section('Directory "/srv/cgi"', "Require all granted").split("\n");
    const found = [[missing(handler), `load \`${module}\``]];
    const host = (...lines: readonly string[]) =>
      section("VirtualHost *:80", ...lines, ...programs, ...inSite(line.startsWith("Script") ? "" : line)).split("\n");
    expect(check("alias", host(line.startsWith("Script") ? line : ""))).toEqual(found);
    expect(check("alias cgi cgid asis lua", host(line.startsWith("Script") ? line : ""))).toEqual([]);
  });

  test("ScriptAlias of a virtual host, unless its directory is known to have no programs", () => {
    const programs = section('Directory "/srv/cgi"', "Require all granted").split("\n");
    const lines = section("VirtualHost *:80", "ScriptAlias /cgi-bin/ /srv/cgi/", ...programs).split("\n");
    const found = [[missing("cgi-script"), "load `cgid_module`"]];
    expect(check("alias", lines)).toEqual(found);
    expect(check("alias", lines, { "/srv/cgi/a.pl": "" })).toEqual(found);
    expect(check("alias", lines, { "/srv/cgi/.keep": "" })).toEqual([]);
  });

  test("ScriptAlias of the main server, if it has programs", () => {
    const lines = [
      "ScriptAlias /cgi-bin/ /srv/cgi/",
      ...section('Directory "/srv/cgi"', "Require all granted").split("\n"),
    ];
    expect(check("alias", lines)).toEqual([]);
    expect(check("alias", lines, { "/srv/cgi/a.cgi": "#!/bin/sh" })).toEqual([
      [missing("cgi-script"), "load `cgid_module`"],
    ]);
    expect(check("alias", lines, { "/srv/cgi/.keep": "", "/srv/cgi/printenv": "#!/usr/bin/perl" })).toEqual([]);
  });

  test.each([
    ["server-status", "status_module"],
    ["server-info", "info_module"],
    ["balancer-manager", "proxy_balancer_module"],
  ])("SetHandler %s", (handler, module) => {
    const lines = (before = "") =>
      section("Location /status", before, `SetHandler ${handler}`, "Require local").split("\n");
    const message = `no loaded module has the handler \`${handler}\`: httpd looks for a file instead`;
    expect(check("", lines())).toEqual([[message, `load \`${module}\``]]);
    expect(check(module.replace("_module", ""), lines())).toEqual([]);
    expect(check("shop", lines())).toEqual([]);
    expect(check("actions", ["ScriptAlias /x /srv/x", `Action ${handler} /x virtual`, ...lines()])).toEqual([]);
    expect(check("", section("IfModule mod_none.c", ...lines()).split("\n"))).toEqual([]);
  });

  test.each([
    ["cgid", "AddHandler cgi-script .py"],
    ["cgi", "AddHandler cgi-script .py"],
    ["php", "AddHandler application/x-httpd-php .php"],
    ["php5", "AddHandler php5-script .php"],
    ["php", "AddType application/x-httpd-php-source .phps"],
    ["fcgid", "AddHandler fcgid-script .fcgi"],
    ["wsgi", "AddHandler wsgi-script .wsgi"],
    // A module that is not known may have it.
    ["shop", "AddHandler application/x-httpd-ea-php70 .php"],
    // An Action has it.
    ["actions", "AddHandler php-fcgi .php\nAction php-fcgi /bin/php"],
    ["", "AddType text/html .html"],
    ["", "SetHandler none"],
    ["", "AddHandler type-map .var"],
    ["proxy proxy_fcgi", 'SetHandler "proxy:fcgi://127.0.0.1:9000"'],
    ["", "<IfModule mod_cgi.c>\nAddHandler cgi-script .py\n</IfModule>"],
  ])("is not reported with %j: %s", (modules, line) => {
    expect(check(modules, inSite(...line.split("\n")))).toEqual([]);
  });

  test("is not reported for a part of a server, or if nobody gets the files", () => {
    expect(findingsOf([unknownFilter], "AddHandler cgi-script .py\n", { kind: "fragment" })).toEqual([]);
    const closed = section('Directory "/srv/www"', "Require all denied", "AddHandler cgi-script .py").split("\n");
    expect(check("", closed)).toEqual([]);
  });

  test("another name of WSGIHandlerScript", () => {
    expect(
      check("wsgi", ["WSGIHandlerScript my-wsgi-apps /srv/h.wsgi", ...inSite("AddHandler my-wsgi-apps .py")]),
    ).toEqual([]);
  });
});

describe("a type that takes files away from their program", () => {
  const running = "AddType application/x-httpd-php .php .phtml";
  const found = (word: string, type: string) => [
    `the files with \`${word}\` are sent as source: \`${type}\` replaces the type that runs them`,
    `delete \`${word}\` from this line`,
  ];

  test.each([
    [["AddType text/html php"], found("php", "text/html")],
    [["AddType text/html .html .php"], found(".php", "text/html")],
    [["AddType text/plain .phtml"], found(".phtml", "text/plain")],
  ])("%j", (lines, finding) => {
    expect(check("php", [running, ...inSite("AllowOverride All", ...lines)])).toEqual([finding]);
    const files = { "/srv/www/.htaccess": `${lines.join("\n")}\n` };
    expect(check("php", [running, ...inSite("AllowOverride All")], files)).toEqual([finding]);
  });

  test.each([
    [running, "AddType text/html .html"],
    ["AddHandler application/x-httpd-php .php", "AddType text/html .php"],
    [running, "AddType application/x-httpd-php-source .php"],
    [running, "AddType text/html .php\nAddType application/x-httpd-php .php"],
    ["SetEnv A 1", "AddType text/html .php"],
  ])("but not %s and %s", (first, line) => {
    expect(check("php", [first, ...inSite(...line.split("\n"))])).toEqual([]);
  });
});

describe("pages with includes", () => {
  const found = [
    "httpd sends the pages without their includes, because `Includes` is off",
    "add `Options +IncludesNOEXEC` to the `<Directory>` section, or `Options +Includes` if pages run programs",
  ];

  test.each([
    "AddOutputFilter INCLUDES .shtml",
    "SetOutputFilter INCLUDES",
    "AddOutputFilter INCLUDES;DEFLATE shtml html",
    "AddHandler server-parsed .shtml",
  ])("%s", (line) => {
    expect(check("include", inSite(line))).toEqual([found]);
    expect(check("include", inSite(line, "Options Indexes"))).toEqual([found]);
  });

  test.each([
    ["include", "AddOutputFilter INCLUDES .shtml\nOptions +Includes"],
    ["include", "AddOutputFilter INCLUDES .shtml\nOptions IncludesNOEXEC Indexes"],
    ["include", "AddOutputFilter INCLUDES .shtml\nOptions All"],
    ["include", "AddOutputFilter DEFLATE .html"],
    ["", "AddOutputFilter INCLUDES .shtml"],
    ["include proxy proxy_http", 'SetHandler "proxy:http://127.0.0.1:8080"\nSetOutputFilter INCLUDES'],
  ])("but not with %j: %s", (modules, lines) => {
    expect(check(modules, inSite(...lines.split("\n")))).toEqual([]);
  });

  test("but not for the whole server, as in configurations of distributions", () => {
    expect(check("include", ["AddOutputFilter INCLUDES .shtml", ...inSite("Options Indexes")])).toEqual([]);
  });
});
