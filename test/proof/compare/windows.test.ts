import { describe, expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import { loadText } from "../../support/projects.js";
import { migrateLines } from "../migrate/migrate-lines.js";

const start =
  'ServerRoot "C:/Apache24"\nDocumentRoot "C:/www"\n<Directory "C:/www">\nRequire all granted\n</Directory>\n';

/** Returns the verdict for two versions of a server. */
function compareLines(before: string, after: string, common = start) {
  const side = (lines: string) => ({
    project: loadText(`${common}${lines}\n`, { kind: "server" }),
    semantics: "server" as const,
  });
  return compare(side(before), side(after)).verdict;
}

const denied = (tag: string) => `<${tag}>\nRequire all denied\n</${tag.replace(/ .*/, "")}>`;

describe("sections with paths on a drive", () => {
  test.each([
    ['Directory "C:/www/private"', 'Directory "c:\\WWW\\Private"'],
    ['Directory "C:/www/private"', 'Directory "/www/private/"'],
    ['DirectoryMatch "^C:/www/private(/|$)"', 'DirectoryMatch "^c:/WWW/PRIVATE(/|$)"'],
    ['FilesMatch "\\.bak$"', 'FilesMatch "\\.BAK$"'],
  ])("`<%s>` is the same as `<%s>`", (one, other) => {
    expect(compareLines(denied(one), denied(other))).toBe("equivalent");
  });

  test.each([
    ['Directory "C:/www/private"', 'Directory "D:/www/private"'],
    ["Location /private", "Location /Private"],
    ['Files "a.bak"', 'Files "A.bak"'],
    ['Directory "C:/www/p*"', 'Directory "C:/www/P*"'],
  ])("`<%s>` is not the same as `<%s>`", (one, other) => {
    expect(compareLines(denied(one), denied(other))).not.toBe("equivalent");
  });

  test("differ in case on a system without drives", () => {
    const common = start.replaceAll("C:/", "/srv/");
    const verdict = compareLines(denied("Directory /srv/www/private"), denied("Directory /srv/www/Private"), common);
    expect(verdict).toBe("different");
  });

  test("a path in any case is part of the difference", () => {
    expect(compareLines("", denied('Directory "c:/www/PRIVATE"'))).toBe("different");
  });
});

test("the pattern of a file name is not analyzed, since the disk may spell it in another case", () => {
  const rules = (pattern: string) =>
    `RewriteEngine On\n<Directory "C:/www/a">\nRewriteEngine On\nRewriteCond %{REQUEST_FILENAME} ${pattern}\nRewriteRule ^ - [F]\n</Directory>`;
  expect(compareLines(rules("/x$"), rules("/X$"))).not.toBe("equivalent");
});

test("a condition on the text of a file name is not analyzed, for the same reason", () => {
  const rules = (host: string) =>
    `RewriteEngine On\n<Directory "C:/www/a">\nRewriteEngine On\nRewriteCond %{REQUEST_FILENAME} =C:/www/a/x\nRewriteRule ^ - [F]\nRequire host ${host}\n</Directory>`;
  const side = (host: string) => ({
    project: loadText(`${start}${rules(host)}\n`, { kind: "server" }),
    semantics: "server" as const,
  });
  const reasons = compare(side("a.test"), side("b.test")).unproved.map(({ reason }) => reason);
  expect(reasons).toContain("this condition tests a value that depends on the path");
});

test("a section in another case overrides the inherited lines of a migration", () => {
  const lines = [
    ...[
      'ServerRoot "C:/Apache24"',
      'DocumentRoot "C:/www"',
      '<Directory "C:/www">',
      "Order deny,allow",
      "Deny from all",
      "</Directory>",
    ],
    ...['<Directory "c:/WWW">', "Order allow,deny", "Allow from 10.1", "</Directory>"],
  ];
  expect(migrateLines(lines)).toEqual([
    'ServerRoot "C:/Apache24"',
    'DocumentRoot "C:/www"',
    '<Directory "C:/www">',
    "Require all denied",
    "</Directory>",
    '<Directory "c:/WWW">',
    "Require ip 10.1",
    "</Directory>",
  ]);
});
