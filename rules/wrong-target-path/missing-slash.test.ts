import { describe, expect, test } from "vitest";
import { findingsOf, lintText, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const missingSlash = onlyVariant(wrongTargetPath, "missing-slash");

const check = (text: string, kind?: "htaccess") =>
  findingsOf([missingSlash], `${text}\n`, kind ? { kind } : {}).map(({ notes }) => notes?.[0]);
const leads = (request: string, result: string) => [`a request for \`${request}\` leads to \`${result}\``];

describe("reports a path and a target, of which only the path ends in a slash", () => {
  test.each([
    ["Redirect / https://www.example.org", leads("/page", "https://www.example.orgpage")],
    ["Redirect permanent / https://www.example.org:8443", leads("/page", "https://www.example.org:8443page")],
    ["RedirectPermanent /a/ http://b.test", leads("/a/page", "http://b.testpage")],
    ["Alias /media/ /home/dana/static", leads("/media/page", "/home/dana/staticpage")],
    ['Alias / "/srv/app/public"', leads("/page", "/srv/app/publicpage")],
    ["ProxyPass /app/ http://127.0.0.1:8080", leads("/app/page", "http://127.0.0.1:8080page")],
    ["ProxyPass / balancer://pool timeout=5", leads("/page", "balancer://poolpage")],
  ])("%s", (line, expected) => {
    expect(check(line)).toEqual(expected);
    expect(check(section("VirtualHost *:80", line))).toEqual(expected);
  });

  test.each([
    "Redirect / https://www.example.org/",
    "Redirect /old https://www.example.org",
    // A redirect of one page.
    "Redirect /old/ https://www.example.org/new",
    "Redirect / https://www.example.org/?from=",
    "Redirect gone /old/",
    "Alias /media /home/dana/static",
    "Alias / /srv/www/closed.html",
    "Alias /media/ /home/dana/static/",
    "ProxyPass /app/ !",
    "ProxyPass /app http://127.0.0.1:8080",
    "ProxyPass / http://127.0.0.1:8080/ nocanon",
    "ProxyPass / unix:/run/app.sock|http://localhost",
    "ProxyPass /app/ http://127.0.0.1:8080/x?y=",
    "<Location /app/>\nProxyPass http://127.0.0.1:8080\n</Location>",
    "<Location /app/>\nRedirect https://www.example.org\n</Location>",
  ])("not %s", (line) => {
    expect(check(line)).toEqual([]);
  });
});

describe("reports a group directly after the host", () => {
  test.each([
    ["RewriteRule ^/(.*)$ https://www.example.org$1 [R]", leads("/page", "https://www.example.orgpage")],
    ["RewriteRule ^/?(.*) http://127.0.0.1:81$1 [P]", leads("/page", "http://127.0.0.1:81page")],
    ["RewriteRule ^/old/([^/]+) https://b.test$1?x [R]", leads("/old/page", "https://b.testpage")],
    ["RedirectMatch ^/(.*)$ https://www.example.org$1", leads("/page", "https://www.example.orgpage")],
  ])("%s", (line, expected) => {
    expect(check(line)).toEqual(expected);
  });

  test.each([
    "RewriteRule ^(.*)$ https://www.example.org$1 [R]",
    "RewriteRule ^/(.*)$ https://www.example.org/$1 [R]",
    "RewriteRule ^/old(/.*)$ https://www.example.org$1 [R]",
    "RewriteRule ^/(.*)$ https://$1.example.org/ [R]",
    "RewriteRule ^/(.*)$ https://www.$1 [R]",
    "RewriteRule ^/(.*)$ https://www.example.org%{REQUEST_URI} [R]",
    "RedirectMatch ^(.*)$ https://www.example.org$1",
  ])("not %s", (line) => {
    expect(check(line)).toEqual([]);
  });

  test("in a `.htaccess` file, where the path has no slash at its start", () => {
    const rule = 'RewriteRule "^(.*)" "https://%{SERVER_NAME}$1" [R=301,L]';
    expect(check(rule, "htaccess")).toEqual(leads("/page", "https://%{SERVER_NAME}page"));
    expect(check(section("Directory /srv", rule))).toEqual(leads("/page", "https://%{SERVER_NAME}page"));
    expect(check(rule.replace("$1", "/$1"), "htaccess")).toEqual([]);
    expect(check(rule)).toEqual([]);
  });
});

test("adds the slash", () => {
  const fixed = (line: string) => lintText([missingSlash], onServer(line))[0]?.fix?.edits.map(({ text }) => text);
  expect(fixed("Redirect / https://www.example.org")).toEqual(["https://www.example.org/"]);
  expect(fixed('Alias /a/ "/srv/a"')).toEqual(['"/srv/a/"']);
  expect(fixed("RewriteRule ^/(.*) https://www.example.org$1 [R]")).toEqual(["https://www.example.org/$1"]);
});

describe("reports a second slash", () => {
  test.each([
    ["ProxyPass /api http://127.0.0.1:8080/", leads("/api/page", "http://127.0.0.1:8080//page")],
    ["ProxyPass /api/v1 https://b.test/v1/ retry=0", leads("/api/v1/page", "https://b.test/v1//page")],
    [
      "<Location /app>\nProxyPass http://127.0.0.1:8080/\n</Location>",
      leads("/app/page", "http://127.0.0.1:8080//page"),
    ],
    ["RedirectMatch ^/old(.*)$ https://b.test/$1", leads("/old/page", "https://b.test//page")],
    ["RedirectMatch 301 ^(.*)$ https://b.test/x/$1", leads("/page", "https://b.test/x//page")],
    ["RewriteRule ^(.*)$ https://b.test/$1 [R=301,L]", leads("/page", "https://b.test//page")],
    ["RewriteRule ^/app(.*) http://127.0.0.1:81/$1 [P]", leads("/app/page", "http://127.0.0.1:81//page")],
    ["RewriteRule .* ws://127.0.0.1:81/%{REQUEST_URI} [P,L]", leads("/page", "ws://127.0.0.1:81//page")],
    ["RewriteRule ^ https://b.test/x/%{REQUEST_URI}?a=b [R,L]", leads("/page", "https://b.test/x//page")],
  ])("%s", (line, expected) => {
    expect(check(line)).toEqual(expected);
    expect(check(section("VirtualHost *:80", line))).toEqual(expected);
  });

  test("in a `.htaccess` file", () => {
    const rule = "RewriteRule ^old(.*)$ https://b.test/$1 [R]";
    expect(check(rule, "htaccess")).toEqual(leads("/old/page", "https://b.test//page"));
    expect(check("RewriteRule ^(.*)$ https://b.test/$1 [R]", "htaccess")).toEqual([]);
    const whole = "RewriteRule ^ https://b.test/%{REQUEST_URI} [R]";
    expect(check(whole, "htaccess")).toEqual(leads("/page", "https://b.test//page"));
  });

  test.each([
    "ProxyPass /api/ http://127.0.0.1:8080/",
    "ProxyPass /api http://127.0.0.1:8080",
    "ProxyPass / http://127.0.0.1:8080/",
    "ProxyPass /api http://127.0.0.1:8080/?x=",
    "ProxyPass /api !",
    "<Location />\nProxyPass http://127.0.0.1:8080/\n</Location>",
    "<Location /app/>\nProxyPass http://127.0.0.1:8080/\n</Location>",
    "Alias /media /srv/media/",
    "Redirect /old https://b.test/",
    "RedirectMatch ^/old/(.*)$ https://b.test/$1",
    "RedirectMatch ^/?(.*)$ https://b.test/$1",
    "RewriteRule ^/(.*)$ https://b.test/$1 [R]",
    "RewriteRule ^(.*)$ /x/$1 [PT]",
    "RewriteRule ^/old([^/]+)$ https://b.test/$1 [R]",
    "RewriteRule ^ https://b.test%{REQUEST_URI} [R]",
    "RewriteRule ^ https://b.test/x%{REQUEST_URI} [R]",
    "RewriteRule ^ https://b.test/?from=/%{REQUEST_URI} [R]",
    "RewriteRule ^ /x/%{REQUEST_URI}",
    "RewriteRule ^ https://b.test/%{QUERY_STRING} [R]",
  ])("not %s", (line) => {
    expect(check(line)).toEqual([]);
  });

  test("and removes it", () => {
    const fixed = (line: string) => lintText([missingSlash], onServer(line))[0]?.fix?.edits.map(({ text }) => text);
    expect(fixed("RedirectMatch ^/old(.*)$ https://b.test/$1")).toEqual(["https://b.test$1"]);
    expect(fixed("RewriteRule ^ https://b.test/%{REQUEST_URI} [R]")).toEqual(["https://b.test%{REQUEST_URI}"]);
    expect(fixed("ProxyPass /api http://127.0.0.1:8080/")).toBeUndefined();
  });
});

describe("reports a test of a file without a slash", () => {
  const rule = "RewriteRule ^(.*)$ - [L]";

  test("in a directory", () => {
    const note = "here, `$1` does not begin with a slash: for `/page`, httpd tests `%{DOCUMENT_ROOT}/cachepage`";
    const text = `RewriteCond %{DOCUMENT_ROOT}/cache$1 -f\n${rule}`;
    expect(check(text, "htaccess")).toEqual([note]);
    expect(check(section("Directory /srv", text))).toEqual([note]);
    expect(check(text)).toEqual([]);
  });

  test.each([
    `RewriteCond %{DOCUMENT_ROOT}/$1 -f\n${rule}`,
    `RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} -f\n${rule}`,
    `RewriteCond %{DOCUMENT_ROOT}$1 a\n${rule}`,
    "RewriteCond %{DOCUMENT_ROOT}$1 -f\nRewriteRule (/.*)$ - [L]",
  ])("not %s", (text) => {
    expect(check(text, "htaccess")).toEqual([]);
  });
});

test.each(["/login.html", "/favicon.ico", "/exact$"])("%s is one path: nothing is appended", (path) => {
  expect(check(`ProxyPass ${path} http://127.0.0.1:8080/`)).toEqual([]);
});

test.each([
  ["Directory /srv", 1],
  ["Directory /srv/*/www", 0],
  ["Directory ~ ^/srv", 0],
  ["DirectoryMatch ^/srv", 0],
])("a pattern that may see the whole file name: <%s>", (name, count) => {
  expect(check(section(name, "RewriteRule ^(.*)$ https://b.test$1 [R,L]"))).toHaveLength(count);
});
