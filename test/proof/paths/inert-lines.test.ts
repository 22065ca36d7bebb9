import { describe, expect, test } from "vitest";
import { iterateDirectives } from "../../../src/config/queries/directive-tree.js";
import { isInert, isInertLine } from "../../../src/proof/paths/inert-lines.js";
import { loadText } from "../../support/projects.js";

describe("a section is", () => {
  const isFirstInert = (text: string, extent?: "access check") => {
    const project = loadText(text);
    const [section] = project.directives;
    return section && isInert(section, project, extent);
  };

  test.each([
    ["inert if it is empty", "<Location /a>\n</Location>"],
    ["inert if it has only inert lines", "<LocationMatch a$>\nHeader set X y\nExpiresActive On\n</LocationMatch>"],
    ["inert with an inert section in it", "<Directory /a>\n<Files b>\nFileETag None\n</Files>\n</Directory>"],
    ["inert with a variable for logs", "<Location /a>\nSetEnv dontlog\n</Location>\nCustomLog a b env=!dontlog"],
  ])("%s", (_, text) => {
    expect(isFirstInert(text)).toBe(true);
  });

  test.each([
    ["not inert with access control", "<Location /a>\nHeader set X y\nRequire all denied\n</Location>"],
    ["not inert with access control within", "<Directory /a>\n<Files b>\nDeny from all\n</Files>\n</Directory>"],
    ["not inert with Options, which decide listings", "<Directory /a>\nOptions None\n</Directory>"],
    ["not inert with a handler", '<FilesMatch "\\.cgi$">\nSetHandler cgi-script\n</FilesMatch>'],
    ["not inert if its pattern names a group", "<LocationMatch ^/(?<name>a)>\n</LocationMatch>"],
    ["not inert if it has a condition", "<If true>\n</If>"],
    ["not inert with a directive that nobody knows", "<Location /a>\nFooBar on\n</Location>"],
    ["not inert with a variable for access", "<Location /a>\nSetEnvIf a b foo\n</Location>\nDeny from env=foo"],
  ])("%s", (_, text) => {
    expect(isFirstInert(text)).toBe(false);
  });

  test.each([
    '<FilesMatch "\\.php$">\nSetHandler application/x-httpd-php\n</FilesMatch>',
    '<LocationMatch "\\.php$">\nSetHandler "proxy:fcgi://127.0.0.1:9000"\n</LocationMatch>',
    "<Files a>\nAddHandler cgi-script .cgi\nRemoveHandler .pl\n</Files>",
    "<Location /a>\nAddType text/plain .md\nForceType text/html\n</Location>",
    "<Directory /a>\nDirectoryIndex b.html\n</Directory>",
    "<Directory /a>\nRewriteEngine On\nRewriteRule ^b c\n</Directory>",
  ])("inert until access is checked, but not for the answer: %s", (text) => {
    expect(isFirstInert(text, "access check")).toBe(true);
    expect(isFirstInert(text)).toBe(false);
  });

  test.each([
    ["rules of a Location, which also apply to those of the server", "<Location /a>\nRewriteEngine On\n</Location>"],
    ["access control beside a handler", '<FilesMatch "\\.php$">\nSetHandler x\nRequire all denied\n</FilesMatch>'],
    ["Options", "<Directory /a>\nOptions None\n</Directory>"],
  ])("not inert until access is checked with %s", (_, text) => {
    expect(isFirstInert(text, "access check")).toBe(false);
  });
});

/** Reports whether the first line of a configuration is inert. */
function isFirstLineInert(text: string): boolean {
  const project = loadText(text);
  const [line] = iterateDirectives(project);
  if (line === undefined) throw new Error("no line");
  return isInertLine(line, project);
}

const setter = 'SetEnvIf Remote_Addr "^127\\." Local';

/** Lines that read the variable for access control, in each of its spellings. */
const readers: readonly string[] = [
  "Require env local",
  "Require not env local",
  "Allow from env=LOCAL",
  "Deny from env=!local",
  "Require env redirect_local",
  "Require expr \"reqenv('LOCAL') == '1'\"",
  'Require expr "%{ENV:Local} == 1"',
  "Require expr \"-T env('local')\"",
  '<If "%{reqenv:local} == 1">\nRequire all denied\n</If>',
  "RewriteEngine On\nRewriteCond %{ENV:LOCAL} 1\nRewriteRule ^/a - [F]",
  "RewriteEngine On\nRewriteCond %{ENV:REDIRECT_local} 1\nRewriteRule ^/a - [F]",
  "RewriteEngine On\nRewriteRule ^/a /%{ENV:local} [PT]",
  "SetEnvIf local 1 second\nRequire env second",
  "SetEnvIfExpr \"reqenv('local') == '1'\" second\nRequire env second",
  'RequestHeader set X-Local 1 env=local\nRequire expr "%{HTTP:X-Local} == 1"',
  "RequestHeader set X-Local 1 env=local\nRewriteEngine On\nRewriteCond %{HTTP:x-local} 1\nRewriteRule ^ - [F]",
  "<Location /a>\n<If \"-n env('local')\">\nDeny from all\n</If>\n</Location>",
];

test.each(readers)("a variable matters if access control reads it: %s", (reader) => {
  expect(isFirstLineInert(`${setter}\n${reader}\n`)).toBe(false);
});

/** Lines that read the variable, and decide nothing; or read another one. */
const others: readonly string[] = [
  "CustomLog logs/access common env=!local",
  "CustomLog logs/access common \"expr=reqenv('local') == 1\"",
  'LogFormat "%h %{local}e" named',
  "Header set X-Local yes env=local",
  'Header set X-Local "%{LOCAL}e"',
  "RequestHeader set X-Local 1 env=local",
  "Require env locale",
  "Deny from env=redirect",
  "RewriteEngine On\nRewriteCond %{ENV:other} 1\nRewriteRule ^/a - [F]",
  "Require all granted",
];

test.each(others)("a variable does not matter otherwise: %s", (other) => {
  expect(isFirstLineInert(`${setter}\n${other}\n`)).toBe(true);
});

test.each([
  ["the pattern of SetEnvIfExpr becomes the value", 'SetEnvIfExpr "%{REQUEST_URI} =~ m#(b)#" other'],
  ["a variable may be read before it changes", "SetEnvIf access a access=b"],
  ["a variable may be read before it is deleted", "SetEnvIf access a !access"],
  ["a pattern for names of headers may be an attribute", "SetEnvIf ^X-.* a other"],
])("lines that set variables stay together if one may depend on another: %s", (_, line) => {
  expect(isFirstLineInert(`${setter}\nCustomLog logs/access common env=local\n${line}\nRequire env access\n`)).toBe(
    false,
  );
});

test.each([
  ["a header that access control reads", "RequestHeader set X-Team a", "Require expr \"%{HTTP:x-team} == 'a'\"", false],
  ["a header that only a log reads", "RequestHeader set X-Team a", 'LogFormat "%{X-Team}i" named', true],
  ["a header of the response", "Header set X-Team a", "Require expr \"%{HTTP:x-team} == 'a'\"", true],
  ["the log itself", "CustomLog logs/a common", "Require env local", true],
])("%s", (_, line, reader, isInertHere) => {
  expect(isFirstLineInert(`${line}\n${reader}\n`)).toBe(isInertHere);
});

test("a line that sets no variable stays inert beside lines that depend on one another", () => {
  expect(isFirstLineInert("CustomLog logs/a common\nSetEnvIf access a access=b\nRequire env access\n")).toBe(true);
});
