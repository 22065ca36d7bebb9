import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { symlinkLeavesRoot } from "./symlink-leaves-root.js";

const granted = section('Directory "/srv/www"', "Require all granted");
const closed = section('Directory "/"', "Require all denied");
const keys = section('Directory "/srv/keys"', "Require all denied");
const files = { "/srv/www/index.html": "", "/srv/keys/server.key": "", "/etc/passwd": "", "/srv/shared/a.txt": "" };
const check = (lines: readonly string[], links: Readonly<Record<string, string>>) =>
  findingsOf([symlinkLeavesRoot], `DocumentRoot "/srv/www"\n${[closed, granted, ...lines].join("")}`, { files, links });

test("reports a link to a directory that a section denies", () => {
  expect(check([keys], { "/srv/www/backup": "/srv/keys" })).toEqual([
    {
      rule: "symlink-leaves-root",
      severity: "warning",
      at: "1:1-1:24",
      text: 'DocumentRoot "/srv/www"',
      message: "the link `/srv/www/backup` leads out of the served directory",
      notes: [
        "it leads to `/srv/keys`, whose own access rules do not apply",
        "GET `/backup/server.key` from 203.0.113.9 returns 200",
      ],
      help: ["delete the link, or set `Options -FollowSymLinks` for its directory"],
      related: ["httpd.conf:8:1: denies access to the target"],
    },
  ]);
});

test.each([
  ["a file", { "/srv/www/key.txt": "/srv/keys/server.key" }, "GET `/key.txt`"],
  ["a system file", { "/srv/www/a/users": "/etc/passwd" }, "GET `/a/users`"],
  ["a system directory", { "/srv/www/etc": "/etc" }, "GET `/etc/passwd`"],
])("reports a link to %s", (_, links, request) => {
  expect(check([keys], links).flatMap(({ notes }) => notes?.[1])).toEqual([expect.stringContaining(request)]);
});

test.each([
  ["a document root without links", [keys], {}],
  [
    "links that are not followed",
    [keys, section('Directory "/srv/www"', "Options -FollowSymLinks")],
    { "/srv/www/b": "/srv/keys" },
  ],
  [
    "a target with granted access",
    [section('Directory "/srv/keys"', "Require all granted")],
    { "/srv/www/b": "/srv/keys" },
  ],
  ["a shared directory", [], { "/srv/www/uploads": "/srv/shared" }],
  ["a link within the document root", [keys], { "/srv/www/b": "/srv/www/index.html" }],
  ["a link to a missing file", [keys], { "/srv/www/b": "/srv/keys/none" }],
  ["a denied link", [keys, section('Location "/b"', "Require all denied")], { "/srv/www/b": "/srv/keys" }],
  ["a server on the loopback address", [keys, "Listen 127.0.0.1:80\n"], { "/srv/www/b": "/srv/keys" }],
])("does not report %s", (_, lines, links) => {
  expect(check(lines, links)).toEqual([]);
});

test("does not report a release that `current` leads to, with a shared directory", () => {
  const text = `DocumentRoot "/srv/app/current/public"\n${closed}${section('Directory "/srv/app"', "Require all granted")}`;
  const links = {
    "/srv/app/current": "/srv/app/releases/7",
    "/srv/app/releases/7/public/media": "/srv/app/shared/media",
  };
  const existing = { "/srv/app/releases/7/public/index.html": "", "/srv/app/shared/media/a.jpg": "" };
  expect(findingsOf([symlinkLeavesRoot], text, { files: existing, links })).toEqual([]);
});

test("does not report a document root that is a link", () => {
  const text = onServer(closed, section('Directory "/srv"', "Require all granted"), keys);
  const links = { "/srv": "/releases/1", "/releases/1/b": "/keys" };
  expect(findingsOf([symlinkLeavesRoot], text, { files: { "/keys/a": "", "/releases/1/x": "" }, links })).toEqual([]);
});
