import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { bobAuthentication, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findDifferingAnswers } from "./differing-answers.js";

const conditions = [
  ...["%{HTTP:Authorization} .", "%{HTTP:Authorization} ^$", "%{HTTP:Authorization} !^$", '%{HTTP:Authorization} ""'],
  ...["%{HTTP:Authorization} ^Basic", "%{HTTP:Authorization} ^bearer [NC]", '%{HTTP:authorization} "^Basic YWw6"'],
  ...['%{HTTP:Authorization} =""', '%{HTTP:Authorization} !=""', "%{HTTP:Authorization} ^(.*)$"],
  ...["%{HTTP_AUTHORIZATION} .", "x%{HTTP:Authorization} ^x."],
  ...[`expr "-n req('Authorization')"`, `expr "-z %{HTTP:Authorization}"`, `expr "-T req('authorization')"`],
  ...[`expr "%{HTTP:Authorization} =~ /^Basic /"`, `expr "%{HTTP:Authorization} !~ /^Basic /"`],
  ...[`expr "req('authorization') == ''"`, `expr "req('authorization') != 'no'"`],
  ...[`expr "'x' . req('authorization') == ''"`],
];

/** Conditions with unknown results: the last operand of a concatenation may have any value. */
const openConditions = ["/c11", "/c19"];

const setters = [
  ...["SetEnvIf Authorization . any", "SetEnvIf Authorization ^Basic basic", "SetEnvIf Authorization ^Bearer bearer"],
  ...[
    'SetEnvIf Authorization "(.*)" HTTP_AUTHORIZATION=$1',
    "SetEnvIf ^Auth . pattern",
    "SetEnvIf Authorization ^$ no",
  ],
  ...["SetEnvIf HTTP_AUTHORIZATION ^$ empty", "SetEnvIf Authorization Basic plain=$1", "SetEnvIf plain ^.1$ text"],
];
const variables = ["any", "basic", "bearer", "HTTP_AUTHORIZATION", "pattern", "no", "empty", "text"];

const lines = [
  "RewriteEngine On",
  ...conditions.flatMap((condition, index) => [`RewriteCond ${condition}`, `RewriteRule ^/c${index}$ - [F]`]),
  ...setters,
  ...variables.flatMap((name) => [`<Location /e-${name}>`, `Require env ${name}`, "</Location>"]),
  ...["RewriteRule ^/set - [E=A:%{HTTP:Authorization}]", "RewriteCond %{ENV:A} ^Basic", "RewriteRule ^/set1 - [F]"],
  ...["RewriteRule ^/set2 - [E=A:]", "RewriteCond %{ENV:A} ^$", "RewriteRule ^/set2 - [F]"],
  ...["<Location /set3>", "Require env A", "</Location>"],
  ...["<Location /set4>", `Require expr "-n reqenv('A')"`, "</Location>"],
  ...["<Location /in>", ...bobAuthentication, "Require valid-user", "</Location>"],
  ...["<Location /in/e>", `Require expr "-n req('Authorization')"`, "</Location>"],
  ...[`<If "-n req('Authorization')">`, "SetEnvIf X-None ^$ inner", "</If>"],
  ...["<Location /if>", "Require env inner", "</Location>"],
];

const modules = ["authn_core", "authz_core", "authn_file", "auth_basic", "authz_user", "rewrite", "setenvif"];

describe.skipIf(!httpd)(liveTitle("the Authorization header of a user"), () => {
  test("decides conditions and variables that do not depend on the password", async () => {
    const paths = [
      ...conditions.map((_, index) => `/c${index}`),
      ...variables.map((name) => `/e-${name}`),
      ...["/set1", "/set2", "/set3", "/set4", "/in", "/in/e", "/if"],
    ];
    await withRunningHttpd(modules, lines, async (running) => {
      const none = paths.map((path) => ({ path }));
      expect(await findDifferingAnswers(running, none)).toEqual([]);
      for (const user of ["bob", "al", "carol"]) {
        const requests = paths.map((path) => ({ path, user }));
        expect(await findDifferingAnswers(running, requests, { open: [...openConditions, "/e-empty"] })).toEqual([]);
      }
    });
  }, 60_000);
});
