import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { guardRegexGivesUp } from "./guard-regex-gives-up.js";

const granted = section('Directory "/srv"', "Require all granted");
const check = (...lines: readonly string[]) =>
  findingsOf([guardRegexGivesUp], onServer(granted, `RewriteEngine On\n${lines.join("\n")}\n`));
const deny = (pattern: string, tag = "LocationMatch") => section(`${tag} "${pattern}"`, "Require all denied");
const many = "a".repeat(60);

test("reports nested repetition before another part", () => {
  expect(check(deny("/(a+)+/secret$"))).toEqual([
    {
      rule: "guard-regex-gives-up",
      severity: "warning",
      at: "6:1-6:33",
      text: '<LocationMatch "/(a+)+/secret$">',
      message: '`<LocationMatch "/(a+)+/secret$">` exceeds the PCRE match limit on some URLs',
      notes: [
        "httpd then treats the pattern as not matching",
        "GET `/a/secret` from 203.0.113.9 returns 403",
        `GET \`/${many}!/a/secret\` from 203.0.113.9 returns 200`,
      ],
      help: ["do not repeat a group that contains a repetition: `(a+)+` matches the same as `a+`"],
      related: [],
    },
  ]);
});

test.each([
  ["a character class", [deny("/([a-z0-9]+)*/secret$")]],
  ["a Location section with a pattern", [section('Location ~ "/(a+)+/secret$"', "Require all denied")]],
  ["mod_access_compat", [section('LocationMatch "/(a+)+/secret$"', "Deny from all")]],
  ["overlapping alternatives", [deny("/(a|aa)+/secret$")]],
  ["a rule", ['RewriteRule "/(a+)+/secret$" "-" [F]']],
  ["a rule with several flags", ['RewriteRule "/(?:a+)+/secret$" "-" [L,F]']],
])("reports %s", (_, lines) => {
  expect(check(...lines)).toHaveLength(1);
});

test.each([
  ["a repetition that is not nested", [deny("/a+/secret$")]],
  ["a repetition with a separator", [deny("/(a+/)+secret$")]],
  ["an anchored pattern, which PCRE tries only once", [deny("^/(a+)+/secret$")]],
  ["a possessive repetition", [deny("/(a++)+/secret$")]],
  ["an atomic group", [deny("/(?>a+)+/secret$")]],
  ["few repetitions", [deny("/(a{1,2}){1,2}/secret$")]],
  ["a section that allows every client", [section('LocationMatch "/(a+)+/secret$"', "Require all granted")]],
  ["another section that denies the URL", [deny("/(a+)+/secret$"), deny("secret$")]],
  ["a rule that redirects", ['RewriteRule "/(a+)+/secret$" "/login" [R]']],
  ["a rule of a directory", [section('Directory "/srv"', 'RewriteRule "(a+)+/secret$" "-" [F]')]],
  ["a server on the loopback address", ["Listen 127.0.0.1:80", deny("/(a+)+/secret$")]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});
