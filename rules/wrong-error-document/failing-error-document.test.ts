import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { wrongErrorDocument } from "./wrong-error-document.js";

const failingErrorDocument = onlyVariant(wrongErrorDocument, "failing-error-document");

const granted = section('Directory "/srv"', "Require all granted");
const site = { "/srv/index.html": "", "/srv/errors/404.html": "" };
const check = (lines: readonly string[], files: Readonly<Record<string, string>> = site) =>
  findingsOf([failingErrorDocument], onServer(granted, `${lines.join("\n")}\n`), { files });

test("reports a document that does not exist", () => {
  expect(check(["ErrorDocument 404 /404.html"])).toMatchObject([
    {
      text: "/404.html",
      message: "the error document `/404.html` does not exist",
      notes: [
        "GET `/404.html` from 203.0.113.9 returns 404",
        "clients get the built-in page, with a note about a second error",
      ],
    },
  ]);
});

test.each(["Listen 127.0.0.1:8080", "Listen [::1]:80", "<VirtualHost 127.0.0.1:80>"])(
  "reports it behind another server: %s",
  (line) => {
    const own = line.startsWith("<")
      ? [line, "ErrorDocument 404 /404.html", "</VirtualHost>"]
      : [line, "ErrorDocument 404 /404.html"];
    expect(check(own)).toMatchObject([{ text: "/404.html" }]);
    expect(check(own.map((each) => each.replace("/404.html", "/errors/404.html")))).toEqual([]);
  },
);

test("reports a document that is denied", () => {
  const lines = ["ErrorDocument 404 /errors/404.html", section("Directory /srv/errors", "Require all denied")];
  expect(check(lines)).toMatchObject([
    {
      message: "the error document `/errors/404.html` is denied",
      notes: [
        "GET `/no-such-page` from 203.0.113.9 returns 404, and its document 403",
        "clients get the built-in page, with a note about a second error",
      ],
    },
  ]);
});

test.each([
  ["a document that exists", ["ErrorDocument 404 /errors/404.html"], site],
  ["a document of an Alias", ["Alias /e /srv/errors", "ErrorDocument 404 /e/404.html"], site],
  [
    "an Alias to a file that is not on this disk",
    [
      "Alias /.none.html /usr/share/none/index.html",
      section("Directory /usr/share/none", "Require all granted"),
      "ErrorDocument 403 /.none.html",
    ],
    site,
  ],
  ["a text", ["ErrorDocument 404 missing"], site],
  ["a URL", ["ErrorDocument 404 https://a.test/404.html"], site],
  ["a query", ["ErrorDocument 404 /index.php?e=404"], site],
  [
    "a path that rules rewrite",
    ["ErrorDocument 404 /error", "RewriteEngine On", "RewriteRule ^/error$ /index.html"],
    site,
  ],
  ["a site that is not on this disk", ["ErrorDocument 404 /404.html"], {}],
])("does not report %s", (_, lines, files) => {
  expect(check(lines, files)).toEqual([]);
});

describe("a document that a rule denies", () => {
  const engine = "RewriteEngine On\n";
  const document = "ErrorDocument 403 /403.html\n";
  const badBot = "RewriteCond %{HTTP_USER_AGENT} bot [NC]\n";
  const checkRules = (text: string) =>
    findingsOf([failingErrorDocument], text, { kind: "htaccess" }).map(({ at, message, notes }) => [
      at,
      message,
      notes?.[2],
    ]);
  const message = "`RewriteRule` also denies the error document `/403.html`";
  const atRoot = "this holds if the file is in the document root";

  test.each([
    [`${engine}${document}RewriteRule ^ - [F]\n`, "3:1-3:20", atRoot],
    [`${engine}${document}${badBot}RewriteRule .* - [F,L]\n`, "4:1-4:23", atRoot],
    [`${engine}${document}RewriteCond %{REQUEST_URI} html$\nRewriteRule ^ - [F]\n`, "4:1-4:20", atRoot],
    [`${engine}RewriteBase /\n${document}RewriteRule \\.(html|ini)$ - [F]\n`, "4:1-4:32", undefined],
  ])("reports %j", (text, at, note) => {
    expect(checkRules(text)).toEqual([[at, message, note]]);
  });

  test("reports a rule in a virtual host", () => {
    const host = section("VirtualHost *", `${engine}${document}RewriteRule ^/ - [F]`);
    expect(findingsOf([failingErrorDocument], host)).toHaveLength(1);
  });

  test.each([
    `${document}RewriteRule ^ - [F]\n`,
    `${engine}${document}RewriteRule \\.ini$ - [F]\n`,
    `${engine}${document}RewriteRule !\\.html$ - [F]\n`,
    `${engine}${document}RewriteRule ^ - [G]\n`,
    `${engine}${document}RewriteRule ^403 - [L]\nRewriteRule ^ - [F]\n`,
    `${engine}${document}RewriteCond %{REQUEST_URI} !=/403.html\nRewriteRule ^ - [F]\n`,
    `${engine}${document}RewriteCond %{REQUEST_METHOD} !^GET$\nRewriteRule ^ - [F]\n`,
    `${engine}${document}RewriteCond %{QUERY_STRING} a\nRewriteRule ^ - [F]\n`,
    `${engine}${document}RewriteCond %{ENV:REDIRECT_STATUS} ^$\nRewriteRule ^ - [F]\n`,
    `${engine}RewriteBase /a/\n${document}RewriteRule ^ - [F]\n`,
    `${engine}ErrorDocument 403 denied\nRewriteRule ^ - [F]\n`,
  ])("does not report %j", (text) => {
    expect(checkRules(text)).toEqual([]);
  });

  test("the fix adds a condition", () => {
    const text = `${engine}${document}${badBot}RewriteRule ^ - [F]\n`;
    const [finding] = lintText([failingErrorDocument], text, { kind: "htaccess" });
    const fixed = finding?.fix ? applyEdits(text, finding.fix.edits) : "";
    expect(fixed).toBe(text.replace(badBot, `RewriteCond %{REQUEST_URI} !=/403.html\n${badBot}`));
    expect(checkRules(fixed)).toEqual([]);
  });
});

test("a rule for other methods does not hide one that denies its document", () => {
  const denied = ["ErrorDocument 403 /index.html", "RewriteEngine On"];
  const bad = ['RewriteCond %{HTTP_USER_AGENT} "bad"', "RewriteRule ^ - [F]"];
  const before = (condition: string) => [...denied, `RewriteCond ${condition}`, "RewriteRule .* - [L]", ...bad];
  expect(check([...denied, ...bad])).toHaveLength(1);
  expect(check(before("%{REQUEST_METHOD} ^TRACE$"))).toHaveLength(1);
  expect(check(before("%{HTTP:Upgrade} websocket"))).toHaveLength(1);
  expect(check(before("%{HTTP_USER_AGENT} bad"))).toEqual([]);
});

describe("a document that the same line denies", () => {
  const files = { "/srv/index.html": "", "/srv/errors/403.html": "" };
  const found = (...lines: readonly string[]) => check(lines, files).map(({ message }) => message);
  const all = (...lines: readonly string[]) => section("Location /", ...lines);

  // A server answers: "Additionally, a 403 Forbidden error was encountered".
  test.each([
    ["ErrorDocument 403 /errors/403.html", all("Require ip 10.0.0.0/8")],
    ["ErrorDocument 403 /errors/403.html", all("Require all denied")],
  ])("%s %s", (document, denial) => {
    expect(found(document, denial)).toEqual(["the error document `/errors/403.html` is denied, too"]);
    expect(found(document, denial, section("Location /errors", "Require all granted"))).toEqual([]);
  });

  test.each([
    ["another status", ["ErrorDocument 500 /errors/403.html", all("Require ip 10.0.0.0/8")]],
    ["another path", ["ErrorDocument 403 /errors/403.html", section("Location /admin", "Require ip 10.0.0.0/8")]],
    ["no denial", ["ErrorDocument 403 /errors/403.html"]],
  ])("not with %s", (_, lines) => {
    expect(found(...lines)).toEqual([]);
  });
});
