import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, section } from "../../test/support/rules.js";
import { wrongErrorDocument } from "./wrong-error-document.js";

const errorDocumentRedirect = onlyVariant(wrongErrorDocument, "error-document-redirect");

const check = (text: string, kind?: "htaccess") =>
  findingsOf([errorDocumentRedirect], `${text}\n`, kind ? { kind } : {}).map(({ message, help }) => [
    message,
    help?.[0],
  ]);

describe("reports an error that becomes a redirect", () => {
  test.each([
    ["ErrorDocument 404 https://www.example.org/docs/404.html", "404", "/docs/404.html"],
    ['ErrorDocument 403 "http://www.example.org"', "403", "/403.html"],
    ["ErrorDocument 500 https://www.example.org/?error", "500", "/500.html"],
  ])("%s", (line, status, path) => {
    const expected = [
      [
        `status ${status} becomes 302: \`ErrorDocument\` redirects to a URL`,
        `use a path of this server, such as \`${path}\``,
      ],
    ];
    expect(check(line)).toEqual(expected);
    expect(check(line, "htaccess")).toEqual(expected);
    expect(check(section("Directory /srv", line))).toEqual(expected);
  });
});

describe("does not report", () => {
  test.each([
    "ErrorDocument 404 /docs/404.html",
    'ErrorDocument 404 "Not here. See https://www.example.org/"',
    "ErrorDocument 404 default",
    "ErrorDocument 401 https://www.example.org/login",
    "ErrorDocument 404 404.html",
  ])("%s", (line) => {
    expect(check(line)).toEqual([]);
  });
});
