import { expect, test } from "vitest";
import { findingsOf, onServer } from "../../test/support/rules.js";
import { reflectedOrigin } from "./reflected-origin.js";

const copy = 'Header set Access-Control-Allow-Origin "%{OK}e" env=OK';
const credentials = "Header set Access-Control-Allow-Credentials true";
const check = (...lines: readonly string[]) => findingsOf([reflectedOrigin], onServer(`${lines.join("\n")}\n`));

test("reports a header that is copied unchanged", () => {
  expect(check('SetEnvIf Origin "(.*)" OK=$1', copy, credentials)).toEqual([
    {
      rule: "reflected-origin",
      severity: "warning",
      at: "3:1-3:55",
      text: copy,
      message: '`Header set Access-Control-Allow-Origin "%{OK}e"…` allows `https://evil.example`',
      notes: [
        "the response to GET `/index.html` from 203.0.113.9 with the header `Origin: https://evil.example` allows this origin",
        "pages of that site read responses with the cookies of its visitors",
      ],
      help: ["compare the whole origin: `^https://www\\.example\\.com$`"],
      related: [],
    },
  ]);
});

test("reports an info without credentials, as with `*`", () => {
  expect(check('SetEnvIf Origin "(.*)" OK=$1', copy).map(({ severity, notes }) => [severity, notes?.[1]])).toEqual([
    ["info", "pages of that site read responses without cookies, as with `*`"],
  ]);
});

test.each([
  ["a pattern without a beginning", ['SetEnvIf Origin "(.*example\\.com)$" OK=$1', copy], "https://evil-xexample.com"],
  [
    "a pattern without an end",
    ['SetEnvIfNoCase Origin "^(https?://(?:www\\.)?example\\.com.*)" OK=$1', copy],
    "http://example.comx.evil.example",
  ],
  [
    "an expression",
    ['SetEnvIf Origin "^https://example\\.com" OK', copy.replace('"%{OK}e"', "expr=%{req:Origin}")],
    "https://example.com.evil.example",
  ],
  [
    "an expression without a condition",
    ["Header always set Access-Control-Allow-Origin expr=%{HTTP:Origin}"],
    "https://evil.example",
  ],
  [
    "a rule",
    ["RewriteEngine On", 'RewriteCond "%{HTTP:Origin}" "(.+)"', 'RewriteRule "^" "-" [E=OK:%1]', copy],
    "https://evil.example",
  ],
])("reports %s", (_, lines, origin) => {
  expect(check(...lines).map(({ message }) => /allows (.*)/.exec(message)?.[1])).toEqual([`\`${origin}\``]);
});

test.each([
  ["a whole origin", ['SetEnvIf Origin "^(https://www\\.example\\.com)$" OK=$1', copy]],
  ["own subdomains", ['SetEnvIf Origin "^(https://[\\w-]+\\.example\\.com)$" OK=$1', copy]],
  ["a list of origins", ['SetEnvIf Origin "^https://(?:a|b)\\.example\\.com$" OK=$0', copy]],
  ["a value with only the part that matches", ['SetEnvIf Origin "example\\.com" OK=$0', copy]],
  ["a fixed origin", ['Header set Access-Control-Allow-Origin "https://www.example.com"']],
  ["every origin", ['Header set Access-Control-Allow-Origin "*"']],
  ["a variable of another program", ['Header set Access-Control-Allow-Origin "%{OTHER}e" env=OTHER']],
  ["a condition that is not met", ['SetEnvIf Origin "(.*)" OK=$1', copy.replace("env=OK", "env=TRUSTED")]],
  [
    "a later line that deletes the header",
    ['SetEnvIf Origin "(.*)" OK=$1', copy, "Header unset Access-Control-Allow-Origin"],
  ],
  ["another header", ['SetEnvIf Origin "(.*)" OK=$1', 'Header set X-Origin "%{OK}e"']],
  ["denied access", ['SetEnvIf Origin "(.*)" OK=$1', copy, "<Location />", "Require all denied", "</Location>"]],
  ["a server on the loopback address", ["Listen 127.0.0.1:80", 'SetEnvIf Origin "(.*)" OK=$1', copy]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});
