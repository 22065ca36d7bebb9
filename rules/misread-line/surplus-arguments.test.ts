import { describe, expect, test } from "vitest";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { misreadLine } from "./misread-line.js";

const surplusArguments = onlyVariant(misreadLine, "surplus-arguments");

const check = (text: string) => findingsOf([surplusArguments], text).map(({ message, help }) => [message, help]);

describe("reports", () => {
  // httpd 2.4.71 reads `On` and starts; the condition does not exist.
  test.each([
    ["RewriteEngine on RewriteCond %{HTTP_REFERER} !^$", "RewriteCond %{HTTP_REFERER} !^$", "RewriteEngine"],
    ["RewriteEngine On RewriteBase /", "RewriteBase /", "RewriteEngine"],
    ["ExpiresActive On ExpiresDefault A300", "ExpiresDefault A300", "ExpiresActive"],
  ])("the directive in `%s`", (line, rest, name) => {
    expect(check(`${line}\n`)).toEqual([
      [`httpd ignores \`${rest}\`: it is on the line of \`${name}\``, [`put \`${rest}\` on a line of its own`]],
    ]);
  });

  test.each([
    ["RewriteEngine On Off", "Off", "RewriteEngine"],
    ["ProxyPreserveHost On example.org", "example.org", "ProxyPreserveHost"],
    ["ProxyRequests Off ;", ";", "ProxyRequests"],
  ])("the words in `%s`", (line, rest, name) => {
    expect(check(`${line}\n`)).toEqual([
      [`httpd ignores \`${rest}\`: \`${name}\` has one argument`, ["delete the rest of the line"]],
    ]);
  });
});

describe("does not report", () => {
  test.each([
    ["a single argument", "RewriteEngine On"],
    ["a comment, which another check reports", "RewriteEngine On # rules"],
    ["other directives with two arguments", "SetEnv RewriteEngine On"],
    ["a directive that rejects another argument", "SSLEngine on x"],
  ])("%s", (_, line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});

test.each([
  ["  RewriteEngine On RewriteBase /\n", "  RewriteEngine On\n  RewriteBase /\n"],
  ["RewriteEngine On Off\n", "RewriteEngine On\n"],
])("fixes %j", (before, after) => {
  const [finding] = lintText([surplusArguments], before);
  const [edit] = finding?.fix?.edits ?? [];
  const text = edit && `${before.slice(0, edit.span.start)}${edit.text}${before.slice(edit.span.end)}`;
  expect(text).toBe(after);
});
