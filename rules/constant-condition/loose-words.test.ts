import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, section } from "../../test/support/rules.js";
import { constantCondition } from "./constant-condition.js";

const looseWords = onlyVariant(constantCondition, "loose-words");

const files = { "/srv/www/api/client/index.html": "x", "/srv/www/cli/run.php": "x", "/srv/www/index.html": "x" };
const inHost = (...lines: readonly string[]) =>
  findingsOf(
    [looseWords],
    `Listen 80\n${section("VirtualHost *:80", "ServerName a.test", 'DocumentRoot "/srv/www"', ...lines)}`,
    { files },
  );
const inHtaccess = (folder: string, ...lines: readonly string[]) =>
  findingsOf(
    [looseWords],
    'Listen 80\nDocumentRoot "/srv/www"\n<Directory "/srv/www">\nAllowOverride All\n</Directory>\n',
    {
      files: { ...files, [`/srv/www/${folder}.htaccess`]: `${lines.join("\n")}\n` },
    },
  );

test("reports a file that a word denies inside of another word", () => {
  expect(inHost("RewriteEngine On", "RewriteRule (cli|tests|db) - [R=404]")).toEqual([
    {
      rule: "constant-condition",
      severity: "warning",
      at: "6:1-6:37",
      text: "RewriteRule (cli|tests|db) - [R=404]",
      message: "`(cli|tests|db)` also denies `/api/client/index.html`: `cli` is a part of a name",
      notes: [
        "a pattern without `^` and `$` is found anywhere in the path",
        "GET `http://a.test/api/client/index.html` from 203.0.113.9 returns 404",
      ],
      help: ["use `(^|[^A-Za-z])(cli|tests|db)s?([^A-Za-z]|$)` for words between other characters than letters"],
      related: [],
    },
  ]);
});

describe("reports", () => {
  test.each([
    ["RewriteRule cli - [F]"],
    ["RewriteRule CLI - [F,NC]"],
    ["RewriteRule (?:cli|x1) - [G]"],
    ["RedirectMatch 403 cli"],
    ["RedirectMatch gone (cli|tests)"],
  ])("%s", (line) => {
    expect(inHost("RewriteEngine On", line)).toHaveLength(1);
    expect(inHtaccess("", "RewriteEngine On", line)).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["whole names", "RewriteRule (^|/)(cli|tests|db)(/|$) - [F]"],
    ["the start of the path", "RewriteRule ^/?cli - [F]"],
    ["a word that no other one has", "RewriteRule (tests|db) - [F]"],
    ["another case", "RewriteRule CLI - [F]"],
    ["a rule that redirects", "RewriteRule cli /x [R=301]"],
    ["a rule with a condition that does not hold", "RewriteCond %{REMOTE_ADDR} ^10\\.\nRewriteRule cli - [F]"],
    ["a rule that an earlier one replaces", "RewriteRule client - [F]\nRewriteRule cli - [F]"],
    ["rules that are off", "RewriteEngine Off\nRewriteRule cli - [F]"],
  ])("%s", (_, lines) => {
    const found = inHost("RewriteEngine On", ...lines.split("\n")).filter(({ text }) => text.includes("cli -"));
    expect(found).toEqual([]);
  });

  test.each(["backup.sql", "backup2024.sql", "site-backup.zip", "my_backup.zip", "backups.tar", "2backup"])(
    "a name that has the word on purpose: %s",
    (name) => {
      const find = (pattern: string, more: object = {}) =>
        findingsOf([looseWords], `DocumentRoot /srv/www\nRewriteEngine On\nRewriteRule ${pattern} - [F]\n`, {
          files: { [`/srv/www/${name}`]: "x", ...more },
        });
      expect(find("backup")).toEqual([]);
      const [finding] = find("backup", { "/srv/www/backupper.html": "x" });
      expect(finding?.message).toBe("`backup` also denies `/backupper.html`: `backup` is a part of a name");
      // The pattern of the help still denies the name.
      const [, corrected = ""] = /`(.*)`/.exec(finding?.help?.[0] ?? "") ?? [];
      expect(new RegExp(corrected).test(`/${name}`)).toBe(true);
      expect(find(corrected, { "/srv/www/backupper.html": "x" })).toEqual([]);
    },
  );

  test("a list with a word of one letter, which the help would have to keep", () => {
    expect(inHost("RewriteEngine On", "RewriteRule (cli|x) - [F]")).toEqual([]);
  });

  test("a folder without such a file, and a server whose files are not known", () => {
    expect(inHtaccess("cli/", "RewriteEngine On", "RewriteRule cli - [F]")).toEqual([]);
    const text = 'Listen 80\nDocumentRoot "/srv/www"\nRewriteEngine On\nRewriteRule cli - [F]\n';
    expect(findingsOf([looseWords], text)).toEqual([]);
  });
});
