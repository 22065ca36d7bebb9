import { describe, expect, test } from "vitest";
import { findingsOf, fixFirst, onServer, section, textOf } from "../../test/support/rules.js";
import { guardMissesBelow } from "./guard-misses-below.js";

const granted = section('Directory "/srv"', "Require all granted");
const check = (lines: string, files: Readonly<Record<string, string>> = {}) =>
  findingsOf([guardMissesBelow], onServer(granted, `${lines}\n`), { files });
const deny = (tag: string) => section(tag, "Require all denied");
const cgi = `ScriptAlias "/cgi/" "/cgi/"\n${section('Directory "/cgi"', "Require all granted")}`;
const proxied = 'ProxyPass "/" "http://192.0.2.9/"\n';

test("reports wildcards of a Location section", () => {
  expect(check(deny('Location "/*/private"'))).toEqual([
    {
      rule: "guard-misses-below",
      severity: "error",
      at: "5:1-5:24",
      text: '<Location "/*/private">',
      message: '`<Location "/*/private">` does not protect the URLs below it',
      notes: [
        "GET `/x/private` from 203.0.113.9 returns 403",
        "GET `/x/private/index.html` from 203.0.113.9 returns 200",
        "this assumes that `/srv/x/private/index.html` exists",
      ],
      help: ["use `<LocationMatch>` with a pattern that ends in `(/|$)`, and `[^/]+` instead of `*`"],
      related: [],
    },
  ]);
});

describe("reports a section for the URL of", () => {
  test.each([
    [
      "a directory",
      deny('LocationMatch "^/a$"'),
      { "/srv/a/x.txt": "" },
      "GET `/a/x.txt` from 203.0.113.9 returns 200",
    ],
    ["a program", cgi + deny('LocationMatch "^/cgi/a\\.cgi$"'), { "/cgi/a.cgi": "" }, "GET `/cgi/a.cgi/x`"],
    [
      "a program, in a condition",
      cgi + deny("If \"%{REQUEST_URI} == '/cgi/a.cgi'\""),
      { "/cgi/a.cgi": "" },
      "`/cgi/a.cgi/x`",
    ],
    ["a backend", proxied + deny('LocationMatch "^/admin$"'), {}, "GET `/admin/x`"],
    [
      "a backend, with mod_access_compat",
      `${proxied}${section('Location ~ "^/admin$"', "Deny from all")}`,
      {},
      "`/admin/x`",
    ],
  ])("%s", (_, lines, files, text) => {
    const findings = check(lines, files);
    expect(findings).toHaveLength(1);
    expect(findings.map(textOf).join()).toContain(text);
    expect(findings.map(textOf).join()).not.toContain("assumes");
  });
});

test.each([
  ["a prefix", deny('Location "/private"'), {}],
  ["a pattern that includes URLs below", deny('LocationMatch "^/[^/]+/private(/|$)"'), {}],
  ["a pattern without an end", deny('LocationMatch "^/private"'), {}],
  ["a file", deny('LocationMatch "^/a\\.txt$"'), { "/srv/a.txt": "" }],
  ["a name of a file", deny('LocationMatch "^/a\\.txt$"'), {}],
  ["a directory without files", deny('LocationMatch "^/a$"'), { "/srv/a/.hidden": "" }],
  ["a path without a file", deny('LocationMatch "^/a$"'), { "/srv/x.txt": "" }],
  [
    "a program that rejects further paths",
    `AcceptPathInfo Off\n${cgi}${deny('LocationMatch "^/cgi/a\\.cgi$"')}`,
    { "/cgi/a.cgi": "" },
  ],
  ["another section for the URLs below", deny('LocationMatch "^/a$"') + deny('LocationMatch "^/a/"'), {}],
  ["a handler of the section", section('LocationMatch "^/a$"', "SetHandler server-status", "Require local"), {}],
  ["files of a backend", proxied + deny('LocationMatch "\\.sql$"'), {}],
  [
    "a backend of the section only",
    section('LocationMatch "^/a$"', 'ProxyPass "http://192.0.2.9/"', "Require local"),
    {},
  ],
  ["the front page", deny('LocationMatch "^/$"'), {}],
  ["a section that allows every client", section('LocationMatch "^/a$"', "Require all granted"), {}],
  ["a server on the loopback address", `Listen 127.0.0.1:80\n${deny('Location "/*/private"')}`, {}],
])("does not report %s", (_, lines, files) => {
  expect(check(lines, files)).toEqual([]);
});

test.each([
  ['LocationMatch "^/admin$"', 'LocationMatch "^/admin(/|$)"'],
  ['LocationMatch "^/ad\\"min$"', 'LocationMatch "^/ad\\"min(/|$)"'],
  ['Location ~ "^/admin$"', 'Location ~ "^/admin(/|$)"'],
])("fixes <%s>", (before, after) => {
  const fixed = onServer(granted, proxied, deny(after));
  expect(fixFirst(guardMissesBelow, onServer(granted, proxied, deny(before)))).toBe(fixed);
  expect(findingsOf([guardMissesBelow], fixed)).toEqual([]);
});

test("does not offer a fix for wildcards and alternatives", () => {
  expect(fixFirst(guardMissesBelow, onServer(granted, deny('Location "/*/private"')))).toBeUndefined();
  expect(fixFirst(guardMissesBelow, onServer(granted, proxied, deny('LocationMatch "^/a$|^/b$"')))).toBeUndefined();
});
