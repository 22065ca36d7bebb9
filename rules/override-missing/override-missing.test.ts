import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { misplacedDirective } from "../misplaced-directive/misplaced-directive.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { overrideMissing } from "./override-missing.js";

const under = (allowed: readonly string[], ...lines: readonly string[]) => {
  const main = onServer(section('Directory "/srv"', ...allowed, "Options FollowSymLinks"));
  const given: Given = { files: { "/srv/a/.htaccess": `${lines.join("\n")}\n` } };
  return findingsOf([overrideMissing], main, given);
};

const effect = [
  "requests below this directory return 500",
  expect.stringMatching(/^GET `\/a\/index\.html` from 203\.0\.113\.9 \w+ 500$/),
];

test("no AllowOverride in any parent directory", () => {
  expect(under([], "Order allow,deny", "AuthType Basic", "ErrorDocument 404 /x")).toEqual([
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
  expect(under(["AllowOverride AuthConfig"], "AuthType Basic", "AuthName x", "Deny from all")).toMatchObject([
    {
      at: "3:1-3:14",
      message: "`AllowOverride AuthConfig` does not allow `Deny` in this file",
      notes: effect,
      help: ["use `AllowOverride AuthConfig Limit` instead", "or delete the directives that are not allowed"],
      related: ["httpd.conf:3:1: applies to this file"],
    },
  ]);
});

test("a directive of a third-party module, whose class is unknown", () => {
  const [finding] = under([], "php_value memory_limit 1G", "Order allow,deny");
  expect(finding?.at).toBe("1:1-1:26");
  expect(finding?.message).toMatch(/^`php_value` is not allowed: /);
  expect(finding?.help?.[0]).toMatch(/^add `AllowOverride All` to the server's /);
  expect(under(["AllowOverride Options"], "php_value memory_limit 1G")).toEqual([]);
  expect(under(["AllowOverride None"], "php_value memory_limit 1G")).toEqual([]);
  expect(under([], "Nope")).toEqual([]);
});

describe("required arguments", () => {
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
      "a section",
      ["AllowOverride FileInfo"],
      ["<Files x>", "Deny from all", "</Files>"],
      "AllowOverride FileInfo Limit",
    ],
    [
      "either of two classes",
      ["AllowOverride FileInfo"],
      ["<Limit GET>", "Require all denied", "</Limit>"],
      "AllowOverride FileInfo AuthConfig",
    ],
    ["what any class allows", [], ["<Files x>", "Order allow,deny", "</Files>"], "AllowOverride Limit"],
    ["a list of names", ["AllowOverrideList Redirect"], ["Deny from all"], "AllowOverride Limit"],
    ["a list of none", ["AllowOverrideList None"], ["Deny from all"], "AllowOverride Limit"],
    ["one option only", ["AllowOverride Options=Indexes"], ["Options ExecCGI"], "add the option to AllowOverride"],
  ] as const)("%s", (_, allowed, lines, advice) => {
    const [finding, ...others] = under(allowed, ...lines);
    expect(others).toEqual([]);
    expect(finding?.help?.[0]).toContain(advice);
  });

  test("a guard by itself, even one that does not apply", () => {
    const [finding] = under([], "<IfModule nope.c>", "Deny from all", "</IfModule>");
    expect(finding?.at).toBe("1:1-1:18");
  });

  test("with the document root of a virtual host", () => {
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
      under(["AllowOverride Nonfatal=Override AuthConfig"], "AuthType Basic", "Order deny,allow", "Deny from all"),
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
    ["Require", "AllowOverride Limit Nonfatal=Override", "Require all denied", "1:1-1:19"],
    ["in a section", "AllowOverride FileInfo Nonfatal=All", "<Files x>\nDeny from all\n</Files>", "2:1-2:14"],
    [
      "in a section that is skipped",
      "AllowOverride Nonfatal=Override",
      "<Files x>\nDeny from all\n</Files>",
      "2:1-2:14",
    ],
  ])("%s", (_, allowed, text, at) => {
    expect(under([allowed], text)).toMatchObject([{ at }]);
  });

  test("is not reported as old access control", () => {
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
    ["AllowOverride None leaves the file alone", ["AllowOverride None"], ["Deny from all"]],
    ["AllowOverride All", ["AllowOverride All"], ["Deny from all", "Require all denied", "Options ExecCGI"]],
    ["the class for it", ["AllowOverride Limit"], ["Order allow,deny", "Deny from all"]],
    ["its name in AllowOverrideList", ["AllowOverride None", "AllowOverrideList Deny"], ["Deny from all"]],
    ["Nonfatal, which skips what protects nothing", ["AllowOverride FileInfo Nonfatal=Override"], ["Options ExecCGI"]],
    ["Nonfatal and what opens", ["AllowOverride FileInfo Nonfatal=Override"], ["Order deny,allow", "Allow from all"]],
    ["Nonfatal and the class for it", ["AllowOverride Limit Nonfatal=All"], ["Order allow,deny", "Deny from all"]],
    ["Nonfatal for what nobody knows", ["AllowOverride Limit Nonfatal=Unknown"], ["Nope x", "Deny from all"]],
    ["an option that is named", ["AllowOverride Options=Indexes,ExecCGI"], ["Options ExecCGI"]],
    ["comments alone", [], ["# Deny from all", ""]],
    ["what may stand in no such file", ["AllowOverride All"], ["Listen 80"]],
    ["what nobody knows", ["AllowOverride All"], ["Nope x"]],
  ])("%s", (_, allowed, lines) => {
    expect(under(allowed, ...lines)).toEqual([]);
  });

  test("2.2, whose default is All", () => {
    const given: Given = { release: "2.2", files: { "/srv/a/.htaccess": "Deny from all\n" } };
    expect(findingsOf([overrideMissing], onServer(section('Directory "/srv"', "Options None")), given)).toEqual([]);
  });

  test("a file on its own", () => {
    expect(findingsOf([overrideMissing], "Deny from all\n", { kind: "htaccess" })).toEqual([]);
  });

  test("one cause gives one finding", () => {
    const given: Given = { files: { "/srv/a/.htaccess": "Deny from all\n" } };
    const rules = findingsOf([overrideMissing, oldAccessControl], onServer(), given).map(({ rule }) => rule);
    expect(rules).toEqual(["override-missing"]);
  });

  test("misplaced-directive reports directives that no such file allows", () => {
    const given: Given = { files: { "/srv/a/.htaccess": "Listen 80\n" } };
    const rules = findingsOf([overrideMissing, misplacedDirective], onServer(), given).map(({ rule }) => rule);
    expect(rules).toEqual(["misplaced-directive"]);
  });
});
