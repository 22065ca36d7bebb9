import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { failingErrorDocument } from "./failing-error-document.js";

const granted = section('Directory "/srv"', "Require all granted");
const site = { "/srv/index.html": "", "/srv/errors/404.html": "" };
const seen = (lines: readonly string[], files: Readonly<Record<string, string>> = site) =>
  findingsOf([failingErrorDocument], onServer(granted, `${lines.join("\n")}\n`), { files });

test("a document that does not exist", () => {
  expect(seen(["ErrorDocument 404 /404.html"])).toMatchObject([
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

test("a document that is denied", () => {
  const lines = ["ErrorDocument 404 /errors/404.html", section("Directory /srv/errors", "Require all denied")];
  expect(seen(lines)).toMatchObject([
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
  expect(seen(lines, files)).toEqual([]);
});
