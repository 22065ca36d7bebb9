import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { wrongErrorDocument } from "./wrong-error-document.js";

const rule = onlyVariant(wrongErrorDocument, "bypassed-error-document");
const head = [
  ...[
    "proxy",
    "proxy_http",
    "proxy_fcgi",
    "alias",
    "rewrite",
    "mime",
    "proxy_balancer",
    "slotmem_shm",
    "lbmethod_byrequests",
  ].map((name) => `LoadModule ${name}_module mod_${name}.so`),
  "Listen 80",
  section("Directory /srv", "Require all granted").trim(),
];
const document = "ErrorDocument 404 /404.html";
const files = {
  "/srv/www/index.html": "x",
  "/srv/www/index.php": "x",
  "/srv/www/404.html": "x",
  "/srv/www/read.conf": "",
};
const check = (...lines: readonly string[]) =>
  findingsOf(
    [rule],
    wholeServer(...head, section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv/www", ...lines)),
    {
      files,
    },
  );
const php = (handler = "proxy:fcgi://127.0.0.1:9000") =>
  section("FilesMatch \\.php$", `SetHandler "${handler}"`).trim();
const backend = "ProxyPass / http://127.0.0.1:8080/";

test("reports a document that a backend replaces", () => {
  expect(check(document, backend)).toMatchObject([
    {
      severity: "warning",
      text: document,
      message: "the error document of 404 is never used: a backend answers",
      help: ["add `ProxyErrorOverride On`", "or delete this line"],
    },
  ]);
});

test("reports a document that the pages of a program replace", () => {
  expect(check(document, php())).toMatchObject([
    {
      severity: "info",
      text: document,
      message: "the error document is not used for missing files such as `/no-such-page.php`",
      help: ["add `ProxyErrorOverride On`", 'or put the handler in `<If "-f %{REQUEST_FILENAME}">`'],
    },
  ]);
});

describe("reports a document beside", () => {
  test.each([
    ["ProxyPass with parameters", [document, "ProxyPass / http://127.0.0.1:8080/ retry=0"]],
    [
      "a balancer",
      [
        document,
        "ProxyPass / balancer://app/",
        section("Proxy balancer://app", "BalancerMember http://127.0.0.1:81").trim(),
      ],
    ],
    ["ProxyPassMatch", [document, "ProxyPassMatch ^/(.*)$ http://127.0.0.1:8080/$1"]],
    ["an override that is off", [document, "ProxyErrorOverride Off", backend]],
    ["a text", ['ErrorDocument 404 "no"', backend]],
    ["a URL", ["ErrorDocument 404 https://b.test/", backend]],
    ["a socket", [document, php("proxy:unix:/run/php.sock|fcgi://localhost")]],
    ["a handler of a directory", [document, section("Directory /srv/www", php()).trim()]],
    ["another document", [document, "ErrorDocument 500 /500.html", php()]],
    ["an exception for the document", ["ErrorDocument 404 /errors/404.html", "ProxyPass /errors/ !", backend]],
    ["an exception without a slash", ["ErrorDocument 404 /errors/404.html", "ProxyPass /errors !", backend]],
    ["an exception for the page only", [document, "ProxyPass /404.html !", backend]],
    [
      "a section for the document",
      ["ErrorDocument 404 /errors/404.html", section("Location /errors", "ProxyPass !").trim(), backend],
    ],
    [
      "an Alias for the document",
      ["ErrorDocument 404 /errors/404.html", "ProxyPass /errors !", "Alias /errors /srv/www", backend],
    ],
    ["a file that is read", [document, "Include /srv/www/read.conf", backend]],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toHaveLength(1);
  });
});

describe("does not report a document", () => {
  test.each([
    ["with an override", [document, "ProxyErrorOverride On", backend]],
    ["with an override for a code", [document, "ProxyErrorOverride On 404", backend]],
    ["with an override beside a handler", [document, "ProxyErrorOverride On", php()]],
    [
      "with a handler for files that exist",
      [
        document,
        section(
          "FilesMatch \\.php$",
          '<If "-f %{REQUEST_FILENAME}">',
          'SetHandler "proxy:fcgi://127.0.0.1:9000"',
          "</If>",
        ).trim(),
      ],
    ],
    [
      "with a front controller",
      [
        document,
        section(
          "Directory /srv/www",
          "RewriteEngine On",
          "RewriteCond %{REQUEST_FILENAME} !-f",
          "RewriteRule ^ index.php [L]",
        ).trim(),
        php(),
      ],
    ],
    ["of another path", [document, "ProxyPass /app http://127.0.0.1:8080/"]],
    [
      "with an exception for the document and another one",
      ["ErrorDocument 404 /errors/404.html", "ProxyPass /errors/ !", "ProxyPass /static !", backend],
    ],
    [
      "with an override and an exception for the document",
      ["ErrorDocument 404 /errors/404.html", "ProxyErrorOverride On", "ProxyPass /errors/ !", backend],
    ],
    ["with a path that is left out", [document, "ProxyPass /static !", backend]],
    ["with a challenge that is left out", [document, "ProxyPass /.well-known !", backend]],
    ["with a section", [document, section("Location /static", "ProxyPass !").trim(), backend]],
    ["of a failing backend", ["ErrorDocument 503 /503.html", backend]],
    ["of a denial", ["ErrorDocument 403 /403.html", backend]],
    ["that is the default", ["ErrorDocument 404 default", backend]],
    ["that another one replaces", [document, backend, section("Location /", "ErrorDocument 404 default").trim()]],
    ["without a backend", [document]],
    ["with a file that is not here", [document, "Include /srv/conf/static.conf", backend]],
    ["with files that are not here", [document, "IncludeOptional /srv/conf/*.conf", backend]],
    ["with a file that is not here, beside a program", [document, "IncludeOptional /srv/conf/*.conf", php()]],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });
});

test("in a part of a server, says what another file may set", () => {
  const site = section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv/www", document, backend);
  const [finding, ...more] = findingsOf([rule], site, { kind: "fragment" });
  expect([finding?.notes?.at(-1), more]).toEqual(["this holds unless another file sets `ProxyErrorOverride`", []]);
  const program = section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv/www", document, php());
  expect(findingsOf([rule], program, { kind: "fragment" })).toEqual([]);
});
