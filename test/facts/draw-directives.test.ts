import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type DirectiveTable, parseListing, printTable, updateTable } from "../../scripts/draw-directives.js";

const listing = `<Directory (core.c)
\tContainer for directives affecting resources located in the specified directories
\tAllowed in *.conf only outside <Directory>, <Files>, <Location>, or <If>
order (mod_access_compat.c)
\t'allow,deny', 'deny,allow', or 'mutual-failure'
\tAllowed in *.conf only inside <Directory>, <Files>, <Location>, or <If> and in .htaccess
\twhen AllowOverride includes Limit
AuthLDAPURL (mod_authnz_ldap.c)
\tURL to define LDAP connection.
<P> Ends with a blank.\x20
\tAllowed in *.conf only inside <Directory>, <Files>, <Location>, or <If> and in .htaccess
\twhen AllowOverride includes AuthConfig
NewOne (mod_new.c)
\tAllowed in *.conf anywhere and in .htaccess
\twhen AllowOverride isn't None
`;

const table: DirectiveTable = {
  about: "",
  server: "old",
  columns: ["name", "tableName", "module", "marks", "contexts", "override", "help"],
  directives: [
    ["AuthLDAPUrl", "", "mod_authnz_ldap", "", "directory,htaccess", "AuthConfig", ""],
    ["Directory", "", "core", "section", "server,virtualhost", "", "old"],
    ["Gone", "", "mod_gone", "", "server,virtualhost", "", "kept"],
    ["Order", "", "mod_access_compat", "", "server,virtualhost", "Limit", ""],
  ],
  unlisted: [],
  corrections: [],
};

describe("a listing", () => {
  test("is parsed with its exact help texts", () => {
    const directives = parseListing(listing);
    expect(directives.map(({ name, section, file }) => [name, section, file])).toEqual([
      ["Directory", true, "core.c"],
      ["order", false, "mod_access_compat.c"],
      ["AuthLDAPURL", false, "mod_authnz_ldap.c"],
      ["NewOne", false, "mod_new.c"],
    ]);
    expect(directives[2]?.help).toBe("URL to define LDAP connection.\n<P> Ends with a blank. ");
    expect(directives[3]?.help).toBe("");
    expect(parseListing("")).toEqual([]);
  });

  test("updates a table and reports other differences", () => {
    const updated = updateTable(table, parseListing(listing), "new");
    expect(updated.table.server).toBe("new");
    expect(updated.table.directives).toEqual([
      ["AuthLDAPUrl", "AuthLDAPURL", "mod_authnz_ldap", "", "directory,htaccess", "AuthConfig", expect.any(String)],
      ["Directory", "", "core", "section", "server,virtualhost", "", expect.stringMatching(/^Container/)],
      ["Gone", "", "mod_gone", "", "server,virtualhost", "", "kept"],
      [
        "Order",
        "order",
        "mod_access_compat",
        "",
        "server,virtualhost",
        "Limit",
        expect.stringMatching(/^'allow,deny'/),
      ],
    ]);
    expect(updated.table.unlisted).toEqual([
      ["NewOne", "", "mod_new", "", "server,virtualhost,directory,htaccess", "All", ""],
    ]);
    expect(updated.drift).toEqual([
      "order: allowed in directory,htaccess, the table says server,virtualhost",
      "NewOne (mod_new.c): not in the table",
    ]);
  });
});

test.each(["2.2", "2.4", "third-party", "removed"])("%s.json has the format of the script", (name) => {
  const text = readFileSync(new URL(`../../src/facts/data/${name}.json`, import.meta.url), "utf8");
  expect(printTable(JSON.parse(text))).toBe(text);
});
