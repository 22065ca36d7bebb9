import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { limitLeavesMethodsOpen } from "./limit-leaves-methods-open.js";

const check = (text: string, given?: Given) => findingsOf([limitLeavesMethodsOpen], text, given);
const members = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];
const limited = (tag: string, ...lines: readonly string[]) => section(tag, ...lines).trimEnd();
const at = (...lines: readonly string[]) => section("Location /a", ...lines);
const denied = ["Order deny,allow", "Deny from all"];

test("reports unlisted methods that bypass the rules for the listed ones", () => {
  expect(check(onServer(at(...members, limited("Limit GET POST", "Require valid-user"))))).toEqual([
    {
      rule: "limit-leaves-methods-open",
      severity: "warning",
      at: "6:1-6:17",
      text: "<Limit GET POST>",
      message: "`<Limit GET POST>` does not restrict PUT requests",
      notes: ["PUT `/a` from 203.0.113.9 is allowed", expect.stringMatching(/^GET `\/a` from 203\.0\.113\.9 \w+ 401$/)],
      help: [
        "move the lines out of the section to apply them to every method",
        "or use `<LimitExcept>` with the methods to leave open",
      ],
      related: ["httpd.conf:7:1: applies to these methods only"],
    },
  ]);
});

/** Returns the allowed request. */
const findAllowed = (text: string, given?: Given) =>
  check(text, given).map(({ notes = [] }) => /^(.*) is allowed$/.exec(notes[0] ?? "")?.[1]);

describe.each(["2.2", "2.4"] as const)("reports a request that %s allows", (release) => {
  test.each([
    ["methods that mod_access_compat does not deny", at(limited("Limit GET", ...denied)), "POST `/a` from 203.0.113.9"],
    ["HEAD, which includes GET", at(limited("Limit HEAD", ...denied)), "POST `/a` from 203.0.113.9"],
    ["a method that is not listed", at(limited("Limit GET POST PUT", ...denied)), "DELETE `/a` from 203.0.113.9"],
    ["denied addresses", at(limited("Limit GET POST", "Deny from 10.1")), "PUT `/a` from 10.1.0.1"],
    [
      "clients that a variable denies",
      at(limited("Limit GET POST", "Order allow,deny", "Allow from all", "Deny from env=bot")),
      "PUT `/a` from 203.0.113.9 with `bot` set",
    ],
    [
      "an outer Order that does not restrict other methods",
      at("Order allow,deny", "Allow from all", ...members, limited("Limit GET POST", "Require valid-user")),
      "PUT `/a` from 203.0.113.9",
    ],
    [
      "a required user with an allowed address",
      at(...denied, "Allow from 10.1", ...members, limited("Limit GET", "Require valid-user")),
      "POST `/a` from 10.1.0.1",
    ],
    [
      "a section that replaces the rule for every method",
      section('Directory "/srv"', ...members, "Require valid-user") + at(limited("Limit GET", "Require user bob")),
      "POST `/a` from 203.0.113.9",
    ],
    [
      "all write methods but one",
      at(...members, limited("Limit POST PUT DELETE", "Require valid-user")),
      "PATCH `/a` from 203.0.113.9",
    ],
    [
      "write methods without PUT",
      at(...members, limited("Limit POST DELETE PROPPATCH", "Require valid-user")),
      "PUT `/a` from 203.0.113.9",
    ],
    [
      "two sections that leave the same method open, once",
      at(limited("Limit GET", ...denied), limited("Limit POST", ...denied)),
      "PUT `/a` from 203.0.113.9",
    ],
    [
      "a LimitExcept that does not deny the method",
      at(limited("Limit GET", ...denied), limited("LimitExcept GET POST PATCH", ...denied)),
      "POST `/a` from 203.0.113.9",
    ],
  ])("for %s", (_, text, request) => {
    expect(findAllowed(onServer(text), { release })).toEqual([request]);
  });

  test("in a virtual host, a directory, files and a `.htaccess` file", () => {
    const get = limited("Limit GET", ...denied);
    const host = section("VirtualHost *:80", "ServerName a.test", at(get).trimEnd());
    const text = onServer(host, section('Directory "/srv/b"', get), section('FilesMatch "\\.inc$"', get));
    expect(findAllowed(text, { release })).toEqual([
      "POST `http://a.test/a` from 203.0.113.9",
      "POST `/b/index.html` from 203.0.113.9",
      "POST `/x.inc` from 203.0.113.9",
    ]);
    const main = onServer(section('Directory "/srv"', "AllowOverride All"));
    expect(findAllowed(main, { release, files: { "/srv/.htaccess": `${get}\n` } })).toEqual([
      "POST `/index.html` from 203.0.113.9",
    ]);
  });
});

describe.each(["2.2", "2.4"] as const)("does not report for %s", (release) => {
  test.each([
    ["the same directives without Limit", at(...members, "Require valid-user")],
    ["LimitExcept, which lists the open methods", at(...members, limited("LimitExcept GET", "Require valid-user"))],
    ["a Limit that only allows", at(limited("Limit GET POST", "Order allow,deny", "Allow from all"))],
    [
      "a LimitExcept that denies the rest",
      at(limited("Limit GET POST", "Order allow,deny", "Allow from 10"), limited("LimitExcept GET POST", ...denied)),
    ],
    [
      "a second Limit that denies the rest",
      at(limited("Limit GET", ...denied), limited("Limit POST PUT DELETE PATCH", ...denied)),
    ],
    [
      "a LimitExcept that allows the rest",
      at(limited("Limit GET", ...denied), limited("LimitExcept GET", "Order allow,deny", "Allow from all")),
    ],
    [
      "a Require outside of the section",
      at(...members, "Require valid-user", limited("Limit GET", "Require user bob")),
    ],
    [
      "mod_access_compat directives outside of the section",
      at(...members, "Order allow,deny", limited("Limit GET", "Require valid-user")),
    ],
    [
      "an outer section with the other kind of access control",
      section('Directory "/srv"', ...members, "Require valid-user") + at(limited("Limit GET", ...denied)),
    ],
    [
      "a section that is merged after it",
      at(limited("Limit GET", ...denied)) + section("LocationMatch ^/a", ...denied),
    ],
    ["methods that are disabled", at(limited("Limit PUT DELETE", ...denied))],
    ["a single method with required users", at(...members, limited("Limit POST", "Require valid-user"))],
    ["methods of a cache", at(limited("Limit PURGE BAN", ...denied, "Allow from 10"))],
    [
      "all write methods of mod_dav",
      at(
        ...members,
        limited("Limit POST PUT DELETE PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK", "Require valid-user"),
      ),
    ],
    ["every common method", at(limited("Limit GET POST PUT DELETE PATCH", ...denied))],
    ["a Limit without access control", at("Order deny,allow", limited("Limit GET", "AuthName x"))],
    ["names in lower case", at(limited("Limit get post", ...denied))],
    [
      "a conditional section that applies on no server",
      at("<IfVersion < 1.3>", limited("Limit GET", ...denied), "</IfVersion>"),
    ],
  ])("%s", (_, text) => {
    expect(check(onServer(text), { release })).toEqual([]);
  });
});

describe("Require and other directives of 2.4", () => {
  test.each([
    ["a Limit with addresses", at(limited("Limit GET POST", "Require ip 10.1"))],
    [
      "a Limit in a container",
      at("<RequireAll>", "Require all granted", limited("Limit GET", "Require not ip 10"), "</RequireAll>"),
    ],
    ["a Limit around a container", at(limited("Limit GET", "<RequireAny>", "Require ip 10", "</RequireAny>"))],
    ["a Limit in If", section("If \"%{REQUEST_URI} == '/a'\"", limited("Limit GET", "Require all denied"))],
    [
      "an AllowMethods that allows another method",
      at("AllowMethods GET POST", limited("Limit GET", "Require all denied")),
    ],
    [
      "a Limit that is merged with a wider rule",
      section('Directory "/srv"', "Require ip 10") + at("AuthMerging And", limited("Limit GET", "Require ip 10.1")),
    ],
    [
      "a Limit that is merged with access for every client",
      section('Directory "/srv"', "Require all granted") +
        at("AuthMerging And", limited("Limit GET", "Require all denied")),
    ],
  ])("are reported for %s", (_, text) => {
    expect(check(onServer(text))).toHaveLength(1);
  });

  test.each([
    ["AllowMethods", at("AllowMethods GET", limited("Limit GET", "Require ip 10"))],
    [
      "AuthMerging And with a rule that denies other methods",
      section('Directory "/srv"', "Require ip 10.1") + at("AuthMerging And", limited("Limit GET", "Require ip 10")),
    ],
    [
      "a Require for every user beside the Limit",
      at(...members, "<RequireAll>", "Require valid-user", limited("Limit GET", "Require user bob"), "</RequireAll>"),
    ],
    [
      "an If that denies the rest",
      at(limited("Limit GET", "Require ip 10")) + section("If \"%{REQUEST_METHOD} != 'GET'\"", "Require all denied"),
    ],
  ])("are not reported for %s", (_, text) => {
    expect(check(onServer(text))).toEqual([]);
  });
});

describe("a `.htaccess` file on its own is reported beside a line of a module that no line loads", () => {
  const rules = [...members, limited("Limit GET POST", "Require valid-user")];
  test.each([
    "AddOutputFilterByType DEFLATE text/html",
    'ExpiresByType text/html "access plus 1 day"',
    'Substitute "s/a/b/"',
    "SSLOptions +StdEnvVars",
    "IndexOptions FancyIndexing",
    "CheckSpelling On",
    "SessionMaxAge 60",
    "<IfModule mod_deflate.c>\nSetOutputFilter DEFLATE\n</IfModule>",
  ])("%s", (line) => {
    for (const lines of [
      [line, ...rules],
      [...rules, line],
    ])
      expect(check(`${lines.join("\n")}\n`, { kind: "htaccess" })).toHaveLength(1);
  });

  test("with TLS if SSLRequireSSL denies requests without it", () => {
    const [finding] = check(`SSLRequireSSL\n${rules.join("\n")}\n`, { kind: "htaccess" });
    expect(finding?.notes?.[0]).toBe("PUT `/index.html` over TLS from 203.0.113.9 is allowed");
    // A server without TLS denies all requests.
    expect(check(onServer(at("SSLRequireSSL", ...rules)))).toEqual([]);
  });

  test("but not if a line is not allowed there: httpd rejects the file", () => {
    expect(check(`CacheEnable disk\n${rules.join("\n")}\n`, { kind: "htaccess" })).toEqual([]);
  });
});
