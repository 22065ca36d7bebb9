import { describe, expect, test } from "vitest";
import { startExploration } from "../../../src/proof/compare/exploration.js";
import { findExpressionConstants } from "../../../src/proof/compare/expression-constants.js";
import { readHostShape } from "../../../src/proof/compare/host-constants.js";
import { Renaming } from "../../../src/proof/compare/renaming.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import { loadText } from "../../support/projects.js";

describe("a renaming", () => {
  const renaming = Renaming.between({ words: ["a.test"], subnets: [] }, { words: ["b.test"], subnets: [] });

  test("affects texts with a constant that differs", () => {
    expect(renaming?.affects("/srv/a.test/x")).toBe(true);
    expect(renaming?.affects("/srv/b.test/x")).toBe(false);
  });
});

describe("a constant of an expression", () => {
  test("is the text that a header is compared with", () => {
    expect(findExpressionConstants("\"%{HTTP_HOST} == 'a.test'\"")).toEqual({
      text: "\"%{HTTP_HOST} == '\0'\"",
      words: ["a.test"],
    });
  });

  test("twin: is not a text with the form of such a test", () => {
    const quoted = "\"'%{HTTP_HOST} == ' == 'a.test'\"";
    expect(findExpressionConstants(quoted)).toEqual({ text: quoted, words: [] });
  });
});

describe("the shape of a host", () => {
  /** Returns the text of the shape of a virtual host with a line, and its constants. */
  function shapeOf(line: string, readsBackends = false) {
    const project = loadText(`<VirtualHost *:80>\nServerName a.test\n${line}\n</VirtualHost>\n`, {
      kind: "server",
      release: "2.4",
    });
    const side = { project, semantics: "server" } as const;
    const [pair] = startExploration(side, side, defaultBudget).serverPairs;
    const entryPoint = pair?.entryPoints[0];
    if (pair === undefined || entryPoint === undefined) throw new Error("no host");
    return readHostShape(pair.servers[0], entryPoint, project, [], readsBackends);
  }

  const inPattern = (pattern: string) => `SetEnvIf User-Agent "${pattern}" x\nDeny from env=x`;

  test("contains the words of a pattern that are a part of its syntax", () => {
    expect(shapeOf(inPattern("^x\\d")).text).not.toBe(shapeOf(inPattern("^x\\w")).text);
    expect(shapeOf(inPattern("[a-f]")).text).not.toBe(shapeOf(inPattern("[a-g]")).text);
    // An escaped backslash, and any character.
    expect(shapeOf(inPattern("x\\\\\\\\.b")).text).not.toBe(shapeOf(inPattern("x\\\\\\\\-b")).text);
  });

  test("contains a line with a path that the server resolves", () => {
    expect(shapeOf("Alias /x /www/b/../c").text).not.toBe(shapeOf("Alias /x /www/d/../c").text);
    expect(shapeOf("Alias /x /www/b/c").text).toBe(shapeOf("Alias /x /www/d/c").text);
  });

  test("twin: leaves out the other words", () => {
    const [shape, other] = [shapeOf(inPattern("^one\\.test")), shapeOf(inPattern("^two\\.test"))];
    expect(shape.text).toBe(other.text);
    expect([shape.words, other.words].map((words) => words.slice(-2))).toEqual([
      ["one", ".test"],
      ["two", ".test"],
    ]);
  });

  const rule = (...lines: readonly string[]) => ["RewriteEngine on", ...lines].join("\n");
  /** Lines with the name of a host, which two hosts of one template have. */
  const ofOneTemplate: readonly ((name: string) => string)[] = [
    (name) => `Redirect permanent / https://www.${name}.test/`,
    (name) => `RedirectMatch ^/old/(.*)$ https://${name}.test/${name}/$1`,
    (name) => `Redirect 410 /${name}/old`,
    (name) => `RedirectMatch 301 ^/old$ https://${name}.test/`,
    (name) => `<Location /x>\nRedirect permanent https://${name}.test/\n</Location>`,
    (name) => `AliasMatch ^/files/(.*)$ /srv/${name}/files/$1`,
    (name) => `WSGIScriptAlias / /srv/${name}/app.wsgi`,
    (name) => `FallbackResource /${name}/index.php`,
    (name) => `ErrorDocument 404 /errors/${name}.html`,
    (name) => `ErrorDocument 403 https://${name}.test/denied`,
    (name) => `ProxyPass /app http://${name}.internal:80${name.length}0/app retry=0`,
    (name) => `ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:90${name.length}0/srv/${name}/$1`,
    (name) => `SetHandler "proxy:unix:/run/php/${name}.sock|fcgi://${name}"`,
    (name) => rule(`RewriteCond %{SERVER_NAME} =www.${name}.test`, "RewriteRule ^/x - [F]"),
    (name) => rule(`RewriteCond %{HTTP_HOST} !=${name}.test [NC]`, "RewriteRule ^/x - [F]"),
    (name) => rule(`RewriteCond %{HTTP_REFERER} !^https?://(www\\.)?${name}\\.test`, "RewriteRule \\.gif$ - [F]"),
    (name) => rule(`RewriteCond /srv/${name}/down -f`, "RewriteRule ^ - [R=503,L]"),
    (name) => rule(`RewriteRule ^ https://www.${name}.test%{REQUEST_URI} [R=301,L]`),
    (name) => rule(`RewriteRule ^/app/(.*)$ http://${name}.internal:8080/$1 [P,L]`),
    (name) => rule(`RewriteRule ^/(.*)$ /srv/${name}/web/$1 [L]`),
    (name) => rule(`RewriteBase /${name}/`),
  ];

  test.each(ofOneTemplate.map((line) => line("one")))("has the name in a line as a constant: %j", (one) => {
    const two = one.replaceAll("one", "two");
    expect(shapeOf(one).text).toBe(shapeOf(two).text);
  });

  /** Lines with a part that counts in another way than as a whole name. */
  const apart: readonly (readonly [string, string])[] = [
    ["Redirect / https://www.one.test/", "Redirect / /one/"],
    ["RedirectMatch ^/one/(.*)$ https://a.test/$1", "RedirectMatch ^/two/(.*)$ https://a.test/$1"],
    ["RedirectMatch 403 http://a:1/|^/one/", "RedirectMatch 403 http://a:1/|^/two/"],
    ["RedirectMatch http://a:1/|^/one/ https://a.test/", "RedirectMatch http://a:1/|^/two/ https://a.test/"],
    ["RedirectMatch /one https://a.test/", "RedirectMatch /two https://a.test/"],
    ["RedirectMatch ^/(.*)$ https://a.test/$1", "RedirectMatch ^/(.*)$ https://a.test/%{HTTP:X}"],
    ["AliasMatch ^/files/(.*)$ /srv/one$1", "AliasMatch ^/files/(.*)$ /srv/two$1"],
    ["ErrorDocument 403 one", "ErrorDocument 403 two"],
    ["ErrorDocument 404 /one.html", "ErrorDocument 404 http://a.test/one.html"],
    ["ProxyPass /app http://one.internal:8080/", "ProxyPass /app http://two.internal:99999/"],
    ["ProxyPass /app http://one.internal/", "ProxyPass /app https://two.internal/"],
    ["ProxyPassMatch ^/(.*)$ http://one$1", "ProxyPassMatch ^/(.*)$ http://two$1"],
    ["SetHandler server-status", "SetHandler server-info"],
    [
      rule("RewriteCond %{SERVER_NAME} >one.test", "RewriteRule ^ - [F]"),
      rule("RewriteCond %{SERVER_NAME} >two.test", "RewriteRule ^ - [F]"),
    ],
    [
      rule("RewriteCond %{SERVER_NAME} ^one", "RewriteRule ^ - [F]"),
      rule("RewriteCond %{SERVER_NAME} ^two", "RewriteRule ^ - [F]"),
    ],
    [
      rule("RewriteCond %{QUERY_STRING} =one", "RewriteRule ^ - [F]"),
      rule("RewriteCond %{QUERY_STRING} =two", "RewriteRule ^ - [F]"),
    ],
    [rule("RewriteRule ^/x http://one.test/ [R]"), rule("RewriteRule ^/x http://two.test/ [R]")],
    [rule("RewriteRule ^/x /one$1"), rule("RewriteRule ^/x /two$1")],
    [rule("RewriteRule ^/x /a?one"), rule("RewriteRule ^/x /a?two")],
    [rule("RewriteRule ^/x /${m:/one/a}"), rule("RewriteRule ^/x /${m:/two/a}")],
    [rule("RewriteCond %{HTTP_REFERER} (?i)a"), rule("RewriteCond %{HTTP_REFERER} (?m)a")],
  ];

  test.each(apart)("twin: contains %j", (one, two) => {
    expect(shapeOf(one).text).not.toBe(shapeOf(two).text);
  });

  test("contains the URLs of backends if a line reads some of them", () => {
    const shapes = ["one", "two"].map((name) => shapeOf(`ProxyPass / http://${name}.internal/`, true).text);
    expect(shapes[0]).not.toBe(shapes[1]);
  });
});
