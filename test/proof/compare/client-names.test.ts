import { describe, expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import { loadText } from "../../support/projects.js";

const reason = "another line tests or computes a value that this line changes, which is not analyzed";

function compareTexts(before: readonly string[], after: readonly string[], outside = "") {
  const side = (lines: readonly string[]) => ({
    project: loadText(`DocumentRoot /srv\n${outside}\n<Directory /srv>\n${lines.join("\n")}\n</Directory>\n`, {
      kind: "server",
      release: "2.4",
    }),
    semantics: "server" as const,
  });
  const { verdict, unproved } = compare(side(before), side(after));
  return verdict === "unknown" ? unproved.map((each) => each.reason) : verdict;
}

const testsName = "Require expr \"%{REMOTE_HOST} == 'a.test'\"";
const all = (...lines: readonly string[]) => ["<RequireAll>", ...lines, "</RequireAll>"];

describe("a check of the client's name changes what a later test of REMOTE_HOST finds", () => {
  const rule = ["RewriteEngine On", "Options FollowSymLinks", "RewriteCond %{REMOTE_HOST} ^a", "RewriteRule ^ - [F]"];
  const compat = ["Order Deny,Allow", "Deny from 192.0.2.1"];

  test.each([
    [all("Require host a.test", testsName), all(testsName, "Require host a.test")],
    [all("Require not host b.test", testsName), all(testsName, "Require not host b.test")],
    [
      [...compat, "Allow from a.test", "Allow from 192.0.2.1", testsName],
      [...compat, "Allow from 192.0.2.1", "Allow from a.test", testsName],
    ],
    [
      [...rule, "Require all granted"],
      [...rule, "<RequireAny>", "Require host b.invalid", "Require all granted", "</RequireAny>"],
    ],
    [
      [...rule, "Order Allow,Deny", "Allow from all", "Deny from a.test"],
      [...rule, "Order Allow,Deny", "Deny from a.test", "Allow from all"],
    ],
  ])("between %j and %j", (before, after) => {
    expect(compareTexts(before, after)).toEqual([reason]);
    expect(compareTexts(before, before)).toBe("equivalent");
  });

  test.each([
    ["HostnameLookups On", all("Require host a.test", testsName), all(testsName, "Require host a.test")],
    ["HostnameLookups Double", all("Require host a.test", testsName), all(testsName, "Require host a.test")],
    ["", all("Require forward-dns a.test", testsName), all(testsName, "Require forward-dns a.test")],
    ["", all("Require ip 192.0.2.1", testsName), all(testsName, "Require ip 192.0.2.1")],
    [
      "",
      all("Require host a.test", "Require expr \"%{HTTP_HOST} == 'a.test'\""),
      all("Require expr \"%{HTTP_HOST} == 'a.test'\"", "Require host a.test"),
    ],
    ["", all("Require host a.test", "Require ip 192.0.2.1"), all("Require ip 192.0.2.1", "Require host a.test")],
    ['SetEnvIf Remote_Host "^a" log', all("Require host a.test"), ["Require host a.test"]],
    [
      "",
      [...compat, "Allow from 192.0.2", "Allow from 2001:db8::1", testsName],
      [...compat, "Allow from 2001:db8::1 192.0.2", testsName],
    ],
  ])("but not with %j between %j and %j", (outside, before, after) => {
    expect(compareTexts(before, after, outside)).toBe("equivalent");
  });
});

describe("SCRIPT_URI has the server's own name", () => {
  const of = (test: string, ...lines: readonly string[]) =>
    compareTexts(
      [`Require expr "${test}"`],
      [`Require expr "${test}"`, "# the same"],
      ["RewriteEngine On", ...lines].join("\n"),
    );
  const sides = (test: string) => {
    const server = (lines: string) => ({
      project: loadText(`ServerName a.test\nRewriteEngine On\n${lines}<Location />\n${test}\n</Location>\n`, {
        kind: "server",
        release: "2.4",
      }),
      semantics: "server" as const,
    });
    return compare(server("UseCanonicalName On\n"), server("")).verdict;
  };

  test("so that UseCanonicalName counts where a line tests it", () => {
    for (const test of [
      "Require expr \"env('SCRIPT_URI') == 'http://b.test/x'\"",
      'SetEnvIf SCRIPT_URI "^http://b" b\nRequire env b',
      '<If "%{ENV:SCRIPT_URI} =~ /b/">\nRequire all denied\n</If>',
    ])
      expect(sides(test)).toBe("unknown");
    expect(of("env('SCRIPT_URI') == 'http://b.test/x'", "UseCanonicalName On")).toBe("equivalent");
  });

  test("but not where no line does", () => {
    for (const test of ["Require all denied", "Require expr \"env('SCRIPT_URL') == '/x'\""])
      expect(sides(test)).toBe("equivalent");
  });
});
