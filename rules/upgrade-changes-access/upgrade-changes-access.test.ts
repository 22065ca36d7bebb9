import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, lintText, onServer, section, textOf } from "../../test/support/rules.js";
import { upgradeChangesAccess } from "./upgrade-changes-access.js";

const open = inDirectory("Order allow,deny", "Allow from all");
const check = (text: string, given: Given = { from: "2.2" }) =>
  findingsOf([upgradeChangesAccess], onServer(text), given);
const describeFindings = (text: string) =>
  check(text).map(({ severity, text: line, ...parts }) => `${severity}: ${line}: ${textOf(parts)}`);

describe("reports a change of the upgrade at the line that causes it", () => {
  test("as an error if a client gains access", () => {
    const text = open + section("Location /x", "Deny from all", "Satisfy any");
    expect(describeFindings(text)).toEqual([
      "error: Satisfy any: GET `/x` from 203.0.113.7: 403 on 2.2, allowed on 2.4 | note: 2.2 returns 403 for GET `/x` from 203.0.113.7 (decided by `Deny from all`) | note: 2.4 allows it (decided by `Satisfy any`) | help: use `Require` instead of Order, Allow, Deny and Satisfy to set the intended access | help: run `httpd-lint compare` to see which other requests differ",
    ]);
    expect(check(text)[0]?.related).toEqual(["httpd.conf:7:1: decides on 2.2"]);
  });

  test("as a warning if a client loses access", () => {
    const text =
      open +
      section(
        "Location /x",
        "AuthType Basic",
        "AuthName x",
        "AuthUserFile u",
        "Require valid-user",
        "Order deny,allow",
        "Deny from all",
        "Allow from 10.0.0.0/8",
        "Satisfy any",
      );
    const inner = section("Location /x/y", "Order allow,deny", "Allow from all");
    expect(describeFindings(text)).toEqual([]);
    expect(describeFindings(text + inner)).toEqual([
      "warning: Require valid-user: GET `/x/y` from 203.0.113.7: allowed on 2.2, 401 on 2.4 | note: 2.2 allows GET `/x/y` from 203.0.113.7 (decided by `Allow from all`) | note: 2.4 returns 401 for it (decided by `Require valid-user`) | help: check that the `Require` lines of this section allow the intended clients | help: run `httpd-lint compare` to see which other requests differ",
    ]);
  });

  test("at the line that makes a directory a program of 2.2", () => {
    const programs = section("Directory /usr/lib/cgi-bin", "Options +ExecCGI", "Order allow,deny", "Allow from all");
    const handled = programs.replace("Options", "SetHandler cgi-script\nOptions");
    for (const [line, text] of [
      ["ScriptAlias /cgi-bin/ /usr/lib/cgi-bin/", `ScriptAlias /cgi-bin/ /usr/lib/cgi-bin/\n${programs}`],
      ["SetHandler cgi-script", `Alias /cgi-bin/ /usr/lib/cgi-bin/\n${handled}`],
    ] as const) {
      const found = describeFindings(open + text).filter((each) => each.includes("/cgi-bin/` from"));
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(new RegExp(`^error: ${line}: GET`));
      expect(found[0]).toContain(
        "help: to look for no index file in a directory with a handler, as before, add `DirectoryCheckHandler On` to the main server",
      );
      expect(found[0]).not.toContain("use `Require` instead");
      // The help ends the difference.
      const kept = `${open}<IfVersion >= 2.4>\nDirectoryCheckHandler On\n</IfVersion>\n${text}`;
      expect(describeFindings(kept).filter((each) => each.includes("/cgi-bin/` from"))).toEqual([]);
    }
  });

  test("in a `.htaccess` file", () => {
    const files = { "/srv/.htaccess": "Deny from all\nSatisfy any\n" };
    const text = onServer(inDirectory("AllowOverride All"));
    const all = lintText([upgradeChangesAccess], text, { from: "2.2", files });
    expect(all.map(({ span }) => span.file.path)).toEqual(["/srv/.htaccess"]);
  });
});

test("reports a request that a rewrite rule denies, once for all files and without help about Require", () => {
  const rule = "RewriteRule ^/p/(.*)$ /index.php?q=$1";
  expect(check(`${open}DocumentRoot /srv\nRewriteEngine On\n${rule}\n`)).toMatchObject([
    {
      message: "GET `/p/%20` from 203.0.113.7: allowed on 2.2, 403 on 2.4",
      text: rule,
      help: ["run `httpd-lint compare` to see which other requests differ"],
    },
  ]);
});

describe("does not report", () => {
  test("equal responses", () => {
    expect(describeFindings(open)).toEqual([]);
    expect(
      describeFindings(open + section("Location /x", "Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8")),
    ).toEqual([]);
  });

  test("a configuration without --from", () => {
    const text = open + section("Location /x", "Deny from all", "Satisfy any");
    expect(check(text, {})).toEqual([]);
  });

  test("an Options line that 2.4 rejects, which is another error", () => {
    const runsPrograms = (options: string) =>
      `LoadModule cgi_module mod_cgi.so\n${open}${inDirectory(`Options ${options}`, "AddHandler cgi-script .cgi")}`;
    expect(check(runsPrograms("Indexes ExecCGI"))).toEqual([]);
    expect(check(runsPrograms("Indexes +ExecCGI"))).toEqual([]);
  });

  test("unproved decisions of a server that returns 500 to every request on 2.4", () => {
    const text = `${open}${section(String.raw`LocationMatch "^/(public)\1"`, "Deny from all", "Satisfy any")}`;
    const modules = ["LoadModule mpm_prefork_module m.so", "LoadModule access_compat_module m.so"];
    const all = (loaded: readonly string[]) =>
      lintText([upgradeChangesAccess], onServer(`${loaded.join("\n")}\n${text}`), { from: "2.2" });
    const withoutAuthorization = all([...modules, "LoadModule unixd_module m.so", "LoadModule authz_host_module m.so"]);
    expect(withoutAuthorization.map(({ severity }) => severity)).not.toContain("info");
    expect(all([]).map(({ severity }) => severity)).toContain("info");
  });

  test("a fragment that was written for 2.4", () => {
    const lines = ["AuthType Basic", "AuthName x", "AuthUserFile /u", "Require local", "Require valid-user"];
    for (const text of [section("Location /x", ...lines), section("Location /x", "Require all granted")])
      expect(findingsOf([upgradeChangesAccess], text, { kind: "fragment", from: "2.2" })).toEqual([]);
  });
});

describe("lines of 2.4", () => {
  const satisfy = section("Location /x", "Deny from all", "Satisfy any");

  test("are not compared if they are in a separate file", () => {
    const files = { "/etc/httpd/new.conf": section("Location /n", "Require all granted") };
    expect(describeFindings(`${open}Include new.conf\n`)).toEqual([]);
    const all = lintText([upgradeChangesAccess], onServer(`${open}Include new.conf\n${satisfy}`), {
      from: "2.2",
      files,
    });
    expect(all.map(({ span, message }) => [span.file.path, message])).toEqual([
      ["/etc/httpd/httpd.conf", "GET `/x` from 203.0.113.7: 403 on 2.2, allowed on 2.4"],
    ]);
  });

  test("are not compared beside lines of 2.2, because 2.2 did not read them", () => {
    expect(describeFindings(open + section("Location /n", "Require all granted"))).toEqual([]);
    expect(check(open + satisfy + section("Location /n", "Require all granted"))).toHaveLength(1);
  });
});

describe("checks the response of a rewrite rule", () => {
  const openTo = (rule: string) =>
    open + section("Location /x", "Deny from all", "Satisfy any", "RewriteEngine On", rule);

  test.each([
    ["a redirect, which is not access", "RewriteRule ^ http://www.example.org/ [R]", 0],
    ["404, which is not access", "RewriteRule ^ - [R=404]", 0],
    ["the file, which is access", "RewriteRule ^ -", 1],
  ])("%s", (_, rule, count) => {
    expect(check(openTo(rule))).toHaveLength(count);
  });
});

test("reports a pattern without a proof once", () => {
  const pattern = String.raw`LocationMatch "^/(public)\1"`;
  const text = open + section(pattern, "Deny from all", "Satisfy any") + section(pattern, "Allow from 10");
  const unproved = lintText([upgradeChangesAccess], onServer(text), { from: "2.2" }).filter(
    ({ severity }) => severity === "info",
  );
  expect(new Set(unproved.map(({ notes }) => String(notes))).size).toBe(unproved.length);
});

test("reports decisions that are not proved to be equal", () => {
  const text = open + section(String.raw`LocationMatch "^/(public)\1"`, "Deny from all", "Satisfy any");
  expect(describeFindings(text)).toContainEqual(
    expect.stringMatching(/^info: .*: 2\.2 and 2\.4 are not proved to make the same access decisions here \| note: /),
  );
});
