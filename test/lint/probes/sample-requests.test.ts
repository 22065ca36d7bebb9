import { describe, expect, test } from "vitest";
import type { Project } from "../../../src/config/model/project.js";
import type { Scope } from "../../../src/config/model/scope.js";
import { walkProject } from "../../../src/config/queries/walker.js";
import { inspectorOf } from "../../../src/lint/probes/inspector.js";
import { createRequestsBeside, createRequestsInto } from "../../../src/lint/probes/sample-requests.js";
import { describeRequest } from "../../../src/server/model/request.js";
import { encodeUrlPath } from "../../../src/text/escaping.js";
import { serverOf } from "../../support/directives.js";
import { onServer, section } from "../../support/rules.js";

const deny = "Deny from all";

/** Returns the innermost scopes with a Deny. */
function scopesOf(project: Project): readonly Scope[] {
  const found: Scope[] = [];
  walkProject(project, [{ scope: { holding: ["deny"], visit: (scope) => found.push(scope) } }], () => 0);
  return found.filter(({ content, directives }) => [...content, ...directives].some(({ key }) => key === "deny"));
}

/** Returns the requests that reach the scopes with a Deny. */
function requestsInto(text: string, files?: Readonly<Record<string, string>>): readonly string[] {
  const project = serverOf(text, files);
  return scopesOf(project).map((scope) => {
    const situation = inspectorOf(project).findProbeContext(scope);
    return situation ? describeRequest(situation.request) : "none";
  });
}

describe("finds a request for", () => {
  test.each([
    ["Directory", section('Directory "/srv/a b/ü"', deny), "GET `/a%20b/%c3%bc/index.html`"],
    ["Directory with wildcards", section('Directory "/srv/*/data"', deny), "GET `/x/data/index.html`"],
    ["Directory above the document root", section('Directory "/"', deny), "GET `/index.html`"],
    ["Directory ~", section('Directory ~ "^/srv/(a|b)/"', deny), "GET `/a/index.html`"],
    ["DirectoryMatch", section('DirectoryMatch "^/srv/[^/]+/private"', deny), "GET `/x/private`"],
    ["DirectoryMatch with an end anchor", section('DirectoryMatch "/\\.git$"', deny), "GET `/.git`"],
    ["DirectoryMatch without anchors", section('DirectoryMatch "private/"', deny), "GET `/private/index.html`"],
    ["Files", section('Files "*.bak"', deny), "GET `/x.bak`"],
    ["FilesMatch", section('FilesMatch "\\.(?:jpe?g|png)$"', deny), "GET `/x.jpg`"],
    ["FilesMatch with a start anchor", section('FilesMatch "^\\.ht"', deny), "GET `/.ht`"],
    ["Files ~", section('Files ~ "~$"', deny), "GET `/~`"],
    ["Files in Directory", section('Directory "/srv/a"', section("Files x.php", deny)), "GET `/a/x.php`"],
    ["Location", section("Location /server-status", deny), "GET `/server-status`"],
    ["Location with a slash", section("Location /a/", deny), "GET `/a/`"],
    ["Location of the root", section("Location />", deny).replace("/>>", "/>"), "GET `/index.html`"],
    ["Location with wildcards", section("Location /a/*/b", deny), "GET `/a/x/b`"],
    ["LocationMatch", section('LocationMatch "^/(?i)ADMIN/\\d+"', deny), "GET `/ADMIN/0`"],
    [
      "the target of Alias",
      `Alias /icons /usr/share/icons\n${section('Directory "/usr/share/icons/small"', deny)}`,
      "GET `/icons/small/index.html`",
    ],
    [
      "a Directory above the target of Alias",
      `Alias /icons/ /usr/share/icons/\n${section('Directory "/usr/share"', deny)}`,
      "GET `/icons/index.html`",
    ],
    [
      "the target of ScriptAlias",
      `ScriptAlias /bin/ /usr/lib/bin/\n${section('Directory "/usr/lib/bin"', deny)}`,
      "GET `/bin/index.html`",
    ],
    ["Limit", section("Location /a", "<Limit POST PUT>", deny, "</Limit>"), "POST `/a`"],
    ["LimitExcept", section("Location /a", "<LimitExcept GET HEAD>", deny, "</LimitExcept>"), "POST `/a`"],
    ["all methods", section("Location /a", "<Limit POST>", deny, "</Limit>", deny), "GET `/a`"],
  ])("%s", (_, text, request) => {
    expect(requestsInto(onServer(text))).toEqual([`${request} from 203.0.113.9`]);
  });

  test.each([
    ["by its name", "VirtualHost *:80", ["ServerName http://a.test:8080"], "`http://a.test/a`"],
    ["by an alias without a wildcard", "VirtualHost *", ["ServerAlias *.b.test c.test"], "`http://c.test/a`"],
    ["by its address and port", "VirtualHost 192.0.2.1:8080", [], "`http://192.0.2.1:8080/a`"],
    ["by an IPv6 address", "VirtualHost [2001:db8::1]", [], "`http://[2001:db8::1]/a`"],
    ["by TLS", "VirtualHost *:443", ["SSLEngine on", "ServerName a.test"], "`https://a.test/a`"],
  ])("a virtual host, %s", (_, tag, lines, url) => {
    const host = section(tag, ...lines, section("Location /a", deny).trimEnd());
    expect(requestsInto(onServer(host))).toEqual([`GET ${url} from 203.0.113.9`]);
  });

  test("a Directory of the main server, in the virtual host with its document root", () => {
    const hosts = ["a", "b", "c", "d", "e"].map((name) =>
      section("VirtualHost *:80", `ServerName ${name}.test`, `DocumentRoot /srv/${name}`),
    );
    expect(requestsInto(`${section('Directory "/srv/e/x"', deny)}${hosts.join("")}`)).toEqual([
      "GET `http://e.test/x/index.html` from 203.0.113.9",
    ]);
  });

  test("a `.htaccess` file, and a section in one", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All"));
    expect(requestsInto(main, { "/srv/a/.htaccess": `${deny}\n` })).toEqual(["GET `/a/index.html` from 203.0.113.9"]);
    expect(requestsInto(main, { "/srv/a/.htaccess": section("Files x", deny) })).toEqual([
      "GET `/a/x` from 203.0.113.9",
    ]);
  });

  test.each([
    ["a directory outside of the document root", section('Directory "/other"', deny)],
    ["a relative path", section('Directory "srv"', deny)],
    ["an unsupported pattern", section('LocationMatch "^/(?!a)"', deny)],
    ["Files that never match", section("Files a/b", deny)],
    [
      "an unknown document root",
      section("VirtualHost *", 'DocumentRoot "${ROOT}/a"', section("Location /a", deny).trimEnd()),
    ],
    ["a path with a Redirect", `Redirect /a http://b.test/\n${section("Location /a", deny)}`],
  ])("twin: none for %s", (_, text) => {
    expect(requestsInto(onServer(text))).toEqual(["none"]);
  });
});

test("finds a request for a `.htaccess` file in each server that may read it", () => {
  const host = section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv/a");
  const project = serverOf(onServer(host), { "/srv/a/b/.htaccess": "Options None\n" });
  const [file] = project.htaccess;
  const found = file ? createRequestsBeside(file, project, "192.0.2.7").map(describeRequest) : [];
  expect(found).toEqual(["GET `/a/b/index.html` from 192.0.2.7", "GET `http://a.test/b/index.html` from 192.0.2.7"]);
});

test("finds no request if no path is known", () => {
  const project = serverOf(section('Directory "/srv"', deny));
  const [scope] = scopesOf(project);
  expect(scope && createRequestsInto(scope, project, "192.0.2.7")).toEqual([]);
});

test("encodes paths as clients do", () => {
  expect(encodeUrlPath("/a b/\u00e9?#%[x]&=~")).toBe("/a%20b/%e9%3f%23%25%5bx%5d&=~");
  expect(encodeUrlPath("/\u20ac")).toBe("/%E2%82%AC");
});
