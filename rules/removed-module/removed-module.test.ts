import { describe, expect, test } from "vitest";
import { applyFixes } from "../../src/lint/apply-fixes.js";
import { findingsOf, type Given, lintText } from "../../test/support/rules.js";
import { thirdPartyModule } from "../third-party-module/third-party-module.js";
import { unknownDirective } from "../unknown-directive/unknown-directive.js";
import { removedModule } from "./removed-module.js";

const load = (name: string) => `LoadModule ${name}_module modules/mod_${name}.so\n`;
const check = (text: string, given?: Given) => findingsOf([removedModule], text, given);

test("reports the effect and the successor of the module", () => {
  expect(check(`Listen 80\n  ${load("mem_cache")}`)).toEqual([
    {
      rule: "removed-module",
      severity: "error",
      at: "2:3-2:55",
      text: load("mem_cache").trim(),
      message: "`mem_cache_module` does not exist in 2.4",
      notes: [
        "httpd will not start",
        "mod_cache_socache and mod_cache_disk replace it, but cache differently",
        "httpd reports: Cannot load modules/mod_mem_cache.so",
      ],
      help: ["delete this line"],
      related: [],
    },
  ]);
});

describe("the replacement", () => {
  test.each([
    ["authn_default", "delete this line"],
    ["authz_default", "delete this line"],
    ["authn_alias", "load `authn_core_module` instead"],
    ["disk_cache", "load `cache_disk_module` instead"],
    ["example", "load `example_hooks_module` instead"],
    ["access", "load `authz_host_module` and `access_compat_module` instead"],
    ["auth", "load `auth_basic_module`, `authn_file_module`, `authz_user_module` and `authz_groupfile_module` instead"],
    ["auth_anon", "load `authn_anon_module` instead"],
    ["auth_dbm", "load `authn_dbm_module` and `authz_dbm_module` instead"],
    ["auth_ldap", "load `authnz_ldap_module` instead"],
    ["imap", "load `imagemap_module` instead"],
    ["includes", "load `include_module` instead"],
    ["action", "load `actions_module` instead"],
    ["anon_auth", "load `authn_anon_module` instead"],
    ["dbm_auth", "load `authn_dbm_module` and `authz_dbm_module` instead"],
  ])("is suggested for %s", (name, advice) => {
    expect(check(load("mime") + load(name)).map((each) => each.help)).toEqual([[advice]]);
  });

  test("may be built in, or loaded by another line", () => {
    expect(check(load("config_log"))[0]?.help).toEqual([
      "delete this line",
      "if `httpd -l` does not list the module as built in, load `log_config_module` instead",
    ]);
    expect(check(load("config_log") + load("log_config"))[0]?.help).toEqual([
      "delete this line: its replacement is already loaded",
    ]);
  });

  test("may be loaded after the removed module", () => {
    const [finding] = check(load("disk_cache") + load("cache_disk"));
    expect(finding?.help).toEqual(["delete this line: its replacement is already loaded"]);
    expect(check(load("auth_dbm") + load("authn_dbm"))[0]?.help).toEqual(["load `authz_dbm_module` instead"]);
  });

  test("is suggested with --from and in a fragment, and for 2.2 only if 2.2 removed the module", () => {
    expect(check(load("mem_cache"), { from: "2.2" })).toHaveLength(1);
    expect(check(load("mem_cache"), { from: "2.2", release: "2.2" })).toEqual([]);
    expect(check(load("mem_cache"), { kind: "fragment" })).toHaveLength(1);
    expect(check(load("auth"), { release: "2.2" })[0]?.message).toBe("`auth_module` does not exist in 2.2");
  });
});

describe("the fix", () => {
  const fixed = (text: string) =>
    applyFixes(lintText([removedModule], text), () => true).texts.get("/etc/httpd/httpd.conf");

  test.each([
    [load("mem_cache"), ""],
    [load("authz_default") + load("mime"), load("mime")],
    [`  ${load("disk_cache")}`, `  ${load("cache_disk")}`],
    [
      `LoadModule disk_cache_module "/usr/lib/mod_disk_cache.so"\n`,
      `LoadModule cache_disk_module "/usr/lib/mod_cache_disk.so"\n`,
    ],
    [load("disk_cache") + load("cache_disk"), load("cache_disk")],
    [load("disk_cache") + load("disk_cache"), load("cache_disk")],
    [load("mime") + load("auth") + load("auth_basic"), undefined],
    ["LoadModule disk_cache_module modules/libdisk.so\n", undefined],
  ])("changes %j to %j", (text, after) => {
    expect(fixed(text)).toBe(after);
  });
});

describe("does not report", () => {
  test.each([
    ["modules that 2.4 has", load("ident") + load("authz_host") + load("auth_digest") + load("cache_disk")],
    ["a third-party module", load("php5") + load("company")],
    ["a conditional section that excludes 2.4", `<IfVersion < 2.4>\n${load("mem_cache")}</IfVersion>\n`],
    ["a comment", `# ${load("mem_cache")}`],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual([]);
  });

  test("a module that 2.2 has", () => {
    expect(check(load("mem_cache"), { release: "2.2" })).toEqual([]);
  });
});

test("does not treat a removed module as a third-party module, or as one with unknown directives", () => {
  expect(findingsOf([thirdPartyModule], load("auth"), { from: "2.2" })).toEqual([]);
  expect(findingsOf([thirdPartyModule], load("company"), { from: "2.2" })).toHaveLength(1);
  expect(findingsOf([unknownDirective], `${load("auth")}Ordr x\n`)).toHaveLength(1);
  expect(findingsOf([unknownDirective], `${load("company")}Ordr x\n`)).toMatchObject([{ severity: "warning" }]);
});
