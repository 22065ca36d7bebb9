import { describe, expect, test } from "vitest";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { wrongErrorDocument } from "./wrong-error-document.js";

const textErrorDocument = onlyVariant(wrongErrorDocument, "text-error-document");

const check = (text: string) => findingsOf([textErrorDocument], text).map((finding) => finding.text);

describe("reports", () => {
  test.each([
    ["ErrorDocument 404 404.html", "404.html"],
    ["ErrorDocument 404 errors/404.php", "errors/404.php"],
    ['ErrorDocument 500 "error.html"', '"error.html"'],
  ])("%s", (line, text) => {
    expect(check(`${line}\n`)).toEqual([text]);
  });
});

describe("does not report", () => {
  test.each([
    "ErrorDocument 404 /404.html",
    "ErrorDocument 404 http://example.org/404.html",
    "ErrorDocument 404 Sorry",
    'ErrorDocument 404 "See 404.html"',
    "ErrorDocument 404 default",
    "ErrorDocument 404 example.org",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});

test("the fix adds a slash", () => {
  const [finding] = lintText([textErrorDocument], 'ErrorDocument 404 "404.html"\n');
  expect(finding?.fix?.edits[0]?.text).toBe('"/404.html"');
});

describe("the name of a host in place of a URL", () => {
  test.each([
    "www.example.com/404.html",
    "www.example.org",
    "example.org/",
    "errors.example.co.uk/x",
    "www.example.com:8080/",
  ])("is reported: %s", (value) => {
    const [finding] = findingsOf([textErrorDocument], `ErrorDocument 404 ${value}\n`);
    expect(finding?.help?.[0]).toBe(`use \`https://${value}\`, which redirects clients with status 302`);
  });

  test.each(['"see www.example.org"', '"www.example.org is down"', "https://www.example.org/", "/www.example.org/x"])(
    "is not reported: %s",
    (value) => {
      expect(check(`ErrorDocument 404 ${value}\n`)).toEqual([]);
    },
  );
});
