import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { skippedFile } from "./skipped-file.js";

const site = "<VirtualHost *:80>\nServerName shop.example.org\n</VirtualHost>\n";
const main = "IncludeOptional sites/*.conf\n";

const check = (text: string, files: Readonly<Record<string, string>>, given: Given = {}) => {
  const placed = Object.entries(files).map(([path, content]) => [`/etc/httpd/${path}`, content] as const);
  return findingsOf([skippedFile], text, { ...given, files: Object.fromEntries(placed) });
};
const messages = (...given: Parameters<typeof check>) => check(...given).map(({ message }) => message);

test("reports the file, the wildcard that skips it, and the ending that its name lacks", () => {
  expect(check(main, { "sites/shop": site })).toEqual([
    {
      rule: "skipped-file",
      severity: "warning",
      at: "1:1-1:29",
      text: "IncludeOptional sites/*.conf",
      message: "`sites/*.conf` skips `shop`: its name does not end in `.conf`",
      notes: ["httpd does not read the file, so its lines have no effect"],
      help: ["rename it to `shop.conf`"],
      related: ["shop:1:1: not read"],
    },
  ]);
});

test("reports several files of one Include once", () => {
  const files = { "sites/a": site, "sites/b": site, "sites/c": site, "sites/d.conf": site };
  expect(messages(main, files)).toEqual([
    "`sites/*.conf` skips `a`, `b` and 1 more: their names do not end in `.conf`",
  ]);
});

describe("reports a file", () => {
  test.each<readonly [string, string, string]>([
    ["with the name of a host", main, "sites/shop.example.org"],
    ["for a quoted path", 'Include "sites/*.conf"\n', "sites/000-default"],
    ["for an absolute path", "IncludeOptional /etc/httpd/sites/*.conf\n", "sites/shop"],
    ["for an ending of its own", "IncludeOptional vhosts/*.vhost\n", "vhosts/shop"],
    ["for a prefix", "IncludeOptional sites/site-*.conf\n", "sites/site-shop"],
    ["in a virtual host", `<VirtualHost *>\n${main}</VirtualHost>\n`, "sites/list"],
    ["if an Include finds nothing else", "Include sites/*.conf\n", "sites/shop"],
  ])("%s", (_, text, path) => {
    expect(check(text, { [path]: site })).toHaveLength(1);
  });
});

describe("before an upgrade from 2.2, a site is reported that Debian's main file of 2.4 does not read", () => {
  const files = { "sites-enabled/000-default": site, "sites-enabled/shop.conf": site };

  test.each(["sites-enabled", "sites-enabled/", "sites-enabled/*", "/etc/httpd/sites-enabled/"])("%s", (path) => {
    expect(check(`Include ${path}\n`, files, { from: "2.2" })).toMatchObject([
      {
        severity: "warning",
        at: expect.stringMatching(/^1:1-/),
        message: "Debian's main file of 2.4 does not read `000-default`",
        notes: ["it has `IncludeOptional sites-enabled/*.conf`"],
        help: ["add `.conf` to its name"],
      },
    ]);
  });

  test.each<readonly [string, string, Readonly<Record<string, string>>, Given]>([
    ["without an upgrade", "Include sites-enabled/\n", files, {}],
    ["a name with the ending", "Include sites-enabled/\n", { "sites-enabled/shop.conf": site }, { from: "2.2" }],
    ["a single file", "Include sites-enabled/shop\n", { "sites-enabled/shop": site }, { from: "2.2" }],
    ["another folder", "Include vhosts/\n", { "vhosts/shop": site }, { from: "2.2" }],
  ])("but not %s", (_, text, placed, given) => {
    expect(check(text, placed, given)).toEqual([]);
  });
});

describe("does not report", () => {
  test.each<readonly [string, string, Readonly<Record<string, string>>]>([
    ["a file that the wildcard matches", main, { "sites/shop.conf": site }],
    ["a file that another line reads", `${main}Include sites/shop\n`, { "sites/shop": site }],
    ["a file that another wildcard reads", `${main}IncludeOptional sites/sh*\n`, { "sites/shop": site }],
    ["files of a directory that is read as a whole", "Include sites\n", { "sites/shop": site }],
    ["a name that lacks more than the ending", "IncludeOptional sites/site-*.conf\n", { "sites/shop": site }],
    ["a wildcard without an ending", "IncludeOptional sites/[a-m]*\n", { "sites/shop": site }],
    ["a copy", main, { "sites/shop.conf.bak": site, "sites/shop.conf~": site, "sites/shop.conf.dpkg-old": site }],
    ["a disabled file", main, { "sites/shop.conf.disabled": site, "sites/_shop": site, "sites/shop.off": site }],
    ["a part for other files", main, { "sites/shop.inc": site, "sites/tls-common": site }],
    ["documentation", main, { "sites/README": "This directory has the sites.\nInclude each one.\n" }],
    ["another program's file", main, { "sites/shop": "server {\n listen 80;\n}\n" }],
    ["an empty file", main, { "sites/shop": "# nothing\n" }],
  ])("%s", (_, text, files) => {
    expect(messages(text, files)).toEqual([]);
  });

  test("a link to a file that is read", () => {
    const links = { "/etc/httpd/sites/shop": "/etc/httpd/sites/shop.conf" };
    expect(check(main, { "sites/shop.conf": site }, { links })).toEqual([]);
  });
});
