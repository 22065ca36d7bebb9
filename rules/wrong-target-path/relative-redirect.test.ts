import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory, onlyVariant, onServer, section, wholeServer } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const relativeRedirect = onlyVariant(wrongTargetPath, "relative-redirect");

const check = (text: string) =>
  findingsOf([relativeRedirect], `${text}\n`, { kind: "htaccess" }).map(({ text: target, message }) => [
    target,
    message,
  ]);

describe("reports", () => {
  test.each([
    ["RewriteRule ^a$ b.html [R=301,L]", "b.html"],
    ["RewriteRule ^(.*)/$ $1 [R]", "$1"],
    ['RewriteRule ^a$ "new/b?c=d" [R]', '"new/b?c=d"'],
  ])("%s", (line, target) => {
    const path = target.replaceAll('"', "");
    expect(check(line)).toEqual([[target, `redirect to \`${path}\` shows the path of a directory on the disk`]]);
  });

  test("in a section", () => {
    expect(findingsOf([relativeRedirect], inDirectory("RewriteRule ^a$ b [R]"))).toHaveLength(1);
  });
});

const rule = ["RewriteEngine On", "RewriteRule ^a$ b [R]"];
const other = (directory: string, ...lines: readonly string[]) =>
  section(`Directory "${directory}"`, "RewriteEngine On", "RewriteRule ^x$ y [L]", ...lines);

const merge = "RewriteOptions MergeBase";

describe("a RewriteBase of another directory", () => {
  test.each<[string, string, readonly string[]]>([
    ["beside it", "/srv/b", []],
    ["above it", "/srv", []],
    ["below it", "/srv/a/b", []],
    ["beside it, with MergeBase", "/srv/b", [merge]],
    ["with a name that begins alike, with MergeBase", "/srv/ab", [merge]],
  ])("%s does not matter", (_, directory, options) => {
    const text = onServer(section('Directory "/srv/a"', ...rule), other(directory, "RewriteBase /b/", ...options));
    expect(findingsOf([relativeRedirect], text)).toHaveLength(1);
  });

  test("above it does not matter with MergeBase on the server, which is merged later", () => {
    const text = onServer(`${merge}\n`, other("/srv", "RewriteBase /"), section('Directory "/srv/a"', ...rule));
    expect(findingsOf([relativeRedirect], text)).toHaveLength(1);
  });

  test.each([
    ["the directory", other("/srv", "RewriteBase /"), section('Directory "/srv/a"', merge, ...rule)],
    ["the one above", other("/srv", "RewriteBase /", merge), section('Directory "/srv/a"', ...rule)],
    ["a pattern", section('DirectoryMatch "^/srv"', "RewriteBase /", merge), section('Directory "/srv/a"', ...rule)],
  ])("above it counts with MergeBase in %s", (_, ...sections) => {
    expect(findingsOf([relativeRedirect], onServer(...sections))).toEqual([]);
  });

  test("in a `.htaccess` file beside it does not matter", () => {
    const files = {
      "/srv/a/.htaccess": `${rule.join("\n")}\n`,
      "/srv/b/.htaccess": `RewriteBase /b/\n${rule.join("\n")}\n`,
    };
    const text = onServer(inDirectory("AllowOverride All"));
    expect(findingsOf([relativeRedirect], text, { files })).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    "RewriteRule ^a$ b.html [L]",
    "RewriteRule ^a$ /b.html [R=301,L]",
    "RewriteRule ^a$ https://example.org/b [R=301,L]",
    "RewriteRule ^a$ %{REQUEST_URI}/b [R]",
    "RewriteRule ^a$ %1 [R]",
    "RewriteRule ^a(/.*)?$ $1 [R]",
    "RewriteRule ^a$ http%1://example.org/b [R]",
    "RewriteRule ^a$ - [R=404]",
    "RewriteRule ^a$ b [P,R]",
    "RewriteBase /\nRewriteRule ^a$ b.html [R=301,L]",
  ])("%j", (lines) => {
    expect(check(lines)).toEqual([]);
  });

  test("a virtual host", () => {
    expect(findingsOf([relativeRedirect], section("VirtualHost *", "RewriteRule ^/a$ b [R]"))).toEqual([]);
  });
});

describe("a redirect to the machine of the client", () => {
  const found = (text: string, kind: "fragment" | "htaccess" = "htaccess") =>
    findingsOf([relativeRedirect], text, { kind }).map(({ message }) => message);
  const inHost = (...lines: readonly string[]) => section("VirtualHost *:80", "ServerName shop.test", ...lines);
  const missing = (target: string) => [`clients are redirected to \`${target}\`: the flag \`P\` is missing`];

  test.each([
    ["RewriteRule ^api/(.*) http://127.0.0.1:5000/$1 [L,QSA]", "http://127.0.0.1:5000/$1"],
    ["RewriteRule ^api/(.*) http://localhost:5000/$1", "http://localhost:5000/$1"],
    ["RewriteRule ^(.*)$ http://[::1]:8080/$1 [L]", "http://[::1]:8080/$1"],
    ["RewriteRule ^ws$ ws://127.0.0.1:81/ [L]", "ws://127.0.0.1:81/"],
    ["RewriteRule ^a fcgi://b.test:9000/a [L]", "fcgi://b.test:9000/a"],
    ["RewriteRule ^(.*)$ http://backend:3000/$1 [L]", "http://backend:3000/$1"],
  ])("without P: %s", (line, target) => {
    expect(found(`${line}\n`)).toEqual(missing(target));
    expect(found(inHost(line), "fragment")).toEqual(missing(target));
  });

  test.each([
    "RewriteRule ^/a(.*) http://localhost/$1 [R=301,L]",
    "Redirect /app http://localhost:8080/app",
    "RedirectMatch ^/a/(.*) http://127.0.0.1:8080/$1",
  ])("of a host with a name: %s", (line) => {
    expect(found(inHost(line), "fragment")).toHaveLength(1);
    expect(found(section("VirtualHost *:80", "ServerName localhost", line), "fragment")).toEqual([]);
    expect(found(`${line}\n`)).toEqual([]);
  });

  test.each([
    "RewriteRule ^api/(.*) http://127.0.0.1:5000/$1 [P]",
    "RewriteRule ^api/(.*) http://www.shop.test:5000/$1 [L]",
    "RewriteRule ^api/(.*) http://localhost/$1 [L]",
    "RewriteRule ^a http://intranet/a [L]",
    "RewriteRule ^a http://localhost.test:80/a [L]",
    "RewriteCond %{HTTP_HOST} ^localhost\nRewriteRule ^a http://localhost:81/a [L]",
    "RewriteCond %{REMOTE_ADDR} ^127\\.\nRewriteRule ^a http://127.0.0.1:81/a [L]",
    "RewriteRule ^a - [R=404]",
    "RewriteRule ^a /b?u=http://localhost:81/ [L]",
  ])("but not %j", (lines) => {
    expect(found(`${lines}\n`)).toEqual([]);
  });

  test("but not on a server that listens only on its own machine", () => {
    const rule = "RewriteRule ^/a(.*) http://localhost:81/$1 [L]";
    const at = (...listen: readonly string[]) =>
      findingsOf([relativeRedirect], wholeServer(...listen, "RewriteEngine On", rule));
    expect(at("Listen 80")).toHaveLength(1);
    expect(at("Listen 127.0.0.1:80")).toEqual([]);
    expect(at("Listen [::1]:80", "Listen 80")).toHaveLength(1);
  });
});
