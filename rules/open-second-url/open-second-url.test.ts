import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { openSecondUrl } from "./open-second-url.js";

const granted = section('Directory "/srv"', "Require all granted");
const check = (lines: readonly string[], files: Readonly<Record<string, string>> = {}) =>
  findingsOf([openSecondUrl], onServer(granted, `${lines.join("\n")}\n`), { files });
const guarded = section('Location "/private"', "Require ip 192.0.2.1");
const host = (name: string, ...lines: readonly string[]) =>
  section("VirtualHost *:80", `ServerName ${name}`, 'DocumentRoot "/srv"', ...lines);

test("reports an Alias of the same directory", () => {
  expect(check([guarded, 'Alias "/files" "/srv"'])).toEqual([
    {
      rule: "open-second-url",
      severity: "error",
      at: "5:1-5:22",
      text: '<Location "/private">',
      message: '`<Location "/private">` leaves another URL of its files open',
      notes: [
        "both URLs lead to `/srv/private`",
        "GET `/private` from 203.0.113.9 returns 403",
        "GET `/files/private` from 203.0.113.9 returns 200",
      ],
      help: ["put the access rules into a `<Directory>` section, which applies to all URLs of its files"],
      related: [],
    },
  ]);
});

test.each([
  ["another virtual host", [host("first.test"), host("second.test", guarded)], {}, "GET `http://first.test/private`"],
  ["a file", [guarded, 'Alias "/files" "/srv"'], { "/srv/private/x.txt": "" }, "GET `/files/private/x.txt`"],
  [
    "a pattern",
    [section('LocationMatch "^/private"', "Require all denied"), 'Alias "/files" "/srv"'],
    {},
    "`/files/private`",
  ],
])("reports %s", (_, lines, files, request) => {
  expect(check(lines, files).flatMap(({ notes }) => notes?.at(-1))).toEqual([expect.stringContaining(request)]);
});

test.each([
  [
    "a section for the directory",
    [section('Directory "/srv/private"', "Require ip 192.0.2.1"), 'Alias "/files" "/srv"'],
    {},
  ],
  ["a path without a second URL", [guarded], {}],
  [
    "a second URL that is denied",
    [guarded, 'Alias "/files" "/srv"', section("Location /files", "Require ip 192.0.2.1")],
    {},
  ],
  [
    "a second URL that a section grants",
    [guarded, 'Alias "/files" "/srv"', section("Location /files", "Require all granted")],
    {},
  ],
  ["a second host that redirects", [host("a.test", 'Redirect "/" "https://b.test/"'), host("b.test", guarded)], {}],
  ["a file that does not exist", [guarded, 'Alias "/files" "/srv"'], { "/srv/x.txt": "" }],
  [
    "a path with a handler",
    [section('Location "/status"', "SetHandler server-status", "Require local"), 'Alias "/files" "/srv"'],
    {},
  ],
  ["a proxied path", ['ProxyPass "/private" "http://192.0.2.9/"', guarded, 'Alias "/files" "/srv"'], {}],
  ["a server on the loopback address", ["Listen 127.0.0.1:80", guarded, 'Alias "/files" "/srv"'], {}],
])("does not report %s", (_, lines, files) => {
  expect(check(lines, files)).toEqual([]);
});

const ownSection = section('Directory "/srv/private"', "Require ip 192.0.2.1").trim();
const files = { "/srv/private/x.txt": "" };

test("reports a section for a directory in one of two virtual hosts", () => {
  expect(check([host("first.test"), host("second.test", ownSection)], files)).toMatchObject([
    {
      message: '`<Directory "/srv/private">` is open in another virtual host',
      notes: [
        "both URLs lead to `/srv/private/x.txt`",
        "GET `http://second.test/private/x.txt` from 203.0.113.9 returns 403",
        "GET `http://first.test/private/x.txt` from 203.0.113.9 returns 200",
      ],
    },
  ]);
});

test.each([
  ["a section in both virtual hosts", [host("first.test", ownSection), host("second.test", ownSection)]],
  [
    "another virtual host that redirects",
    [host("first.test", 'Redirect "/" "https://second.test/"'), host("second.test", ownSection)],
  ],
  [
    "another virtual host that grants access explicitly",
    [
      host("first.test", section('Directory "/srv/private"', "Require all granted").trim()),
      host("second.test", ownSection),
    ],
  ],
  ["a single virtual host", [host("second.test", ownSection)]],
])("does not report %s", (_, lines) => {
  expect(check(lines, files)).toEqual([]);
});
