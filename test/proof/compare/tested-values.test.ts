import { describe, expect, test } from "vitest";
import { placedLinesOf } from "../../../src/config/queries/deciding-facts.js";
import { changesTestedValue } from "../../../src/proof/compare/tested-values.js";
import { load } from "../../support/projects.js";

const modules = ["authz_core", "authz_host", "alias", "dir", "env", "mime", "rewrite", "setenvif"];

/** Returns the lines of a server that may change a value which a condition of it tests. */
function changing(...lines: readonly string[]): string[] {
  const text = `${lines.join("\n")}\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", release: "2.4", modules });
  return placedLinesOf(project)
    .filter((placed) => changesTestedValue(placed, project))
    .map(({ line }) => [line.name, line.argumentText].join(" "));
}

describe("a line that leads to another query counts if a condition tests the query", () => {
  const rules = ["RewriteEngine On", "RewriteRule ^/b - [F]"];
  const testsQuery = ["RewriteCond %{QUERY_STRING} secret", "RewriteRule ^/c - [F]"];
  test.each([
    "RewriteRule ^/a /b?x=1",
    "RewriteRule ^/a /%{HTTP_HOST}",
    "RewriteRule ^/a /${names:$1}",
    "RewriteRule ^/a /b [QSD]",
    "RewriteRule ^/a /b [PT,qsdiscard]",
    'RewriteRule ^/a /b "[ qsa ,PT]"',
    'RewriteRule ^/a /b "[PT, qsappend ]"',
    "DirectoryIndex index.html /b?x=1",
    "FallbackResource /b?x=1",
    "ErrorDocument 404 /b?x=1",
  ])("%s", (line) => {
    expect(changing(...rules, ...testsQuery, line)).toContain(line);
    expect(changing(...rules, line)).toEqual([]);
  });

  test.each([
    "RewriteRule ^/a /b",
    "RewriteRule ^/a /b [PT]",
    "RewriteRule ^/a - [E=qsa]",
    "RewriteRule ^/a?x - [PT]",
    "DirectoryIndex index.html",
    "FallbackResource /b",
    "ErrorDocument 404 /b",
    "AddType text/b .b?",
  ])("but not %s", (line) => {
    expect(changing(...rules, ...testsQuery, line)).toEqual([]);
  });

  test("and then also lines that decide whether it applies", () => {
    const lines = [...rules, ...testsQuery, "RewriteRule ^/a /b?x=1", "Alias /q /srv/q", "SetEnv x y"];
    const found = changing(...lines);
    expect(found).toContain("Alias /q /srv/q");
    expect(found).not.toContain("SetEnv x y");
  });
});

describe("a variable that SetEnvIf tests after an internal redirect", () => {
  const setters = ["SetEnvIf Host y XY", "SetEnvIf Host y other"];
  const sectionOf = (name: string) => ["<Location />", `Require env ${name}`, "</Location>"];

  test("counts, whatever its case", () => {
    for (const name of ["REDIRECT_xy", "redirect_XY"])
      expect(changing(`SetEnvIf ${name} y z`, ...setters, ...sectionOf("z"))).toEqual(["SetEnvIf Host y XY"]);
  });

  test("is one whose name begins so, of a SetEnvIf line", () => {
    for (const line of ["SetEnvIf MyREDIRECT_xy y z", "SetEnv REDIRECT_xy z", "SetEnvIf REDIRECT_ y z"])
      expect(changing(line, ...setters, ...sectionOf("z"))).toEqual([]);
  });
});

test("a value that proofs do not compute counts if a section tests it", () => {
  const line = "AddType text/private .b";
  expect(changing("<If \"%{CONTENT_TYPE} == 'text/private'\">", "Require all denied", "</If>", line)).toEqual([line]);
  expect(changing("<If \"%{HTTP_HOST} == 'text/private'\">", "Require all denied", "</If>", line)).toEqual([]);
});
