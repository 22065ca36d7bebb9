import { describe, expect, test } from "vitest";
import { findingsOf, fixFirst, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { wrongErrorDocument } from "./wrong-error-document.js";

const rule = onlyVariant(wrongErrorDocument, "hidden-error-page");
const given = { kind: "htaccess" } as const;
const check = (...lines: readonly string[]) => findingsOf([rule], `${lines.join("\n")}\n`, given);

test("reports a Redirect in place of an ErrorDocument", () => {
  expect(check("Redirect 404 /404.html")).toMatchObject([
    {
      text: "Redirect 404 /404.html",
      message: "`Redirect 404 /404.html` hides the error page instead of using it",
      notes: ["GET `/404.html` returns 404", "other requests with status 404 get the built-in page of httpd"],
      help: ["use `ErrorDocument 404 /404.html`"],
    },
  ]);
  expect(fixFirst(rule, "Redirect 404 /404.html\n", given)).toBe("ErrorDocument 404 /404.html\n");
});

test("reports a Redirect of the page that an ErrorDocument names", () => {
  expect(check("ErrorDocument 404 /missing.html", "Redirect 404 /missing.html")).toMatchObject([
    {
      text: "Redirect 404 /missing.html",
      message: "`Redirect 404 /missing.html` hides the page of `ErrorDocument`",
      notes: [
        "GET `/missing.html` returns 404, and httpd requests the document like any other URL",
        "requests with status 404 get the built-in page of httpd",
      ],
      help: ["delete this line"],
      related: [".htaccess:1:1: names the page"],
    },
  ]);
});

describe("reports", () => {
  test.each([
    ["403", ["Redirect 403 /errors/403.html"]],
    ["410", ["Redirect 410 /410.php"]],
    ["gone", ["Redirect gone /error-410.html"]],
    ["500", ['Redirect 500 "/error500.html"']],
    ["a pattern", ["RedirectMatch 404 ^/404\\.html$"]],
    ["another status of the document", ["ErrorDocument 403 /denied.html", "Redirect 404 /denied.html"]],
    ["the document after it", ["Redirect gone /gone.html", "ErrorDocument 410 /gone.html"]],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toHaveLength(1);
  });

  test("a virtual host", () => {
    const text = onServer(section("VirtualHost *:80", "Redirect 404 /404.html"));
    expect(findingsOf([rule], text)).toHaveLength(1);
  });
});

test("does not report a line for direct requests only", () => {
  const document = "ErrorDocument 404 /404.html";
  const direct = ['<If "-z %{reqenv:REDIRECT_STATUS}">', "Redirect 404 /404.html", "</If>"];
  expect(check(document, ...direct)).toEqual([]);
});

describe("does not report", () => {
  test.each([
    ["ErrorDocument", ["ErrorDocument 404 /404.html"]],
    ["a page that is to be hidden", ["Redirect 404 /secret.html"]],
    ["a page that is gone", ["Redirect 410 /old/page.html", "Redirect gone /2019/404-ways.html"]],
    ["a directory", ["Redirect 404 /404/"]],
    ["another number", ["Redirect 404 /1404.html", "Redirect 404 /4040.html"]],
    ["a page of another status", ["Redirect 404 /500.html"]],
    ["a redirect", ["Redirect 301 /404.html /"]],
    ["a pattern for several paths", ["RedirectMatch 404 ^/.*404\\.html$", "RedirectMatch 404 /404\\.html"]],
    ["a page about a number", ["Redirect 404 /404-ways-to-cook.html"]],
    ["a page of its own beside a document", ["ErrorDocument 404 /missing.html", "Redirect 404 /404.html"]],
    ["another page of an ErrorDocument", ["ErrorDocument 404 /missing.html", "Redirect 404 /secret.html"]],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });

  test("a document of another virtual host", () => {
    const one = section("VirtualHost *:80", "ServerName a.test", "Redirect 404 /missing.html");
    const other = section("VirtualHost *:80", "ServerName b.test", "ErrorDocument 404 /missing.html");
    expect(findingsOf([rule], onServer(one, other))).toEqual([]);
  });
});
