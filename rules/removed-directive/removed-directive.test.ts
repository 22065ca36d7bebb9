import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { neverMatchingGuard } from "../never-matching-guard/never-matching-guard.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { removedModule } from "../removed-module/removed-module.js";
import { unknownDirective } from "../unknown-directive/unknown-directive.js";
import { removedDirective } from "./removed-directive.js";

const check = (text: string, given?: Given) => findingsOf([removedDirective], text, given);
const authoritativeDirectives = [
  ...["AuthzLDAPAuthoritative", "AuthzDBDAuthoritative", "AuthzDBMAuthoritative", "AuthzGroupFileAuthoritative"],
  ...["AuthzUserAuthoritative", "AuthzOwnerAuthoritative"],
];

test.each(authoritativeDirectives)("suggests the containers in place of %s", (name) => {
  const [finding, ...more] = check(`<Directory /srv>\n  ${name} Off\n</Directory>\n`);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ at: `2:3-2:${3 + name.length}`, text: name, severity: "error" });
  for (const container of ["RequireAny", "RequireNone", "RequireAll"]) expect(finding?.help?.[0]).toContain(container);
});

describe("reports other directives", () => {
  test.each([
    "LockFile /x",
    "SSLMutex default",
    "RewriteLog /x",
    "RewriteLogLevel 3",
    "RewriteLock /x",
    "AcceptMutex sem",
    "CookieLog x",
  ])("%s", (line) => {
    expect(check(`${line}\n`).map((each) => each.at)).toEqual([`1:1-1:${1 + line.indexOf(" ")}`]);
  });

  test("in any case, and in a `.htaccess` file", () => {
    const [finding] = check("authzuserauthoritative off\n", { kind: "htaccess" });
    expect(finding).toMatchObject({
      message: "`AuthzUserAuthoritative` was removed in 2.4",
      notes: [
        "requests below this directory return 500",
        "2.4 combines the `Require` lines of all modules, and no module overrides the others",
        "httpd reports: Invalid command 'authzuserauthoritative'",
      ],
    });
  });
});

describe("does not report", () => {
  test.each([
    "AuthBasicAuthoritative Off",
    "AuthLDAPBindAuthoritative Off",
    "NameVirtualHost *",
    "MaxClients 5",
    "Mutex sem",
  ])("%s", (line) => {
    expect(check(`<Directory /srv>\n${line}\n</Directory>\n`)).toEqual([]);
  });

  test("lines in a section for a removed module, which never-matching-guard reports", () => {
    const text = "LoadModule mem_cache_module x.so\n<IfModule mod_mem_cache.c>\nMCacheSize 1000\n</IfModule>\n";
    const rules = [neverMatchingGuard, refusedAtStart, removedDirective, removedModule, unknownDirective];
    expect(findingsOf(rules, text).map(({ at, rule }) => [at, rule])).toEqual([
      ["1:1-1:33", "removed-module"],
      ["2:1-2:27", "never-matching-guard"],
    ]);
    expect(findingsOf(rules, `${text}MCacheSize 1000\n`).map(({ rule }) => rule)).toContain("removed-directive");
  });

  test("lines that a conditional section excludes in 2.4, or lines of 2.2", () => {
    expect(check("<IfVersion < 2.4>\nLockFile /x\n</IfVersion>\n")).toEqual([]);
    expect(check("LockFile /x\n", { release: "2.2" })).toEqual([]);
    expect(check("LockFile /x\n", { from: "2.2" })).toHaveLength(1);
  });
});
