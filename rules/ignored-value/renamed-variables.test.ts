import { describe, expect, test } from "vitest";
import { findingsOf, fixFirst } from "../../test/support/rules.js";
import { ignoredValue } from "./ignored-value.js";

const given = { kind: "htaccess" } as const;
const textOf = (...lines: readonly string[]) => `RewriteEngine On\n${lines.join("\n")}\n`;
const check = (...lines: readonly string[]) => findingsOf([ignoredValue], textOf(...lines), given);
const rule = "RewriteRule ^v[0-9]+/(.+)$ assets/$1 [E=longcache:1,L]";
const header = (condition: string) => `Header set Cache-Control "max-age=31536000" ${condition}`;

test("reports a variable that an internal redirect renames", () => {
  expect(check(rule, header("env=longcache"))).toMatchObject([
    {
      text: "env=longcache",
      message: "`longcache` is not set any more when httpd applies this line",
      notes: [
        expect.stringMatching(
          /^a request such as `\/v0\/\w+` leads to `\/assets\/\w+`: after .* the name `REDIRECT_longcache`$/,
        ),
        "the line never applies",
      ],
      help: ["use `env=REDIRECT_longcache`"],
      related: [".htaccess:2:1: sets the variable, and leads to another path"],
    },
  ]);
  const fixed = textOf(rule, header("env=REDIRECT_longcache"));
  expect(fixFirst(ignoredValue, textOf(rule, header("env=longcache")), given)).toBe(fixed);
});

describe("reports", () => {
  test.each([
    ["a negation", [rule, header("env=!longcache")], "env=!REDIRECT_longcache"],
    ["END", [rule.replace("L]", "END]"), header("env=longcache")], "env=REDIRECT_longcache"],
    ["a line before the rule", [header("env=longcache"), rule], "env=REDIRECT_longcache"],
    ["a value", [rule, 'Header set X-A "a %{longcache}e"'], "a %{REDIRECT_longcache}e"],
    ["a request header", [rule, "RequestHeader set X-A 1 env=longcache"], "env=REDIRECT_longcache"],
    [
      "a front controller",
      [
        "RewriteCond %{REQUEST_FILENAME} !-f",
        "RewriteRule ^api/ index.php [E=cors:1,L]",
        'Header set Access-Control-Max-Age "9" env=cors',
      ],
      "env=REDIRECT_cors",
    ],
    [
      "two rules",
      [rule, "RewriteRule ^w/(.+)$ assets/$1 [E=longcache:1,L]", header("env=longcache")],
      "env=REDIRECT_longcache",
    ],
  ])("%s", (_, lines, remedy) => {
    expect(check(...lines).map(({ help }) => help)).toEqual([[`use \`${remedy}\``]]);
  });
});

describe("a variable of the path", () => {
  const setter = "SetEnvIf Request_URI ^/v[0-9] longcache";
  const plain = rule.replace("E=longcache:1,", "");

  test("is renamed by a rule that changes the path", () => {
    expect(check(setter, plain, header("env=longcache"))).toMatchObject([
      {
        text: "env=longcache",
        notes: [
          expect.stringContaining("a request such as `/v0/page` leads to `/assets/page`"),
          "the line does not apply to the result",
        ],
        help: ["use `env=REDIRECT_longcache`"],
        related: [".htaccess:3:1: leads to another path"],
      },
    ]);
  });

  test.each([
    [
      "if only missing files are rewritten",
      [setter, "RewriteCond %{REQUEST_FILENAME} !-f", plain, header("env=longcache")],
    ],
    ["of the result", [setter.replace("^/v[0-9]", "/"), plain, header("env=longcache")]],
    ["of both paths", [setter, "SetEnvIf Request_URI ^/assets longcache", plain, header("env=longcache")]],
    ["of a header", [setter.replace("Request_URI", "Referer"), plain, header("env=longcache")]],
    ["of another path", [setter.replace("/v", "/w"), plain, header("env=longcache")]],
    ["with its name after it", [setter, plain, header("env=REDIRECT_longcache")]],
    ["without rules", [setter, header("env=longcache")]],
  ])("is not reported %s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });
});

describe("does not report", () => {
  test.each([
    ["the name after the redirect", [rule, header("env=REDIRECT_longcache")]],
    ["both names", [rule, header("env=longcache"), 'Header set X-A "1" env=REDIRECT_longcache']],
    ["a rule that stays", ["RewriteRule ^v[0-9]+/ - [E=longcache:1]", header("env=longcache")]],
    ["a rule that applies again", ["RewriteRule ^(.*)$ index.php [E=longcache:1]", header("env=longcache")]],
    [
      "another rule that applies to the result",
      [rule, "RewriteRule ^assets/ - [E=longcache:1]", header("env=longcache")],
    ],
    ["another line that sets it", [rule, "SetEnvIf Request_URI ^/assets/ longcache", header("env=longcache")]],
    ["SetEnv", [rule, "SetEnv longcache 1", header("env=longcache")]],
    ["a line that renames it", [rule, "SetEnvIf REDIRECT_longcache 1 longcache=1", header("env=longcache")]],
    ["another variable", [rule, "SetEnv other 1", header("env=other")]],
    ["a redirect of the client", ["RewriteRule ^a$ /b [E=longcache:1,R,L]", header("env=longcache")]],
    ["rules that are off", ["RewriteEngine Off", rule, header("env=longcache")]],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });

  test("rules of a server", () => {
    const server = `<VirtualHost *:80>\nRewriteEngine On\nRewriteRule ^/v/(.+)$ /assets/$1 [E=a:1]\nHeader set X-A 1 env=a\n</VirtualHost>\n`;
    expect(findingsOf([ignoredValue], server)).toEqual([]);
  });
});
