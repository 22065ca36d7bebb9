import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { shadowedLine } from "./shadowed-line.js";

const rule = onlyVariant(shadowedLine, "hidden-directory");
const granted =
  section('Directory "/srv/www"', "Require all granted") + section('Directory "/usr/share"', "Require all granted");
const shared = { "/usr/share/icons/a.gif": "", "/srv/www/index.html": "" };
const icons = 'Alias /icons/ "/usr/share/icons/"\n';
const inHost = (...lines: readonly string[]) =>
  section("VirtualHost *:80", "ServerName a.test", 'DocumentRoot "/srv/www"', ...lines);

const check = (main: string, files: Readonly<Record<string, string>> = {}, rest = granted) =>
  findingsOf([rule], onServer(rest, main), { files: { ...shared, ...files } });

test("reports a directory of the document root that an Alias hides", () => {
  expect(check(icons + inHost(), { "/srv/www/icons/logo.png": "" })).toEqual([
    {
      rule: "shadowed-line",
      severity: "warning",
      at: expect.any(String),
      text: icons.trim(),
      message: "`Alias /icons/` hides the directory `/srv/www/icons/` of the document root",
      notes: [
        "GET `http://a.test/icons/logo.png` from 203.0.113.9 returns 404",
        "the file `/srv/www/icons/logo.png` exists, but no URL leads to it",
      ],
      help: ["rename the directory and its links, or delete this line if nothing uses it"],
      related: [expect.stringContaining("the document root")],
    },
  ]);
});

describe("reports", () => {
  test.each([
    ["a line of the virtual host", inHost(icons.trim()), { "/srv/www/icons/logo.png": "" }],
    ["a path without a slash at its end", `Alias /icons /usr/share/icons\n${inHost()}`, { "/srv/www/icons/x.png": "" }],
    ["a file in a directory of the directory", icons + inHost(), { "/srv/www/icons/big/x.png": "" }],
    ["a deeper path", `Alias /img/icons/ /usr/share/icons/\n${inHost()}`, { "/srv/www/img/icons/x.png": "" }],
    [
      "one of several files that only the hidden directory has",
      icons + inHost(),
      { "/srv/www/icons/a.gif": "", "/srv/www/icons/b.gif": "" },
    ],
    [
      "the scripts of a site",
      `ScriptAlias /cgi-bin/ "/usr/share/cgi/"\n${inHost()}`,
      { "/usr/share/cgi/env.cgi": "", "/srv/www/cgi-bin/form.cgi": "" },
    ],
    ["the main server", `DocumentRoot "/srv/www"\n${icons}`, { "/srv/www/icons/logo.png": "" }],
    [
      "a virtual host with the same document root and the same line",
      icons + inHost() + section("VirtualHost *:80", "ServerName b.test", "DocumentRoot /srv/www"),
      { "/srv/www/icons/logo.png": "" },
    ],
  ])("%s", (_, main, files) => {
    expect(check(main, files)).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["a document root without the directory", icons + inHost(), {}],
    ["an empty directory", icons + inHost(), { "/srv/www/icons/.gitkeep": "" }],
    ["a copy of the target", icons + inHost(), { "/srv/www/icons/a.gif": "" }],
    ["a start page", icons + inHost(), { "/srv/www/icons/index.html": "" }],
    [
      "a line that leads to a part of the directory",
      `Alias /icons/ /srv/www/icons/dist/\n${inHost()}`,
      { "/srv/www/icons/logo.png": "", "/srv/www/icons/dist/a.png": "" },
    ],
    [
      "a line that leads to the directory itself",
      `Alias /icons/ /srv/www/icons/\n${inHost()}`,
      { "/srv/www/icons/logo.png": "" },
    ],
    [
      "a directory with another URL",
      `Alias /pictures/ /srv/www/icons/\n${icons}${inHost()}`,
      { "/srv/www/icons/logo.png": "" },
    ],
    [
      "a directory that another virtual host serves",
      inHost(icons.trim()) + section("VirtualHost *:80", "ServerName b.test", "DocumentRoot /srv/www"),
      { "/srv/www/icons/logo.png": "" },
    ],
    [
      "a line in another virtual host",
      inHost() + section("VirtualHost *:80", "ServerName b.test", "DocumentRoot /srv/other", icons.trim()),
      { "/srv/www/icons/logo.png": "" },
    ],
    [
      "a rule that reads the file before the Alias",
      icons + inHost("RewriteEngine On", "RewriteRule ^/icons/(.*)$ /srv/www/icons/$1 [L]"),
      { "/srv/www/icons/logo.png": "" },
    ],
  ])("%s", (_, main, files) => {
    expect(check(main, files)).toEqual([]);
  });

  test("a part of a server", () => {
    expect(findingsOf([rule], icons + inHost(), { kind: "fragment" })).toEqual([]);
  });
});

describe("a section for a directory, if its files are not known", () => {
  const own = section('Directory "/srv/www/icons"', "Options Indexes");
  /** A server whose document root is not on this disk. */
  const find = (main: string) => findingsOf([rule], onServer(granted, main));

  test("is reported", () => {
    expect(find(icons + own + inHost())).toMatchObject([
      {
        text: icons.trim(),
        severity: "warning",
        notes: [
          "a request for `/icons/page.html` leads to `/usr/share/icons/page.html`",
          "the `<Directory>` section for the hidden directory never applies",
        ],
        related: [expect.stringContaining("for the hidden directory")],
      },
    ]);
  });

  test.each([
    ["in the virtual host", icons + inHost(own.trim())],
    ["for a part of the directory", icons + section('Directory "/srv/www/icons/big"', "Options Indexes") + inHost()],
    ["for scripts", `ScriptAlias /icons/ /usr/share/icons/\n${own}${inHost()}`],
  ])("is reported %s", (_, main) => {
    expect(find(main)).toHaveLength(1);
  });

  test.each([
    ["for another directory", icons + section('Directory "/srv/www/images"', "Options Indexes") + inHost()],
    ["for the target", icons + section('Directory "/usr/share/icons"', "Options Indexes") + inHost()],
    ["with a pattern", icons + section('Directory "/srv/www/*/"', "Options Indexes") + inHost()],
    ["in another virtual host", icons + inHost() + section("VirtualHost *:80", "ServerName b.test", own.trim())],
    ["that another line leads to", `Alias /i/ /srv/www/icons/\n${icons}${own}${inHost()}`],
    ["above the directory", icons + section('Directory "/srv/www"', "Options Indexes") + inHost()],
  ])("is not reported %s", (_, main) => {
    expect(find(main)).toEqual([]);
  });
});
