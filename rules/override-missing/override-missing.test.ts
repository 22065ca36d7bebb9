import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { misplacedDirective } from "../misplaced-directive/misplaced-directive.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { upgradeChangesAccess } from "../upgrade-changes-access/upgrade-changes-access.js";
import { overrideMissing } from "./override-missing.js";

const lintBelow = (allowed: readonly string[], ...lines: readonly string[]) => {
  const main = onServer(section('Directory "/srv"', ...allowed, "Options FollowSymLinks"));
  const given: Given = { files: { "/srv/a/.htaccess": `${lines.join("\n")}\n` } };
  return findingsOf([overrideMissing], main, given);
};

const effect = [
  "requests below this directory return 500",
  expect.stringMatching(/^GET `\/a\/index\.html` from 203\.0\.113\.9 \w+ 500$/),
];

test("reports a file without AllowOverride in any parent directory", () => {
  expect(lintBelow([], "Order allow,deny", "AuthType Basic", "ErrorDocument 404 /x")).toEqual([
    {
      rule: "override-missing",
      severity: "error",
      at: "1:1-1:17",
      text: "Order allow,deny",
      message: "`Order` is not allowed: no AllowOverride applies to this file",
      notes: [effect[0], "without AllowOverride, 2.4 reads the file and allows nothing in it", effect[1]],
      help: [
        "add `AllowOverride Limit AuthConfig FileInfo` to the server's `<Directory>` section for this directory",
        "or add `AllowOverride None` there to ignore this file",
      ],
      related: [],
    },
  ]);
});

test("reports AllowOverride without the class of the line", () => {
  expect(lintBelow(["AllowOverride AuthConfig"], "AuthType Basic", "AuthName x", "Deny from all")).toMatchObject([
    {
      at: "3:1-3:14",
      message: "`AllowOverride AuthConfig` does not allow `Deny` in this file",
      notes: effect,
      help: [
        "use `AllowOverride AuthConfig Limit` instead",
        "or move the directives that are not allowed to a `<Directory>` section",
      ],
      related: ["httpd.conf:3:1: applies to this file"],
    },
  ]);
});

test("reports a third-party directive, whose class is unknown, only without AllowOverride", () => {
  const [finding] = lintBelow([], "KrbMethodNegotiate On", "Order allow,deny");
  expect(finding?.at).toBe("1:1-1:22");
  expect(finding?.message).toMatch(/^`KrbMethodNegotiate` is not allowed: /);
  expect(finding?.help?.[0]).toMatch(/^add `AllowOverride All` to the server's /);
  expect(lintBelow(["AllowOverride Options"], "KrbMethodNegotiate On")).toEqual([]);
  expect(lintBelow(["AllowOverride None"], "KrbMethodNegotiate On")).toEqual([]);
  expect(lintBelow([], "Nope")).toEqual([]);
});

test("reports a third-party directive without the class that allows it", () => {
  const [finding] = lintBelow([], "php_value memory_limit 1G", "Order allow,deny");
  expect(finding?.help?.[0]).toMatch(/^add `AllowOverride Options Limit` to the server's /);
  const [other] = lintBelow(["AllowOverride FileInfo"], "php_value memory_limit 1G");
  expect(other?.message).toBe("`AllowOverride FileInfo` does not allow `php_value` in this file");
  expect(other?.help?.[0]).toBe("use `AllowOverride FileInfo Options` instead");
  expect(lintBelow(["AllowOverride Options"], "php_value memory_limit 1G")).toEqual([]);
  expect(lintBelow(["AllowOverride All"], "php_value memory_limit 1G")).toEqual([]);
});

test.each(["php_admin_value a b", "InterceptFormPAMService x"])("reports `%s`, which no class allows", (line) => {
  const [finding] = lintBelow(["AllowOverride All"], line);
  const [name] = line.split(" ");
  expect(finding?.message).toBe(`\`${name}\` is not allowed in a \`.htaccess\` file`);
  expect(finding?.help).toEqual(["move it to the server's files"]);
  expect(lintBelow(["AllowOverride None"], line)).toEqual([]);
});

describe("suggests the required AllowOverride for", () => {
  test.each([
    [
      "Require, which Limit does not allow",
      ["AllowOverride Limit"],
      ["Require all denied"],
      "AllowOverride Limit AuthConfig",
    ],
    [
      "Satisfy, which Limit does not allow either",
      ["AllowOverride Limit"],
      ["Satisfy any"],
      "AllowOverride Limit AuthConfig",
    ],
    [
      "a directive in a section",
      ["AllowOverride FileInfo"],
      ["<Files x>", "Deny from all", "</Files>"],
      "AllowOverride FileInfo Limit",
    ],
    [
      "a section that either of two classes allows",
      ["AllowOverride FileInfo"],
      ["<Limit GET>", "Require all denied", "</Limit>"],
      "AllowOverride FileInfo AuthConfig",
    ],
    ["a section that any class allows", [], ["<Files x>", "Order allow,deny", "</Files>"], "AllowOverride Limit"],
    ["an AllowOverrideList of names", ["AllowOverrideList Redirect"], ["Deny from all"], "AllowOverride Limit"],
    ["an AllowOverrideList of none", ["AllowOverrideList None"], ["Deny from all"], "AllowOverride Limit"],
    [
      "AllowOverride for one option only",
      ["AllowOverride Options=Indexes"],
      ["Options ExecCGI"],
      "add the option to AllowOverride",
    ],
  ] as const)("%s", (_, allowed, lines, advice) => {
    const [finding, ...others] = lintBelow(allowed, ...lines);
    expect(others).toEqual([]);
    expect(finding?.help?.[0]).toContain(advice);
  });

  test("a conditional section, even one that does not apply", () => {
    const [finding] = lintBelow([], "<IfModule nope.c>", "Deny from all", "</IfModule>");
    expect(finding?.at).toBe("1:1-1:18");
  });

  test("a file in the document root of a virtual host", () => {
    const host = section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv");
    const text = `${section('Directory "/srv"', "AllowOverride Limit")}${host}`;
    const files = { "/srv/a/.htaccess": "Require all denied\n" };
    const [finding] = findingsOf([overrideMissing], text, { files });
    expect(finding?.notes?.at(-1)).toMatch(/^GET `http:\/\/a\.test\/a\/index\.html` from /);
  });
});

describe("access control that Nonfatal skips", () => {
  test("is reported at its first line, with the line that skips it", () => {
    expect(
      lintBelow(["AllowOverride Nonfatal=Override AuthConfig"], "AuthType Basic", "Order deny,allow", "Deny from all"),
    ).toEqual([
      {
        rule: "override-missing",
        severity: "error",
        at: "2:1-2:17",
        text: "Order deny,allow",
        message: "`AllowOverride Nonfatal=Override AuthConfig` makes httpd skip `Deny from all`",
        notes: ["httpd only logs a warning (AH02295)", "`Deny from all` denies nobody"],
        help: [
          "use `AllowOverride Nonfatal=Override AuthConfig Limit` instead",
          "or move the rule to the server's `<Directory>` section",
        ],
        related: ["httpd.conf:3:1: applies to this file"],
      },
    ]);
  });

  test.each([
    ["for Require", "AllowOverride Limit Nonfatal=Override", "Require all denied", "1:1-1:19"],
    ["in a section", "AllowOverride FileInfo Nonfatal=All", "<Files x>\nDeny from all\n</Files>", "2:1-2:14"],
    [
      "in a section that is skipped",
      "AllowOverride Nonfatal=Override",
      "<Files x>\nDeny from all\n</Files>",
      "2:1-2:14",
    ],
  ])("is reported %s", (_, allowed, text, at) => {
    expect(lintBelow([allowed], text)).toMatchObject([{ at }]);
  });

  test("is not reported by old-access-control", () => {
    const main = onServer(
      section('Directory "/srv"', "AllowOverride FileInfo Nonfatal=Override", "Require all granted"),
    );
    const text = "Order allow,deny\nDeny from all\n<Files x>\nDeny from all\n</Files>\n";
    const rules = findingsOf([oldAccessControl], main, { files: { "/srv/a/.htaccess": text } });
    expect(rules).toEqual([]);
    const all = findingsOf([oldAccessControl], main.replace("FileInfo", "Limit"), {
      files: { "/srv/a/.htaccess": text },
    });
    expect(all).toHaveLength(2);
  });
});

describe("does not report", () => {
  test.each([
    ["AllowOverride None, which ignores the file", ["AllowOverride None"], ["Deny from all"]],
    ["AllowOverride All", ["AllowOverride All"], ["Deny from all", "Require all denied", "Options ExecCGI"]],
    ["AllowOverride with the class of the directive", ["AllowOverride Limit"], ["Order allow,deny", "Deny from all"]],
    [
      "AllowOverrideList with the name of the directive",
      ["AllowOverride None", "AllowOverrideList Deny"],
      ["Deny from all"],
    ],
    [
      "Nonfatal, which skips directives that do not protect anything",
      ["AllowOverride FileInfo Nonfatal=Override"],
      ["Options ExecCGI"],
    ],
    [
      "Nonfatal, which skips directives that allow clients",
      ["AllowOverride FileInfo Nonfatal=Override"],
      ["Order deny,allow", "Allow from all"],
    ],
    [
      "Nonfatal with the class of the directive",
      ["AllowOverride Limit Nonfatal=All"],
      ["Order allow,deny", "Deny from all"],
    ],
    ["Nonfatal for unknown directives", ["AllowOverride Limit Nonfatal=Unknown"], ["Nope x", "Deny from all"]],
    ["AllowOverride with the name of the option", ["AllowOverride Options=Indexes,ExecCGI"], ["Options ExecCGI"]],
    ["a file with only comments", [], ["# Deny from all", ""]],
    ["a directive that no `.htaccess` file allows", ["AllowOverride All"], ["Listen 80"]],
    ["an unknown directive", ["AllowOverride All"], ["Nope x"]],
  ])("%s", (_, allowed, lines) => {
    expect(lintBelow(allowed, ...lines)).toEqual([]);
  });

  test("2.2, whose default is All", () => {
    const given: Given = { release: "2.2", files: { "/srv/a/.htaccess": "Deny from all\n" } };
    expect(findingsOf([overrideMissing], onServer(section('Directory "/srv"', "Options None")), given)).toEqual([]);
  });

  test("a file on its own", () => {
    expect(findingsOf([overrideMissing], "Deny from all\n", { kind: "htaccess" })).toEqual([]);
  });

  test("the same line in old-access-control", () => {
    const given: Given = { files: { "/srv/a/.htaccess": "Deny from all\n" } };
    const rules = findingsOf([overrideMissing, oldAccessControl], onServer(), given).map(({ rule }) => rule);
    expect(rules).toEqual(["override-missing"]);
  });

  test("the same line in upgrade-changes-access, whose help would not be allowed either", () => {
    const given: Given = { from: "2.2", files: { "/srv/a/.htaccess": "Order deny,allow\nDeny from all\n" } };
    const rulesOf = (...rules: Parameters<typeof findingsOf>[0]) =>
      findingsOf(rules, onServer(), given).map(({ rule }) => rule);
    expect(rulesOf(upgradeChangesAccess)).toEqual(["upgrade-changes-access"]);
    expect(rulesOf(overrideMissing, upgradeChangesAccess)).toEqual(["override-missing"]);
  });

  test("directives that misplaced-directive reports", () => {
    const given: Given = { files: { "/srv/a/.htaccess": "Listen 80\n" } };
    const rules = findingsOf([overrideMissing, misplacedDirective], onServer(), given).map(({ rule }) => rule);
    expect(rules).toEqual(["misplaced-directive"]);
  });
});
